// What a memory holds: kind, size and columns.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "spar/abi.h"

namespace spar::replay {

/// One column; the shape is that of one row.
struct ColumnShape {
  std::string name;
  uint8_t code = SPAR_DTYPE_FLOAT;  ///< SPAR_DTYPE_*
  uint8_t bits = 32;                ///< of one element, whole bytes
  std::vector<int64_t> shape;       ///< empty: one number

  size_t bytes() const;      ///< of one row
  std::string type() const;  ///< "float32 [84, 84]"
};

struct BufferSpec {
  uint32_t kind = SPAR_BUF_REPLAY;  ///< SPAR_BUF_*
  uint64_t capacity = 0;            ///< transitions; a rollout may grow beyond it
  uint64_t lanes = 1;               ///< environment copies that write
  uint32_t n_step = 1;              ///< replay only
  double gamma = 0.99;              ///< replay only
  double alpha = 0.5;               ///< prioritised only: exponent, 0 .. 1
  double eps = 1e-6;                ///< prioritised only: added to the error before the power, > 0

  /// Known before and after a step: "obs" or the leaves "obs/KEY" of a DICT, "action_mask", "state". A sample has NAME
  /// and "next_" + NAME.
  std::vector<ColumnShape> observed;
  /// One value per step: "action", "joint_action" and what the algorithm asked for (needs.extra).
  std::vector<ColumnShape> acted;
};

/// Throws Error E0801 if the specification makes no sense.
void check(const BufferSpec& spec);

/// The whole specification as (what, value), for comparing and for messages.
std::vector<std::pair<std::string, std::string>> describe(const BufferSpec& spec);

/// Leaves of an observation space: one column `name`, or for a DICT `name/KEY` and so on.
std::vector<ColumnShape> observation_columns(const spar_space& space, const std::string& name);

/// The "action" column of an action space. Throws Error E0801 for a DICT.
ColumnShape action_column(const spar_space& space);

/// The memory that an algorithm asked for, shaped by its agent. `n_step` 0 counts as 1. The mask's column is there if
/// the agent fills it. Central columns are for the caller to add. Throws Error E0801.
BufferSpec buffer_spec(const spar_needs& needs, const spar_agent_spec& agent, uint64_t lanes);

}  // namespace spar::replay
