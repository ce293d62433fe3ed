#include <cstring>

#include "support/scripted_parts.hpp"

namespace spar::test {
namespace {

struct EnvInstance {
  ScriptedEnvironment& script;
  std::vector<Moment> now;
  std::vector<spar_agent_spec> specs;
  std::vector<const spar_agent_spec*> pointers;
  std::vector<std::vector<const char*>> columns;
};

EnvInstance& env(spar_env* self) { return *reinterpret_cast<EnvInstance*>(self); }

void write_observations(EnvInstance& e, spar_env_io* io, uint64_t copy) {
  for (uint32_t a = 0; a < io->n_agents; ++a) {
    spar_batch& out = *io->out[a];
    size_t leaf = 0;
    for (uint32_t c = 0; c < out.n_columns; ++c) {
      const std::string_view name(out.columns[c].name.ptr, out.columns[c].name.len);
      if (name != "obs" && !name.starts_with("obs/")) continue;
      const spar_tensor& t = out.columns[c].t;
      size_t width = 1;
      for (int32_t d = 1; d < t.ndim; ++d) width *= static_cast<size_t>(t.shape[d]);
      for (size_t j = 0; j < width; ++j) {
        const float value = e.script.observe(e.now[copy], a, leaf, j);
        const size_t at = copy * width + j;
        if (t.code == SPAR_DTYPE_FLOAT && t.bits == 32) static_cast<float*>(t.data)[at] = value;
        if (t.code == SPAR_DTYPE_INT && t.bits == 64) static_cast<int64_t*>(t.data)[at] = static_cast<int64_t>(value);
        if (t.code == SPAR_DTYPE_UINT && t.bits == 8) static_cast<uint8_t*>(t.data)[at] = static_cast<uint8_t>(value);
      }
      ++leaf;
    }
    if (const spar_column* flag = find_column(out, "acting"))
      static_cast<uint8_t*>(flag->t.data)[copy] = e.script.acts(e.now[copy], a) ? 1 : 0;
    if (const spar_column* mask = find_column(out, "action_mask")) {
      const auto n = static_cast<size_t>(mask->t.shape[1]);
      for (size_t j = 0; j < n; ++j)
        static_cast<uint8_t*>(mask->t.data)[copy * n + j] = e.script.allows(e.now[copy], a, j) ? 1 : 0;
    }
  }
}

void write_central_state(EnvInstance& e, spar_env_io* io, uint64_t copy) {
  const spar_column* state = io->shared ? find_column(*io->shared, "state") : nullptr;
  if (!state) return;
  const uint64_t width = row_width(state->t);
  for (uint64_t j = 0; j < width; ++j)
    static_cast<float*>(state->t.data)[copy * width + j] = e.script.central(e.now[copy], j);
}

template <class T>
T* column(spar_batch& batch, std::string_view wanted) {
  const spar_column* found = find_column(batch, wanted);
  return found ? static_cast<T*>(found->t.data) : nullptr;
}

spar_status env_create(const spar_host*, spar_ctx*, const spar_config* config, uint64_t n, spar_env** out,
                       spar_error* error) {
  auto& script = script_of<ScriptedEnvironment>(config);
  if (const spar_status s = outcome(script, "create", error); s < 0) return s;
  auto* e = new EnvInstance{script, std::vector<Moment>(n), {}, {}, {}};
  for (uint64_t i = 0; i < n; ++i) e->now[i].copy = i;
  for (auto& agent : script.agents) {
    std::vector<const char*> names;
    for (const auto& name : agent.columns) names.push_back(name.c_str());
    e->columns.push_back(std::move(names));
  }
  for (size_t i = 0; i < script.agents.size(); ++i) {
    auto& agent = script.agents[i];
    spar_agent_spec spec{};
    spec.struct_size = sizeof spec;
    spec.id = agent.id.c_str();
    spec.obs = agent.obs_override ? agent.obs_override : agent.obs.abi();
    spec.act = agent.act_override ? agent.act_override : agent.act.abi();
    spec.n_columns = static_cast<uint32_t>(e->columns[i].size());
    spec.columns = e->columns[i].data();
    e->specs.push_back(spec);
  }
  for (const auto& spec : e->specs) e->pointers.push_back(&spec);
  ++script.alive;
  *out = reinterpret_cast<spar_env*>(e);
  return SPAR_OK;
}

void env_destroy(spar_env* self) {
  --env(self).script.alive;
  delete &env(self);
}

spar_status env_describe(spar_env* self, spar_world* out, spar_error* error) {
  EnvInstance& e = env(self);
  if (const spar_status s = outcome(e.script, "describe", error); s < 0) return s;
  spar_world world{};
  world.n_agents = static_cast<uint32_t>(e.pointers.size());
  world.agents = e.pointers.data();
  world.n_envs = e.now.size();
  world.time_limit = e.script.time_limit;
  world.state = e.script.state ? e.script.state->abi() : nullptr;
  SPAR_STORE(out, world);
  return SPAR_OK;
}

spar_status env_reset(spar_env* self, const uint8_t* mask, const uint64_t* seeds, spar_env_io* io, spar_error* error) {
  EnvInstance& e = env(self);
  if (const spar_status s = outcome(e.script, "reset", error); s < 0) return s;
  const size_t n = e.now.size();
  ScriptedEnvironment::Reset record;
  if (mask) record.mask.assign(mask, mask + n);
  if (seeds) record.seeds.assign(seeds, seeds + n);
  e.script.resets.push_back(std::move(record));
  for (size_t i = 0; i < n; ++i) {
    if (mask && !mask[i]) continue;
    ++e.now[i].episode;
    e.now[i].t = 0;
    e.now[i].seed = seeds ? seeds[i] : 0;
    write_observations(e, io, i);
    write_central_state(e, io, i);
  }
  return SPAR_OK;
}

spar_status env_step(spar_env* self, spar_env_io* io, spar_error* error) {
  EnvInstance& e = env(self);
  if (const spar_status s = outcome(e.script, "step", error); s < 0) return s;
  const spar_column& action = io->act[0]->columns[0];
  if (action.t.code == SPAR_DTYPE_FLOAT) {
    size_t numbers = 1;
    for (int32_t d = 0; d < action.t.ndim; ++d) numbers *= static_cast<size_t>(action.t.shape[d]);
    const auto* first = static_cast<const float*>(action.t.data);
    e.script.boxes.emplace_back(first, first + numbers);
  } else {
    const auto* first = static_cast<const int64_t*>(action.t.data);
    e.script.discrete.emplace_back(first, first + e.now.size());
  }
  e.script.moves.assign(io->n_agents, {});
  for (uint32_t a = 0; a < io->n_agents; ++a) {
    const spar_column& of_agent = io->act[a]->columns[0];
    if (of_agent.t.code != SPAR_DTYPE_INT) continue;
    const auto* first = static_cast<const int64_t*>(of_agent.t.data);
    e.script.moves[a].assign(first, first + e.now.size());
  }
  for (uint64_t i = 0; i < e.now.size(); ++i) {
    ++e.now[i].t;
    write_observations(e, io, i);
    write_central_state(e, io, i);
    for (uint32_t a = 0; a < io->n_agents; ++a) {
      column<float>(*io->out[a], "reward")[i] = e.script.reward(e.now[i], a);
      column<uint8_t>(*io->out[a], "terminated")[i] = e.script.terminated(e.now[i]) ? 1 : 0;
      if (auto* flag = column<uint8_t>(*io->out[a], "truncated")) flag[i] = e.script.truncated(e.now[i]) ? 1 : 0;
    }
  }
  return SPAR_OK;
}

spar_status env_save(spar_env* self, uint64_t row, const spar_stream* stream, spar_error* error) {
  if (const spar_status s = outcome(env(self).script, "state.save", error); s < 0) return s;
  return write_all(stream, &env(self).now[row], sizeof(Moment)) < 0 ? SPAR_E_IO : SPAR_OK;
}

spar_status env_load(spar_env* self, uint64_t row, const spar_stream* stream, spar_error*) {
  const std::string bytes = read_all(stream);
  if (bytes.size() != sizeof(Moment)) return SPAR_E_INVALID;
  std::memcpy(&env(self).now[row], bytes.data(), sizeof(Moment));
  return SPAR_OK;
}

const spar_ext_env_state kEnvState = {sizeof(spar_ext_env_state), 0, env_save, env_load, nullptr};

const void* env_extension(spar_env* self, const char* id) {
  return env(self).script.saves && std::string_view(id) == SPAR_EXT_ENV_STATE ? &kEnvState : nullptr;
}

const spar_env_vtbl kEnvTable = {sizeof(spar_env_vtbl), 0,         env_create, env_destroy,
                                 env_describe,          env_reset, env_step,   env_extension};

constexpr const char* kEnvId = "test.scripted/World-v0";

}  // namespace

ScriptedEnvironment::ScriptedEnvironment()
    : component_(component_of(SPAR_KIND_ENV, kEnvId, &kEnvTable)),
      options_(options_of(this, SPAR_KIND_ENV, kEnvId)),
      view_(std::make_unique<config::ConfigView>(options_)) {}

}  // namespace spar::test
