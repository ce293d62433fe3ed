// The table of a league in games of two agents: one seat for who learns and one for its opponent. Which agent the
// learner is changes from episode to episode.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/rng/philox.hpp"
#include "core/rollout/port_view.hpp"

namespace spar::league {

/// Throws E1109 unless the environment has two agents of the same spaces, columns included.
void check_world(rollout::Environment& environment);

class Seating {
 public:
  /// The environment, for which check_world() holds, outlives it. In every copy the learner's episodes come in pairs,
  /// one as each agent; which comes first is drawn from `random`.
  Seating(rollout::Environment& environment, Philox random);
  Seating(const Seating&) = delete;
  Seating& operator=(const Seating&) = delete;

  /// One row for each copy: of whichever agent it is there. To be given to a worker in this order.
  rollout::PortView& learner() { return sides_[0]; }
  rollout::PortView& opponent() { return sides_[1]; }
  /// The agent that the learner is in a copy.
  size_t agent_of_learner(uint64_t copy) const { return learner_[copy]; }

 private:
  class Side : public rollout::PortView {
   public:
    Side(Seating& table, uint32_t side);
    rollout::AgentPort& port() override { return port_; }
    const std::vector<uint32_t>& members() const override { return members_; }
    uint64_t rows_per_copy() const override { return 1; }
    void begin(const uint8_t* mask) override;
    void gather() override;
    void scatter() override;

   private:
    size_t agent(uint64_t copy) const { return side_ == 0 ? table_.learner_[copy] : 1U - table_.learner_[copy]; }

    Seating& table_;
    uint32_t side_;
    std::vector<uint32_t> members_;
    std::vector<const char*> columns_;
    spar_agent_spec spec_{};
    rollout::AgentPort port_;
  };

  void seat(uint64_t copy);

  rollout::Environment& environment_;
  Philox random_;
  std::vector<uint8_t> learner_;  ///< by copy: the agent that it is
  std::vector<uint8_t> again_;    ///< by copy: does the next episode complete a pair?
  std::array<Side, 2> sides_;
};

}  // namespace spar::league
