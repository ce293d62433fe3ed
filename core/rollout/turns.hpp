// One agent's decisions in a turn-based game. It decides where its column "acting" says that it is to move. What it
// earns until it is to move again, or until the episode ends, is the reward of that decision; what it sees then is the
// next observation. So its memory holds the decision process of this one agent, with the others as part of the world.
#pragma once

#include <cstdint>
#include <vector>

#include "core/rollout/environment.hpp"
#include "core/rollout/learner.hpp"

namespace spar::rollout {

class Turns {
 public:
  /// `port` has the column "acting"; `actions`: the agent's, row i for moving()[i]. Both outlive it.
  Turns(const AgentPort& port, const Batch& actions, uint64_t copies);
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  /// No decision is open: every copy was started afresh.
  void start();
  /// Reads from the environment's columns where the agent is to move.
  void look();
  /// These copies, ascending.
  const std::vector<uint64_t>& moving() const { return moving_; }
  /// u8 per row: is it the agent's first decision of the episode?
  void write_first(uint8_t* rows) const;

  /// A decision begins in every moving copy. `obs`: the observations there, one column per AgentPort::observed, raw,
  /// a row per copy.
  void decide(const std::vector<std::vector<std::byte>>& obs);

  /// After a step, before anything is reset: the decisions that are over, by copy, of the first `counted` copies. The
  /// flags are per copy. An episode that is cut short while others move ends for this agent: it has no next decision
  /// whose value could be asked for. The view is valid until the next call.
  const StepView& settle(const uint8_t* terminated, const uint8_t* truncated, const uint8_t* ended, uint64_t counted);
  uint64_t settled() const { return rows_; }  ///< rows of that view

  void save(ByteWriter& writer) const;
  void load(ByteReader& reader);

 private:
  /// A column of raw rows.
  struct Column {
    size_t row_bytes;
    std::vector<std::byte> data;

    std::byte* row(uint64_t i) { return data.data() + i * row_bytes; }
  };

  void settle_one(uint64_t copy, bool terminated, bool truncated, bool ended);

  const AgentPort& port_;
  const Batch& actions_;
  std::vector<uint64_t> moving_;
  // By copy: the open decision.
  std::vector<Column> decided_on_;  ///< like AgentPort::observed
  Column decided_;
  std::vector<double> earned_;
  std::vector<uint8_t> open_;
  std::vector<uint8_t> begun_;  ///< has the agent decided in this episode?
  // By row: what is over.
  uint64_t rows_ = 0;
  std::vector<Column> obs_, next_obs_;
  Column action_;
  std::vector<uint64_t> lane_;
  std::vector<float> reward_;
  std::vector<uint8_t> terminated_, truncated_, ended_;
  StepView view_;
};

}  // namespace spar::rollout
