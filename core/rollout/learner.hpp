// A learner: an algorithm instance and all that the host owns for it (networks, memory, generators, transforms).
#pragma once

#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/base/crew.hpp"
#include "core/nn/network_set.hpp"
#include "core/params/store.hpp"
#include "core/plugin/context.hpp"
#include "core/replay/buffer.hpp"
#include "core/rollout/actor.hpp"
#include "core/rollout/backends.hpp"
#include "core/rollout/central.hpp"
#include "core/rollout/environment.hpp"
#include "core/rollout/gradient_workers.hpp"
#include "core/rollout/transform.hpp"

namespace spar::rollout {

/// Adds what an algorithm sees when it acts: the leaves, "first" and, if the agent fills it, "action_mask".
void add_seen_columns(Batch& seen, const AgentPort& agent);
/// Where AgentPort::observed[k] lies among them: "first" is between the leaves and the mask.
inline size_t seen_column(const AgentPort& agent, size_t k) { return k < agent.leaves.size() ? k : k + 1; }

struct LearnerSetup {
  std::string name;  ///< of the group; scope of logs and random streams
  const spar_host* host = nullptr;
  const spar_component* component = nullptr;
  ComponentLoader load;  ///< for backends of networks; none: none is offered
  const spar_config* config = nullptr;
  const AgentPort* agent = nullptr;  ///< must outlive the learner
  uint64_t lanes = 1;                ///< that feed it: environment copies, times the agents that share it
  uint64_t max_rows = 1;             ///< of one act()
  uint64_t root_seed = 0;
  params::Store* params = nullptr;
  train::Metrics* metrics = nullptr;
  const train::Budget* budget = nullptr;
  bool beside = false;             ///< acting goes on while it learns: it has at least one actor
  CentralSeat* central = nullptr;  ///< its place in a team with central critics; null: it has no such critic
  Crew* crew = nullptr;            ///< shares out large products and the calls of parallel actors; null: in turn
  /// Of gradient workers, one for each (core/rollout/gradient_workers.hpp); none: it learns by itself.
  std::vector<train::Metrics*> worker_metrics;
  bool asynchronous = false;   ///< their gradients are applied as they come; only with `beside`
  Permits* permits = nullptr;  ///< how many of all threads work at the same time; null: all
};

/// Observations that a policy is asked about in pieces, and what it does there.
struct Asked {
  /// Of one agent, raw observations of one leaf; no row goes on with what the one before began.
  Asked(const AgentPort& agent, uint64_t rows);
  Batch obs, actions;
  Batch::Rows in, out;  ///< one piece
};

/// One step of all lanes, as the worker sees it. Vectors are indexed like AgentPort::observed, pointers by lane.
struct StepView {
  const uint64_t* lane = nullptr;
  std::vector<const void*> obs, next_obs;  ///< next_obs: the true one, also where an episode ended
  const void* action = nullptr;            ///< in the algorithm's units
  const float* reward = nullptr;           ///< raw
  const uint8_t *terminated = nullptr, *truncated = nullptr, *ended = nullptr;
};

class Learner {
 public:
  /// Throws E0702 if the algorithm refuses the spaces or the options, E0705 if it does not honour the agent's action
  /// masks or has no central critic where one is asked for, E0708 if its needs cannot be served, E0711 if there are
  /// fewer lanes than it wants parallel actors.
  explicit Learner(const LearnerSetup& setup);
  ~Learner();
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;

  const std::string& name() const { return ctx_.name; }
  const std::string& label() const { return label_; }  ///< "algorithm `org.spar.dqn`"
  const AgentPort& agent() const { return *agent_; }
  const spar_needs& needs() const { return needs_; }

  /// obs: columns as add_seen_columns() makes them, `rows` rows of the ascending lanes `lane`; writes actions.
  /// Observations are transformed in place. epsilon: NaN = the algorithm's own schedule. Where there are parallel
  /// actors, they explore, each in its own lanes; on how many threads makes no difference.
  void act(uint32_t mode, uint64_t step, Batch& obs, Batch& actions, uint64_t rows, const uint64_t* lane,
           double epsilon = std::numeric_limits<double>::quiet_NaN());
  /// Explores while another thread calls learn(): the actors act, with what the last refresh_actors() gave them, and
  /// nothing else of the learner is touched. The statistics of these observations are for watch(), later.
  void act_beside(uint64_t step, Batch& obs, Batch& actions, uint64_t rows, const uint64_t* lane);
  /// What the target policy does (SPAR_MODE_TARGET), for the central critic of another learner. Draws come from
  /// `random`, and nothing of this learner changes. asked.obs: transformed already; `lanes`: 0, 1, .. of as many rows
  /// as may be asked about together.
  void act_target(Asked& asked, uint64_t rows, std::span<const uint64_t> lanes, Philox& random);
  /// Transforms raw observations in place (one leaf, f32), as the algorithm sees them.
  void show(float* obs, uint64_t rows) const;
  /// Learns the statistics of observations that the algorithm is not asked about: of the warm-up.
  void watch(const Batch& obs, uint64_t rows);
  /// The same from one array for each leaf.
  void watch(const std::vector<const void*>& leaves, uint64_t rows);
  bool watches() const { return transforms_.observation.active(); }
  /// One update (on-policy: one phase), by all gradient workers together if it has any. With a central critic
  /// after_learn() is to follow, when all of the team have learnt; else it is called at once.
  void learn(uint64_t step);
  /// Empties a rollout.
  void after_learn();
  /// The same on a batch that does not come from the memory, which stays as it is. Columns as sample() gives them,
  /// transforms applied. Throws E1002 if the algorithm asks for another number of rows, E1003 if it does not sample.
  void learn_from(uint64_t step, const spar_batch& batch);
  enum class Loss { policy, value };
  /// The loss of such a batch, without an update; nothing changes. Throws E1002 if the algorithm refuses the batch,
  /// E1003 if it offers no such loss.
  double loss(Loss which, const spar_batch& batch);

  /// One step of all lanes into memory, with the rewards transformed; only the first `rows` lanes count.
  void remember(const StepView& step, uint64_t rows);
  /// The environment was reset from outside: no n-step window, no segment and no return goes on.
  void cut();
  /// Does remember() take the environment's central state, behind the observed columns?
  bool keeps_central_state() const { return buffer_ && ctx_.central && ctx_.central->keeps_state(); }
  /// Throws E0310 where the agents of a team with central critics do not move together.
  void check_moves() const {
    if (ctx_.central) ctx_.central->check_moves();
  }
  uint64_t buffer_rows() const { return buffer_ ? buffer_->size() : 0; }
  replay::Buffer* buffer() { return buffer_.get(); }  ///< nullptr if the algorithm wants none
  const replay::Buffer* buffer() const { return buffer_.get(); }
  const Transforms& transforms() const { return transforms_; }

  /// Parallel actors; none: the learner's own instance explores.
  const std::vector<std::unique_ptr<Actor>>& actors() const { return actors_; }
  /// Those that learn for it; null: it learns by itself.
  GradientWorkers* workers() const { return workers_.get(); }
  /// Gives the actors what was learnt: through the parameter store, under NAME/actors, or, where they act beside the
  /// learner, directly and with the statistics of observations.
  void refresh_actors();

  /// Samples are timed from now on.
  void time(Profile* profile) {
    ctx_.profile = profile;
    if (workers_) workers_->time(profile);
  }

  nn::NetworkSet& networks() { return networks_; }
  const nn::NetworkSet& networks() const { return networks_; }
  /// What it will have in use: networks and all that the algorithm made for itself, its parallel actors, what it
  /// publishes, and the memory with as many transitions as the run has steps for.
  uint64_t memory_bytes() const;
  /// What save() writes, at most.
  uint64_t saved_bytes() const;
  /// One snapshot for the parallel actors in the parameter store.
  uint64_t published_bytes() const;
  /// SHA-256 of what was learnt: the networks, and the algorithm's own state if not all of it lives in them.
  std::string parameters_sha256() const;
  /// All that was learnt, by name: the tensors of the networks (core/rollout/tensors.hpp) and, if the algorithm keeps
  /// parameters of its own, what it saves as the u8 tensor "own_state". What is published.
  std::vector<params::Tensor> named_tensors() const;
  /// The way back. Throws E1004 if names, shapes or numbers do not fit; then nothing has changed.
  void set_named_tensors(std::vector<params::Tensor> tensors);

  /// Everything: networks, memory, generators, transforms, the algorithm's own state.
  void save(ByteWriter& writer) const;
  void load(ByteReader& reader);

  /// The beginning of what save() writes: what acting needs.
  void save_policy(ByteWriter& writer) const;
  /// From the same bytes only what acting needs, which comes first: the networks and the statistics of the transforms,
  /// and the algorithm's own state if not all that it learns lives in networks of the host. Reads no further.
  void load_policy(ByteReader& reader);
  /// The same for one that goes on learning: its gradient workers and its actors have it too.
  void take_policy(ByteReader& reader);

 private:
  void make_actors(const LearnerSetup& setup);
  void check_beside() const;
  void make_workers(const LearnerSetup& setup);
  /// Its memory, if others draw from it.
  std::unique_lock<std::mutex> lock_memory() const;
  void transform(const ObservationTransform& by, Batch& obs, uint64_t rows) const;
  void explore(const spar_act& how, Batch& obs, Batch& actions, uint64_t rows, const uint64_t* lane);
  uint64_t stored_rows() const;  ///< transitions that the memory will hold in the end
  bool learns_outside_networks() const { return !(table_->flags & SPAR_ALGO_HOSTED_NETWORKS); }
  std::vector<std::byte> own_state() const;
  void restore_own_state(std::vector<std::byte> state);

  std::string label_;
  const spar_algo_vtbl* table_;
  const AgentPort* agent_;
  spar_ctx ctx_;
  nn::NetworkSet networks_;
  std::unique_ptr<replay::Buffer> buffer_;
  Transforms transforms_;
  spar_algo* self_ = nullptr;
  spar_needs needs_{};
  std::vector<std::unique_ptr<Actor>> actors_;
  std::unique_ptr<GradientWorkers> workers_;
  std::string actors_key_;  ///< in the parameter store
  bool beside_;
  ObservationTransform acting_;  ///< of actors beside the learner
  Crew* crew_;
  uint64_t made_bytes_ = 0;     ///< by the algorithm when it was created, networks included, and by its actors
  std::vector<float> rewards_;  ///< transformed rewards of the step being stored
};

}  // namespace spar::rollout
