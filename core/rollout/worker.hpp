// The rollout worker: steps all copies of an environment with the learners' actions and hands what happened to their
// memories.
#pragma once

#include <memory>
#include <vector>

#include "core/base/profile.hpp"
#include "core/rollout/participant.hpp"
#include "core/rollout/step_log.hpp"
#include "core/rollout/turns.hpp"

namespace spar::rollout {

/// A finished training episode of one agent, or of several that play as one.
struct Episode {
  size_t agent;           ///< of several the first
  uint64_t lane;          ///< copy of the environment
  double episode_return;  ///< undiscounted sum of raw rewards
  uint64_t length;        ///< steps
};

class Worker {
 public:
  /// participants[i] acts for agents()[i] of the environment, and learns from it if it is a learner; joined agents are
  /// played by the same one. All references outlive the worker. `time_limit`: steps per episode, 0 = none. `beside`:
  /// step() may be called while the learners learn: their actors act, and what happens is kept until settle().
  Worker(Environment& environment, std::vector<Participant> participants, uint64_t time_limit, uint64_t root_seed,
         bool beside = false);

  /// Starts every copy afresh: copy i with seed `first_seed` + i.
  void start(uint64_t first_seed);

  /// One step of all copies. Only the first `most` copies count, so that a step budget is met exactly; returns how many
  /// did. `env_steps`: transitions of one agent so far. After a few calls nothing allocates.
  uint64_t step(uint64_t env_steps, uint64_t most);

  /// Beside learners: from here to settle() several steps may be taken while they learn.
  void begin_round();
  /// Beside learners: gives them what happened since the last call. To be called before anything is saved.
  void settle();

  /// The episodes that ended with the last step, or in the last round, in copies that count; by step, copy, learner,
  /// agent.
  const std::vector<Episode>& finished() const { return finished_; }

  /// Steps are timed from now on, one in Profile::kStride.
  void time(Profile* profile) { profile_ = profile; }

  /// Opponents are not part of it.
  void save(ByteWriter& writer) const;
  void load(ByteReader& reader);

 private:
  /// By lane: whether the step just taken ended an episode, and whether the next one starts one.
  struct Flags {
    std::vector<uint8_t> terminated, truncated, ended, first;
    void assign(uint64_t lanes);
  };

  /// The seat of one agent at the table, or of joined ones. Its rows are lanes: one of each copy, or more.
  struct Seat {
    Learner* learner = nullptr;    ///< null: an opponent sits here
    Opponent* opponent = nullptr;  ///< null: a learner
    PortView* joined = nullptr;    ///< null: one agent
    AgentPort* port = nullptr;
    std::vector<size_t> agents;  ///< whose episodes the rows of a copy are
    uint64_t rows_per_copy = 1;
    std::vector<uint64_t> lanes;              ///< 0, 1, ..
    std::unique_ptr<Batch> seen;              ///< leaves, "first" and mask: what the algorithm sees, transformed
    std::vector<const std::byte*> sources;    ///< like AgentPort::observed, then the central state if it is kept here
    std::vector<std::vector<std::byte>> obs;  ///< like sources: the current one of every lane, raw
    std::unique_ptr<Batch> actions;           ///< in the algorithm's units
    std::vector<double> returns;              ///< of the running episode of each lane
    StepView step;                            ///< of this seat: where its columns lie
    std::unique_ptr<Turns> turns;             ///< null: the agent moves in every step
    std::unique_ptr<StepLog> log;             ///< null: the learner takes everything at once
    const Flags* flags = nullptr;             ///< of the lanes: the worker's own where those are the copies
    std::unique_ptr<Flags> spread;            ///< else these

    /// The lanes in which there is a move to make.
    const std::vector<uint64_t>& moving() const { return turns ? turns->moving() : lanes; }
    /// Of the current observations, u8 [lanes, n]; nullptr if every action is always allowed.
    const uint8_t* masks() const {
      return port->mask >= 0 ? reinterpret_cast<const uint8_t*>(obs[port->leaves.size()].data()) : nullptr;
    }
  };

  Seat make_seat(const Participant& participant, size_t agent, bool beside);
  void choose(Seat& seat, uint64_t env_steps);
  void ask_learner(Seat& seat, uint64_t env_steps, const std::vector<uint64_t>& lanes);
  void send(Seat& seat);
  void judge_ends();
  void reset_ended();
  void spread_flags();
  void store(Seat& seat, uint64_t counted);
  void finish_episodes(uint64_t counted);
  void observe(Seat& seat);
  void begin_episodes();

  Environment& environment_;
  uint64_t time_limit_;
  Philox warm_up_;
  std::vector<Seat> seats_;
  std::vector<uint64_t> lengths_;  ///< steps of the running episode of each copy
  Flags flags_;                    ///< of the copies
  std::vector<Episode> finished_;
  bool in_round_ = false;
  Profile* profile_ = nullptr;
};

}  // namespace spar::rollout
