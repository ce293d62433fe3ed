// Several agents of an environment, or parts of them, as one agent port: the worker and evaluations see no difference.
#pragma once

#include <cstdint>
#include <vector>

#include "core/rollout/environment.hpp"

namespace spar::rollout {

/// Its columns are filled by gather(), its actions become the agents' by scatter(). The flags of an episode's end are
/// the world's, not its own.
class PortView {
 public:
  virtual ~PortView() = default;

  virtual AgentPort& port() = 0;
  /// The agents whose episodes the rows of a copy are.
  virtual const std::vector<uint32_t>& members() const = 0;
  /// Rows, and lanes, of each copy: copy c has [c * rows_per_copy(), (c + 1) * rows_per_copy()).
  virtual uint64_t rows_per_copy() const = 0;

  /// Before a reset of the copies that `mask` (u8 each, null: all) marks.
  virtual void begin(const uint8_t* /*mask*/) {}
  /// After a reset or a step.
  virtual void gather() = 0;
  /// Before a step.
  virtual void scatter() = 0;
};

}  // namespace spar::rollout
