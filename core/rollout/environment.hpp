// N copies of an environment plugin: its columns, its calls, its state. Dynamics only; who resets and who counts time
// is the worker's business. The copies may belong to several instances of the plugin, its shards, which step at the
// same time.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/base/crew.hpp"
#include "core/plugin/context.hpp"
#include "core/rollout/batch.hpp"
#include "core/rollout/space.hpp"

namespace spar::rollout {

/// One agent of the environment: its spaces and the host's columns for it.
struct AgentPort {
  std::string id;
  Space observation, action;
  std::vector<Leaf> leaves;               ///< of the observation, one column each
  const spar_agent_spec* spec = nullptr;  ///< the plugin's own, alive as long as the environment

  std::unique_ptr<Batch> in;   ///< "action", in the environment's own units
  std::unique_ptr<Batch> out;  ///< the leaves first, then reward, terminated and what else the agent fills
  size_t reward = 0, terminated = 0;
  int truncated = -1, mask = -1, acting = -1;  ///< index of the column, -1 if the agent does not fill it
  std::vector<size_t> observed;                ///< columns known before and after a step: the leaves, then the mask

  /// The action masks of all copies, u8 [copies, n]; nullptr if every action is always allowed.
  const uint8_t* masks() const { return mask >= 0 ? out->data<uint8_t>(static_cast<size_t>(mask)) : nullptr; }
  /// Has the episode of a copy ended by the environment's own word?
  bool over(uint64_t copy) const {
    return out->data<uint8_t>(terminated)[copy] != 0 ||
           (truncated >= 0 && out->data<uint8_t>(static_cast<size_t>(truncated))[copy] != 0);
  }
  /// In a turn-based game the agent moves only where its column "acting" says so.
  bool turn_based() const { return acting >= 0; }
  bool acts(uint64_t copy) const { return !turn_based() || out->data<uint8_t>(static_cast<size_t>(acting))[copy] != 0; }
};

/// The host's columns for `rows` rows of an agent. `spec` outlives the port; `owner` is named in messages. Throws E0703
/// or E0705 for spaces and columns that cannot be served.
AgentPort make_port(const spar_agent_spec& spec, const std::string& owner, uint64_t rows);

/// How many instances share the copies, 1 to their number, and the threads that step them; nullptr: they step in turn,
/// with the same result. Instance i > 0 has the stream STREAM/i; where all randomness comes from the seeds of the
/// copies, as with the SDK's wrapper, their number changes nothing.
struct Shards {
  uint64_t number = 1;
  Crew* crew = nullptr;
};

class Environment {
 public:
  /// `name` for messages ("environment `CartPole-v1`"); `config` as the component's schema orders it.
  Environment(const spar_host& host, const spar_component& component, const spar_config& config, uint64_t copies,
              uint64_t root_seed, const std::string& stream, Shards shards = {});
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  const std::string& name() const { return name_; }
  uint64_t copies() const { return copies_; }
  uint64_t memory_bytes() const { return made_bytes_; }  ///< copies and columns
  uint64_t time_limit() const { return world_.time_limit; }
  const spar_world& world() const { return world_; }
  std::vector<AgentPort>& agents() { return agents_; }
  const std::vector<AgentPort>& agents() const { return agents_; }

  /// mask: one byte per copy, nullptr = all; seeds: one per copy, nullptr = the generators go on. Fills the
  /// observations.
  void reset(const uint8_t* mask, const uint64_t* seeds);
  /// Reads "action" and fills observation, reward and flags of every copy. Both throw E0704 on a number that is not
  /// finite, and E0710 on a mask that leaves a copy without any action while its episode goes on.
  void step();

  /// The space of the central state (spar_world.state); nullptr if the environment has none.
  const Space* central_space() const { return central_space_ ? &*central_space_ : nullptr; }
  /// From the next reset on the central state of every copy is asked for. Only of a Box of float32.
  void show_central_state();
  /// f32 [copies, width], after a reset or a step; nullptr unless it is shown.
  const std::byte* central_state() const { return shared_ ? shared_->bytes(0) : nullptr; }

  bool has_tree() const { return tree_ != nullptr; }
  /// Of a game with a tree (SPAR_EXT_ENV_TREE): what `agent` knows in `copy`, as the bytes of its information set.
  /// Throws E1101 if there is no tree.
  void infoset(uint64_t copy, size_t agent, std::string& key) const;

  /// Can positions be written for people (SPAR_EXT_ENV_TEXT)?
  bool has_text() const { return text_ != nullptr; }
  /// What `agent` sees in `copy`, in printable lines.
  std::string text(uint64_t copy, size_t agent) const;
  /// What an action of `agent` is called there, printable; "" if it has no name.
  std::string action_name(uint64_t copy, size_t agent, int64_t action) const;

  /// Can every copy be saved and restored exactly?
  bool has_state() const { return state_ != nullptr; }
  void save(ByteWriter& writer) const;
  void load(ByteReader& reader);

 private:
  void check_finite(bool rewards) const;
  void check_masks(const uint8_t* rows, bool may_have_ended) const;

  std::string name_;
  /// One instance of the plugin and its copies [first, first + copies).
  struct Shard {
    uint64_t first, copies;
    spar_ctx ctx;
    spar_env* self = nullptr;
    std::vector<Batch::Rows> in, out;  ///< by agent: its rows of the host's columns
    std::vector<const spar_batch*> actions;
    std::vector<spar_batch*> outcomes;
    Batch::Rows shared;
    spar_batch* state = nullptr;  ///< its rows of the central state; null: nobody asks for it
  };

  void make(Shard& shard, const spar_host& host, const spar_config& config, uint64_t root_seed,
            const std::string& stream);
  void destroy();
  /// call(shard) for each, on the crew's threads.
  template <class Call>
  void each_shard(Call&& call) {
    if (crew_ != nullptr && shards_.size() > 1) return crew_->run(shards_.size(), [&](size_t i) { call(shards_[i]); });
    for (Shard& shard : shards_) call(shard);
  }
  const Shard& shard_of(uint64_t copy) const;

  uint64_t copies_;
  uint64_t made_bytes_ = 0;
  Crew* crew_;
  const spar_env_vtbl* table_;
  std::vector<Shard> shards_;
  spar_world world_{};
  const spar_ext_env_state* state_ = nullptr;
  const spar_ext_env_tree* tree_ = nullptr;
  const spar_ext_env_text* text_ = nullptr;
  std::vector<AgentPort> agents_;
  std::optional<Space> central_space_;
  std::unique_ptr<Batch> shared_;
};

}  // namespace spar::rollout
