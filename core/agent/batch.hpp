// Transitions that an embedder hands over as a whole: for learn() and for the losses.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/agent/numbers.hpp"
#include "core/rollout/batch.hpp"
#include "core/rollout/environment.hpp"
#include "core/rollout/transform.hpp"

namespace spar {

/// Columns by name, `rows` rows each, in the units of the environment: what the simulator gave and took.
///
///   obs, next_obs   [rows, shape of the observation]; the true next observation, also where an episode ended
///   action          int64 [rows], or float [rows, shape of the action]
///   reward          float [rows]: of one step, or the discounted sum of k steps
///   terminated      uint8 [rows]: the episode ended here, and not only by a time limit
///   discount        float [rows], optional: gamma^k, 0 where terminated; left out: gamma * (1 - terminated)
///   weight          float [rows], optional: importance of each row; left out: 1
/// Where the spaces are masked, also
///   action_mask, next_action_mask   uint8 [rows, n]: of obs and of next_obs
/// For an algorithm that learns from rollouts the rows are ordered by copy, then time, and there is instead of discount
/// and weight
///   truncated       uint8 [rows], optional: a time limit ended the episode here; left out: 0
///   last            uint8 [rows], optional: the next row does not follow this one; left out: terminated or truncated.
///                   The last row always is.
class TransitionBatch {
 public:
  explicit TransitionBatch(uint64_t rows) : rows_(rows) {}

  TransitionBatch& add(std::string name, std::vector<float> data) { return put(std::move(name), std::move(data)); }
  TransitionBatch& add(std::string name, std::vector<int64_t> data) { return put(std::move(name), std::move(data)); }
  TransitionBatch& add(std::string name, std::vector<uint8_t> data) { return put(std::move(name), std::move(data)); }

  uint64_t rows() const { return rows_; }
  /// Null if there is no such column.
  const Numbers* find(std::string_view name) const;
  std::vector<std::string> names() const;

 private:
  struct Column {
    std::string name;
    std::variant<std::vector<float>, std::vector<int64_t>, std::vector<uint8_t>> data;
    Numbers numbers;
  };
  template <class T>
  TransitionBatch& put(std::string name, std::vector<T> data) {
    auto column = std::make_unique<Column>();
    column->name = std::move(name);
    column->numbers = data;
    column->data = std::move(data);  // the numbers stay where they are
    columns_.push_back(std::move(column));
    return *this;
  }

  uint64_t rows_;
  std::vector<std::unique_ptr<Column>> columns_;
};

/// The batch as sample() would lend it: checked, actions in the algorithm's units, transforms applied. `call` begins
/// every message. Throws Error E1001 (shape, type or number; the column is named) and E1002 (a column is missing,
/// unknown or there twice).
class GivenBatch {
 public:
  GivenBatch(const std::string& call, const TransitionBatch& batch, const rollout::AgentPort& agent,
             const spar_needs& needs, const rollout::Transforms& transforms);

  const spar_batch& abi() const { return view_; }

 private:
  rollout::Batch columns_;
  std::vector<float> weight_;
  std::vector<uint64_t> index_;  ///< zeros: the rows lie in no memory
  spar_batch view_{};
};

/// One action of the environment in the algorithm's units: [-1, 1] in bounded dimensions of a BOX, others as they are.
/// Throws Error E1001 for an action outside the space.
void from_environment(std::string_view what, const rollout::Space& space, const Numbers& actions, uint64_t row,
                      std::byte* to);

/// Throws Error E1001, whose sentence begins with `what`, unless `mask` is of this type, u8 [rows, n], and allows an
/// action in every row but those that `ended` names (null: none).
void check_mask(std::string_view what, const Numbers& mask, const ColumnType& type, uint64_t rows,
                const uint8_t* ended = nullptr);

/// Throws Error E1001 for a Discrete action that its row of the mask forbids.
void check_allowed(std::string_view what, const Numbers& actions, const Numbers& mask, int64_t n, uint64_t rows);

}  // namespace spar
