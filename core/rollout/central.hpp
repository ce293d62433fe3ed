// A team whose agents learn each by itself, with critics that see all of them (centralised training, decentralised
// execution; Lowe et al., "Multi-agent actor-critic for mixed cooperative-competitive environments", 2017): what the
// host adds to the rows that one of them samples.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/rng/philox.hpp"
#include "core/rollout/environment.hpp"
#include "spar/space.hpp"

namespace spar::rollout {

class Learner;
class Central;
struct Asked;

/// The rows of a target policy that are asked for together, at most.
inline constexpr uint64_t kTargetsTogether = 256;

/// The place of one agent in its team; what spar_ctx::central of its learner points to.
class CentralSeat {
 public:
  CentralSeat(Central& team, size_t member, Philox random) : team_(team), member_(member), random_(random) {}
  CentralSeat(const CentralSeat&) = delete;
  CentralSeat& operator=(const CentralSeat&) = delete;

  const spar_space* state() const;
  uint64_t joint_width() const;
  uint64_t own_offset() const;  ///< of its action in the joint one
  /// Is the central state, which the environment gives, kept in this agent's memory?
  bool keeps_state() const;

  /// Called once, by the learner that plays the agent. Throws E0808 if its memory is not made like those of the others.
  void sit(Learner& learner);

  /// After a reset or a step, where agents say when they move. Throws E0310 unless this one moves in the same copies as
  /// the first of its team.
  void check_moves() const;
  /// Adds the central columns to what the learner has sampled, transforms applied. Throws E0808 if the memories of the
  /// team do not hold the same steps.
  void join(spar_batch& sample);
  /// What was added is not looked at any more.
  void release(const void* token);

  /// Draws of the others' target policies for this agent's samples.
  Philox& random() { return random_; }
  const Philox& random() const { return random_; }
  /// What is in use for samples of so many rows.
  uint64_t bytes_with(uint64_t rows) const;

 private:
  /// What was added to one sample.
  struct Added {
    const void* token = nullptr;  ///< of the sample; null: free
    std::vector<float> state, next_state, joint, next_joint;
    std::vector<spar_column> columns;
    std::vector<std::vector<int64_t>> shapes;
  };
  Added& lend(const spar_batch& sample);
  void show(Added& added, spar_batch& sample) const;

  Central& team_;
  size_t member_;
  Philox random_;
  std::deque<Added> added_;
};

/// The columns, besides those of every sample (f32):
///   state, next_state    what the environment gives as central state, raw; if it gives none, the observations of all
///                        members one after the other, each as its own learner sees it. A replay's next_state, too, is
///                        that after the whole window
///   joint_action         of a replay: the actions of all members one after the other, as they were stored; Discrete
///                        ones as one-hot vectors
///   next_joint_action    of a replay: what the target policies (SPAR_MODE_TARGET) of the other members do in their
///   next
///                        observations of the same rows; the place of its own action is 0 and for the algorithm to
///                        fill, which is in its learn() then
/// A rollout has the states alone: its algorithm has no target policies.
class Central {
 public:
  /// `members`: agents of `environment`, in this order. The environment outlives it. Each seat has the stream
  /// "central/AGENT". Throws E0310 if a critic cannot see all of them.
  Central(Environment& environment, const std::vector<uint32_t>& members, uint64_t root_seed);
  ~Central();
  Central(const Central&) = delete;
  Central& operator=(const Central&) = delete;

  CentralSeat& seat(size_t member) { return seats_[member]; }
  size_t size() const { return members_.size(); }

  /// One update of every member, in their order; rollouts are emptied when all have learnt from them.
  void learn(uint64_t step);

 private:
  friend class CentralSeat;

  /// Rows of one member, compact.
  struct Rows {
    float *obs, *next_obs;
    const std::byte* action;
  };
  struct Member {
    const AgentPort* port = nullptr;
    Learner* learner = nullptr;
    uint64_t obs_width = 0, action_width = 0, obs_offset = 0, action_offset = 0;
    std::vector<float> obs;           ///< of the sampled rows
    std::vector<std::byte> action;    ///< what it did there
    std::unique_ptr<Asked> next;      ///< its next observations, and what its target policy does there
    std::vector<std::byte*> columns;  ///< by field of its memory: where it is copied to
  };

  [[noreturn]] void refuse(const std::string& found, const std::string& expected) const;
  void check() const;
  void describe_state(Environment& environment);
  void make_room(Member& member, uint64_t rows);
  Rows fetch(Member& member, std::span<const uint64_t> places);
  void fetch_state(std::span<const uint64_t> places, float* state, float* next_state);
  void check_aligned(const Learner& with) const;

  const std::string owner_;
  uint64_t copies_;
  std::deque<Member> members_;
  std::deque<CentralSeat> seats_;
  std::vector<spar::Space> state_;  ///< one
  bool given_ = false;              ///< the environment gives the state
  uint64_t state_width_ = 0, joint_width_ = 0;
  std::vector<uint64_t> lanes_;            ///< 0, 1, ..
  std::vector<std::byte*> state_columns_;  ///< scratch
};

}  // namespace spar::rollout
