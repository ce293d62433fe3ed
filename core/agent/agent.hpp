// spar::Agent: a learning agent for programs that bring a loop and a simulator of their own. Any algorithm plugin, and
// the same engine as `spar train`: the same calls in the same order give the same parameters, bit for bit.
//
//   spar::Plugins plugins;
//   const spar::Spaces spaces{spar::Space::box(4, -10, 10), spar::Space::discrete(2)};
//   auto agent = spar::Agent::create(plugins, "dqn", spaces, "lr = 1e-3", {.steps = 50'000});
//   const int64_t action = agent.act(obs).discrete[0];
//   agent.step({.obs = obs, .action = std::span(&action, 1), .reward = r, .next_obs = next, .terminated = over});
//
// Every call throws spar::Error: one sentence with place, expected and found. A refused call changes nothing. One agent
// is for one thread. share/doc/agent.md has a line for every function.
#pragma once

#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/agent/batch.hpp"
#include "core/agent/numbers.hpp"
#include "core/agent/options.hpp"
#include "core/checkpoint/container.hpp"
#include "core/params/store.hpp"
#include "core/train/metrics.hpp"
#include "core/train/plugins.hpp"
#include "core/train/recorder.hpp"
#include "spar/space.hpp"

namespace spar {

/// What the agent sees and does; see spar/space.hpp: box (bounds may differ by dimension and be infinite), image,
/// discrete.
struct Spaces {
  Space observation, action;
  bool masked = false;  ///< every observation comes with a mask: which of the Discrete actions are allowed then
};

struct AgentSettings {
  /// Transitions of the whole training: what schedules (epsilon, beta, a learning rate) are a share of. Left out,
  /// algorithms with schedules refuse to be made.
  std::optional<uint64_t> steps = std::nullopt;
  uint64_t seed = 1;
  uint64_t copies = 1;                   ///< of the simulator, stepped together: rows of step()
  uint64_t max_rows = 0;                 ///< most rows of one act(); at least `copies`
  std::string name = "agent_0";          ///< names its random streams
  std::string strategy = "independent";  ///< decides when learning is due, as in [strategy]
  uint32_t threads = 1;  ///< that may share out large products; they change no number and are no part of a state
};

enum class Mode {
  explore,  ///< for training: the algorithm's exploration; uniform actions during its warm-up
  greedy,   ///< the best known action; draws nothing and changes nothing
  sample    ///< the policy's own distribution without further exploration
};

struct ActOptions {
  Mode mode = Mode::explore;
  double epsilon = std::numeric_limits<double>::quiet_NaN();  ///< NaN: the algorithm's own schedule
  Numbers mask = {};  ///< uint8 [rows, n], 0 = forbidden, at least one allowed; where the spaces are masked
};

/// One row per observation, in the units of the environment. Valid until the next act() and while the agent is not
/// moved.
struct Actions {
  std::span<const int64_t> discrete;  ///< [rows]; empty for a Box
  std::span<const float> box;         ///< [rows, width], clamped and mapped to [low, high]; empty for Discrete

  operator Numbers() const { return box.empty() ? Numbers(discrete) : Numbers(box); }
};

/// One step of one copy. A time limit is `truncated`: the value of next_obs, the true last observation, still counts.
struct Transition {
  Numbers obs, action;
  float reward = 0;
  Numbers next_obs;
  bool terminated = false, truncated = false;
  Numbers mask = {}, next_mask = {};  ///< of obs and of next_obs, where the spaces are masked
};

/// One step of all copies; row i belongs to copy i.
struct Transitions {
  Numbers obs, action;
  std::span<const float> reward;
  Numbers next_obs;
  std::span<const uint8_t> terminated, truncated;  ///< truncated may be empty
  Numbers mask = {}, next_mask = {};               ///< uint8 [copies, n]; next_mask may be all 0 where terminated
};

/// A state is a checkpoint (core/checkpoint/container.hpp): data with a checksum over every byte.
using AgentState = checkpoint::Checkpoint;
using BufferState = checkpoint::Checkpoint;
/// Named tensors: core/nn/names.hpp.
using NetworkState = std::vector<params::Tensor>;

using MetricsSink = std::function<void(uint64_t step, const std::vector<train::Metrics::Value>& values)>;
/// Writes to metrics.jsonl and to TensorBoard's event file. The recorder outlives the sink.
MetricsSink sink_to(train::Recorder& recorder);

struct NetworkInfo {
  std::string name;
  std::string shape;  ///< "[4, 64, 64, 2] relu"
  size_t parameters = 0;
};

class Agent {
 public:
  /// `algorithm`: id, short id or a unique beginning. Throws what the registry throws for unknown ones (E0110 ..), what
  /// `spar train` throws for options (E0203 ..), E0702 if the algorithm cannot serve spaces, options or settings, and
  /// E0705 for actions that are neither Discrete nor Box and for masks that the algorithm does not honour.
  static Agent create(Plugins& plugins, std::string_view algorithm, const Spaces& spaces,
                      const AgentOptions& options = {}, const AgentSettings& settings = {});
  /// An agent from a state alone: algorithm, spaces, options and settings are part of it. Throws E0502 and E0503 for
  /// files that are damaged or cannot be read, E1004 for what is not the state of an agent.
  static Agent from_state(Plugins& plugins, const AgentState& state);
  static Agent from_state(Plugins& plugins, const std::filesystem::path& file);

  Agent(Agent&&) noexcept;
  Agent& operator=(Agent&&) noexcept;
  ~Agent();

  /// obs: [rows, shape of the observation], 1 to max_rows rows; exploring, row i is copy i. Throws E1001.
  Actions act(const Numbers& obs, const ActOptions& options = {});
  /// Stores one transition of every copy and learns if that is due; returns how many updates were made. An action that
  /// is bitwise what act() gave last counts as that choice; any other is mapped to the algorithm's units. Throws E1001,
  /// and E0302 if a metric is not finite any more.
  uint64_t step(const Transition& transition);
  uint64_t step(const Transitions& transitions);
  /// One update (on-policy: one phase) on this batch. The memory stays as it is. Throws E1001, E1002, E1003 and E0302.
  void learn(const TransitionBatch& batch);
  /// A learning phase now, on what the memory holds; returns how many updates were made. Throws E1003 if it holds less
  /// than the algorithm needs.
  uint64_t train();

  /// What learn() would minimise on this batch; nothing changes. Throws E1001, E1002, and E1003 if the algorithm has
  /// none.
  double compute_policy_loss(const TransitionBatch& batch);
  double compute_value_loss(const TransitionBatch& batch);

  /// Everything: networks, optimiser, memory with priorities and open windows, schedules, generators, counts.
  AgentState get_state() const;
  /// Into this agent; algorithm, spaces, options and settings must be the same. Throws E0501, E0502, E0503 and E1004.
  void load_state(const AgentState& state);
  void load_state(const std::filesystem::path& file);
  /// Durably: afterwards there is either the old file or the new one. Throws E0504, and E0302 if there is nothing good
  /// to save.
  void save_state(const std::filesystem::path& file) const;

  NetworkState get_network_state() const { return state_dict(); }
  /// Values of all networks; optimiser and memory stay. Throws E1004.
  void set_network(const NetworkState& state);
  BufferState get_buffer() const;
  /// Throws E0805 and E1004.
  void set_buffer(const BufferState& state);
  void save_buffer(const std::filesystem::path& file) const;
  void load_buffer(const std::filesystem::path& file);

  /// Named tensors, weight [out, in] and bias [out] of every layer, networks in the order in which the algorithm makes
  /// them.
  NetworkState state_dict() const;

  /// Drops what does not belong to learning: running episodes, open n-step windows and segments.
  void reset();
  /// Everything as create() left it.
  void reset_agent();

  /// Hands the metrics since the last call to `sink`. full_log: also counts, and the norm of every network.
  void log_metrics(const MetricsSink& sink, uint64_t step, bool full_log = false);

  const std::string& algorithm() const;        ///< full id
  std::map<std::string, double> loss() const;  ///< newest value of every metric "loss/..."
  std::optional<double> alpha() const;         ///< entropy temperature; none if the algorithm has none
  std::vector<NetworkInfo> model() const;
  const Space& obs_space() const;
  const Space& action_space() const;
  std::vector<double> action_min() const, action_max() const;  ///< of a Box per dimension; Discrete: 0 and n - 1
  /// Where the networks live: "cpu" with the host's own kernels; on a backend what it was asked for: "cpu", "cuda", or
  /// "auto", which is the best that the backend finds.
  std::string device() const;
  const config::Options& hparams() const;  ///< all options; options_json() makes text of them
  const AgentSettings& settings() const;
  const std::vector<std::string>& warnings() const;  ///< of create(): deprecated options

  uint64_t env_steps() const;             ///< transitions stored
  uint64_t updates() const;               ///< calls of the algorithm's learn()
  uint64_t buffer_rows() const;           ///< transitions in memory, n-step windows closed
  std::string parameters_sha256() const;  ///< as a run's summary has it

 private:
  struct Parts;
  explicit Agent(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace spar
