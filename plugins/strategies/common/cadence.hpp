// When a group learns, as its algorithm's needs say, where collecting and learning take turns.
//
// Off-policy: a phase of needs.updates updates whenever another needs.learn_every transitions are there, the warm-up is
// over and the memory holds needs.rows_per_learn. On-policy: one phase when needs.rows_per_learn rows are there.
#pragma once

#include <algorithm>
#include <vector>

#include "spar/strategy.hpp"

namespace common {

class Cadence {
 public:
  /// rows_per_step[group]: rows that one transition of the world brings to the group's memory, at most.
  explicit Cadence(std::vector<uint64_t> rows_per_step)
      : rows_per_step_(std::move(rows_per_step)), next_phase_(rows_per_step_.size(), 0) {}

  void next(const spar_progress& progress, spar_directive& out) {
    const spar_needs& needs = *progress.needs;
    out.what = SPAR_DO_COLLECT;

    if (needs.buffer_kind == SPAR_BUF_ROLLOUT) {
      if (progress.buffer_rows >= needs.rows_per_learn) {
        out.what = SPAR_DO_LEARN;
        out.amount = needs.updates;
      } else {
        const uint64_t rows = rows_per_step_[progress.group];
        out.amount = (needs.rows_per_learn - progress.buffer_rows + rows - 1) / rows;
      }
      return;
    }

    uint64_t& due = next_phase_[progress.group];
    if (due == 0)
      due = std::max(needs.learn_every, (needs.warmup + needs.learn_every - 1) / needs.learn_every * needs.learn_every);
    if (progress.env_steps >= due) {
      const uint64_t phases = 1 + (progress.env_steps - due) / needs.learn_every;
      due += phases * needs.learn_every;
      if (progress.buffer_rows >= needs.rows_per_learn) {
        out.what = SPAR_DO_LEARN;
        out.amount = phases * needs.updates;
        return;
      }
    }
    out.amount = due - progress.env_steps;
  }

  void save(spar::StreamWriter& writer) const { writer.array(next_phase_); }
  void load(spar::StreamReader& reader) { reader.array(next_phase_); }

 private:
  std::vector<uint64_t> rows_per_step_;
  std::vector<uint64_t> next_phase_;  // per group: transitions at which the next phase is due; 0 = not set yet
};

}  // namespace common
