#include "core/rollout/environment.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/base/memory.hpp"
#include "core/base/text.hpp"
#include "core/rollout/actions.hpp"
#include "core/rollout/plugin_call.hpp"
#include "core/rollout/streams.hpp"
#include "core/rollout/tree.hpp"

namespace spar::rollout {
namespace {

/// Is any of the n numbers not finite? Those have all bits of the exponent; comparing integers vectorises, where a sum
/// of floats must be taken one after the other.
bool any_not_finite(const float* x, size_t n) {
  constexpr uint32_t kExponent = 0x7f800000;
  uint32_t any = 0;
  for (size_t i = 0; i < n; ++i) any |= (std::bit_cast<uint32_t>(x[i]) & kExponent) == kExponent ? 1U : 0U;
  return any != 0;
}

std::string label(const spar_component& component) { return std::string("environment `") + component.id + "`"; }

}  // namespace

AgentPort make_port(const spar_agent_spec& spec, const std::string& owner, uint64_t copies) {
  AgentPort port;
  port.id = spec.id;
  port.spec = &spec;
  port.observation = copy_space(*spec.obs, owner + ", agent `" + port.id + "`,");
  port.action = copy_space(*spec.act, owner + ", agent `" + port.id + "`,");
  port.leaves = observation_leaves(port.observation);

  port.in = std::make_unique<Batch>(copies);
  if (port.action.kind != SPAR_SPACE_DISCRETE && port.action.kind != SPAR_SPACE_BOX) {
    throw Error("E0705", Exit::usage,
                owner + ", agent `" + port.id + "`: actions of " + port.action.name() +
                    " are not offered yet; expected Discrete or Box");
  }
  add_action_column(*port.in, port.action);

  port.out = std::make_unique<Batch>(copies);
  for (const Leaf& leaf : port.leaves)
    port.observed.push_back(port.out->add(leaf.column, leaf.code, leaf.bits, leaf.shape));
  port.reward = port.out->add("reward", SPAR_DTYPE_FLOAT, 32, {});
  port.terminated = port.out->add("terminated", SPAR_DTYPE_UINT, 8, {});
  for (uint32_t i = 0; i < spec.n_columns; ++i) {
    const std::string column = spec.columns[i];
    if (column == "truncated") {
      port.truncated = static_cast<int>(port.out->add(column, SPAR_DTYPE_UINT, 8, {}));
    } else if (column == "action_mask") {
      if (port.action.kind != SPAR_SPACE_DISCRETE) {
        throw Error("E0703", Exit::crash,
                    owner + ", agent `" + port.id + "`: masks of " + port.action.name() +
                        " actions have no meaning; expected Discrete");
      }
      port.observed.push_back(port.out->add(column, SPAR_DTYPE_UINT, 8, {port.action.n}));
      port.mask = static_cast<int>(port.observed.back());
    } else if (column == "acting") {
      port.acting = static_cast<int>(port.out->add(column, SPAR_DTYPE_UINT, 8, {}));
    } else if (column.rfind("metric.", 0) != 0) {
      throw Error("E0705", Exit::usage,
                  owner + ", agent `" + port.id + "`: the column `" + column + "` is not offered yet")
          .help("use an environment without this column");
    }
  }
  return port;
}

Environment::Environment(const spar_host& host, const spar_component& component, const spar_config& config,
                         uint64_t copies, uint64_t root_seed, const std::string& stream, Shards shards)
    : name_(label(component)),
      copies_(copies),
      crew_(shards.crew),
      table_(static_cast<const spar_env_vtbl*>(component.vtbl)),
      shards_(shards.number) {
  const uint64_t before = allocated_memory();
  try {
    for (uint64_t i = 0; i < shards.number; ++i) {
      shards_[i].first = copies * i / shards.number;
      shards_[i].copies = copies * (i + 1) / shards.number - shards_[i].first;
      make(shards_[i], host, config, root_seed, i == 0 ? stream : stream + "/" + std::to_string(i));
    }
    spar_env* const first = shards_.front().self;
    world_.struct_size = sizeof world_;
    call_plugin(name_, "describe", [&](spar_error* e) { return table_->describe(first, &world_, e); });
    if (world_.n_agents < 1) throw Error("E0703", Exit::crash, name_ + " describes a world without agents");
    if (table_->get_extension) {
      state_ = static_cast<const spar_ext_env_state*>(table_->get_extension(first, SPAR_EXT_ENV_STATE));
      tree_ = static_cast<const spar_ext_env_tree*>(table_->get_extension(first, SPAR_EXT_ENV_TREE));
      text_ = static_cast<const spar_ext_env_text*>(table_->get_extension(first, SPAR_EXT_ENV_TEXT));
      if (text_ && !SPAR_HAS(text_, spar_ext_env_text, position)) text_ = nullptr;
    }
    for (uint32_t i = 0; i < world_.n_agents; ++i) agents_.push_back(make_port(*world_.agents[i], name_, copies));
    if (world_.state) central_space_ = copy_space(*world_.state, name_ + ", central state,");
    for (Shard& shard : shards_) {
      shard.in.resize(agents_.size());
      shard.out.resize(agents_.size());
      for (size_t i = 0; i < agents_.size(); ++i) {
        shard.actions.push_back(agents_[i].in->rows(shard.first, shard.copies, nullptr, shard.in[i]));
        shard.outcomes.push_back(agents_[i].out->rows(shard.first, shard.copies, nullptr, shard.out[i]));
      }
    }
    made_bytes_ = allocated_since(before);
  } catch (...) {
    destroy();
    throw;
  }
}

Environment::~Environment() { destroy(); }

void Environment::make(Shard& shard, const spar_host& host, const spar_config& config, uint64_t root_seed,
                       const std::string& stream) {
  shard.ctx.name = stream;
  shard.ctx.root_seed = root_seed;
  shard.ctx.random = Philox(root_seed, stream);
  call_plugin(name_, "create",
              [&](spar_error* e) { return table_->create(&host, &shard.ctx, &config, shard.copies, &shard.self, e); });
}

void Environment::destroy() {
  for (Shard& shard : shards_)
    if (shard.self != nullptr) table_->destroy(shard.self);
}

void Environment::reset(const uint8_t* mask, const uint64_t* seeds) {
  each_shard([&](Shard& shard) {
    const uint8_t* wanted = mask ? mask + shard.first : nullptr;
    if (wanted && std::all_of(wanted, wanted + shard.copies, [](uint8_t w) { return w == 0; })) return;
    spar_env_io io{sizeof(spar_env_io), world_.n_agents, nullptr, shard.outcomes.data(), shard.state};
    call_plugin(name_, "reset", [&](spar_error* e) {
      return table_->reset(shard.self, wanted, seeds ? seeds + shard.first : nullptr, &io, e);
    });
  });
  check_finite(false);
  check_masks(mask, false);
}

void Environment::step() {
  each_shard([&](Shard& shard) {
    spar_env_io io{sizeof(spar_env_io), world_.n_agents, shard.actions.data(), shard.outcomes.data(), shard.state};
    call_plugin(name_, "step", [&](spar_error* e) { return table_->step(shard.self, &io, e); });
  });
  check_finite(true);
  check_masks(nullptr, true);
}

void Environment::show_central_state() {
  if (shared_) return;
  shared_ = std::make_unique<Batch>(copies_);
  shared_->add("state", central_space_->code, central_space_->bits, central_space_->shape);
  for (Shard& shard : shards_) shard.state = shared_->rows(shard.first, shard.copies, nullptr, shard.shared);
}

const Environment::Shard& Environment::shard_of(uint64_t copy) const {
  return *std::find_if(shards_.begin(), shards_.end(), [&](const Shard& s) { return copy < s.first + s.copies; });
}

void Environment::infoset(uint64_t copy, size_t agent, std::string& key) const {
  if (!tree_) throw Error("E1101", Exit::usage, name_ + " has no game tree (" SPAR_EXT_ENV_TREE ")");
  const Shard& shard = shard_of(copy);
  read_infoset(name_, *tree_, shard.self, copy - shard.first, agent, key);
}

std::string Environment::text(uint64_t copy, size_t agent) const {
  const Shard& shard = shard_of(copy);
  OutStream stream;
  call_plugin(name_, "text.position", [&](spar_error* e) {
    return text_->position(shard.self, copy - shard.first, static_cast<uint32_t>(agent), stream.abi(), e);
  });
  const std::string all = stream.text();
  std::string out;
  for (size_t at = 0; at < all.size();) {
    const size_t end = std::min(all.find('\n', at), all.size());
    out += printable(all.substr(at, end - at)) + "\n";
    at = end + 1;
  }
  return out;
}

std::string Environment::action_name(uint64_t copy, size_t agent, int64_t action) const {
  if (!SPAR_HAS(text_, spar_ext_env_text, action)) return "";
  const Shard& shard = shard_of(copy);
  OutStream stream;
  call_plugin(name_, "text.action", [&](spar_error* e) {
    return text_->action(shard.self, copy - shard.first, static_cast<uint32_t>(agent), action, stream.abi(), e);
  });
  return printable(stream.text());
}

/// rows: one byte per copy, nullptr = all. Where an episode has ended, and for an agent that is not to move, nothing
/// needs to be allowed.
void Environment::check_masks(const uint8_t* rows, bool may_have_ended) const {
  for (const AgentPort& agent : agents_) {
    const uint8_t* masks = agent.masks();
    if (!masks) continue;
    const auto* terminated = agent.out->data<uint8_t>(agent.terminated);
    const auto n = static_cast<size_t>(agent.action.n);
    for (uint64_t copy = 0; copy < copies_; ++copy) {
      if ((rows && !rows[copy]) || (may_have_ended && terminated[copy]) || !agent.acts(copy)) continue;
      const uint8_t* allowed = masks + copy * n;
      if (std::all_of(allowed, allowed + n, [](uint8_t a) { return a == 0; })) {
        throw Error("E0710", Exit::crash,
                    name_ + " allows agent `" + agent.id + "` no action in copy " + std::to_string(copy) +
                        ": its action_mask is all 0, expected at least one action until the episode ends");
      }
    }
  }
}

void Environment::check_finite(bool rewards) const {
  for (const AgentPort& agent : agents_) {
    if (rewards && any_not_finite(agent.out->data<float>(agent.reward), copies_)) {
      throw Error("E0704", Exit::crash, name_ + " gave agent `" + agent.id + "` a reward that is not finite");
    }
    for (size_t i = 0; i < agent.leaves.size(); ++i) {
      if (agent.leaves[i].code != SPAR_DTYPE_FLOAT || agent.leaves[i].bits != 32) continue;
      if (any_not_finite(agent.out->data<float>(i), copies_ * agent.out->row_bytes(i) / sizeof(float))) {
        throw Error("E0704", Exit::crash,
                    name_ + " gave agent `" + agent.id + "` an observation `" + agent.leaves[i].column +
                        "` that is not finite");
      }
    }
  }
  if (shared_ && any_not_finite(shared_->data<float>(0), copies_ * shared_->row_bytes(0) / sizeof(float)))
    throw Error("E0704", Exit::crash, name_ + " gave a central state that is not finite");
}

void Environment::save(ByteWriter& writer) const {
  writer.put<uint64_t>(copies_);
  for (uint64_t row = 0; row < copies_; ++row) {
    OutStream stream;
    const Shard& shard = shard_of(row);
    call_plugin(name_, "state.save",
                [&](spar_error* e) { return state_->save(shard.self, row - shard.first, stream.abi(), e); });
    writer.array<std::byte>(stream.bytes);
  }
}

void Environment::load(ByteReader& reader) {
  const auto saved = reader.get<uint64_t>();
  if (saved != copies_) {
    throw Error("E0502", Exit::failed,
                "the checkpoint holds " + std::to_string(saved) + " copies of " + name_ + ", the run has " +
                    std::to_string(copies_));
  }
  for (uint64_t row = 0; row < copies_; ++row) {
    InStream stream(reader.vector<std::byte>());
    const Shard& shard = shard_of(row);
    call_plugin(name_, "state.load",
                [&](spar_error* e) { return state_->load(shard.self, row - shard.first, stream.abi(), e); });
  }
}

}  // namespace spar::rollout
