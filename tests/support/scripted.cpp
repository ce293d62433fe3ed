#include "support/scripted.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ostream>

#include "core/base/error.hpp"
#include "core/replay/buffer.hpp"
#include "core/train/session.hpp"

namespace spar::test {
namespace {

/// The schema of every scripted component: the address of its script.
std::shared_ptr<const config::Component> schema(uint32_t kind, const std::string& id) {
  config::Component component;
  component.kind = kind;
  component.id = id;
  component.version = "1.0.0";
  config::Param param;
  param.name = "script";
  param.type = SPAR_T_INT;
  component.params.push_back(param);
  return std::make_shared<const config::Component>(component);
}

config::Options options_of(const void* script, uint32_t kind, const std::string& id) {
  config::OptionValue value;
  value.type = SPAR_T_INT;
  value.data = static_cast<int64_t>(reinterpret_cast<intptr_t>(script));
  return {schema(kind, id), {value}};
}

spar_component component_of(uint32_t kind, const char* id, const void* table) {
  spar_component c{};
  c.struct_size = sizeof c;
  c.kind = kind;
  c.id = id;
  c.version = "1.0.0";
  c.title = c.doc = "scripted";
  c.vtbl = table;
  return c;
}

template <class Script>
Script& script_of(const spar_config* config) {
  return *reinterpret_cast<Script*>(static_cast<intptr_t>(config->values[0].u.i));
}

/// SPAR_OK, or the failure that the script asks for in this call.
template <class Script>
spar_status outcome(const Script& script, const char* call, spar_error* error) {
  if (script.fails_in != call) return SPAR_OK;
  error->code = script.status;
  std::snprintf(error->message, sizeof error->message, "%s", script.message.c_str());
  return script.status;
}

int64_t write_all(const spar_stream* stream, const void* data, uint64_t n) {
  return n == 0 ? 0 : stream->write(stream->ctx, data, n);
}

std::string read_all(const spar_stream* stream) {
  std::string text;
  char piece[7];  // short reads are legal
  for (int64_t n = 0; (n = stream->read(stream->ctx, piece, sizeof piece)) > 0;)
    text.append(piece, static_cast<size_t>(n));
  return text;
}

// ---- environment

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
  }
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
  for (uint64_t i = 0; i < e.now.size(); ++i) {
    ++e.now[i].t;
    write_observations(e, io, i);
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

// ---- algorithm

struct AlgoInstance {
  ScriptedAlgorithm& script;
  spar_ctx* ctx;
  const spar_host* host;
};

AlgoInstance& algo(spar_algo* self) { return *reinterpret_cast<AlgoInstance*>(self); }

spar_status algo_create(const spar_host* host, spar_ctx* ctx, const spar_config* config, const spar_algo_setup*,
                        spar_algo** out, spar_error* error) {
  auto& script = script_of<ScriptedAlgorithm>(config);
  if (const spar_status s = outcome(script, "create", error); s < 0) return s;
  ++script.alive;
  script.contexts[ctx->name] = ctx;
  *out = reinterpret_cast<spar_algo*>(new AlgoInstance{script, ctx, host});
  return SPAR_OK;
}

void algo_destroy(spar_algo* self) {
  --algo(self).script.alive;
  delete &algo(self);
}

spar_status algo_needs(spar_algo* self, spar_needs* out, spar_error* error) {
  if (const spar_status s = outcome(algo(self).script, "needs", error); s < 0) return s;
  SPAR_STORE(out, algo(self).script.needs);
  return SPAR_OK;
}

spar_status algo_act(spar_algo* self, const spar_act* how, const spar_batch* obs, spar_batch* out, spar_error* error) {
  ScriptedAlgorithm& script = algo(self).script;
  if (const spar_status s = outcome(script, "act", error); s < 0) return s;
  ScriptedAlgorithm::Acted record{how->mode, how->step, obs->rows, {}, {}, {}};
  record.lanes.assign(obs->index, obs->index + obs->rows);
  const spar_column& front = obs->columns[0];
  if (front.t.code == SPAR_DTYPE_FLOAT) {
    const auto* numbers = static_cast<const float*>(front.t.data);
    record.obs.assign(numbers, numbers + obs->rows * row_width(front.t));
  }
  const auto first = spar::column<uint8_t>(*obs, "first");
  record.first.assign(first.data, first.data + obs->rows);
  script.acted.push_back(std::move(record));
  if (script.act) {
    script.act(*how, *obs, *out);
    return SPAR_OK;
  }
  const spar_tensor& t = out->columns[0].t;
  std::memset(t.data, 0, out->rows * row_width(t) * t.bits / 8);
  return SPAR_OK;
}

spar_status algo_learn(spar_algo* self, uint64_t step, spar_error* error) {
  ScriptedAlgorithm& script = algo(self).script;
  if (const spar_status s = outcome(script, "learn", error); s < 0) return s;
  script.learnt.push_back(step);
  return barrier(error, [&] {
    if (script.learn) script.learn(algo(self).ctx, algo(self).host, step);
  });
}

spar_status algo_save(spar_algo* self, const spar_stream* stream, spar_error* error) {
  const ScriptedAlgorithm& script = algo(self).script;
  if (const spar_status s = outcome(script, "save", error); s < 0) return s;
  return write_all(stream, script.state.data(), script.state.size()) < 0 ? SPAR_E_IO : SPAR_OK;
}

spar_status algo_load(spar_algo* self, const spar_stream* stream, spar_error* error) {
  ScriptedAlgorithm& script = algo(self).script;
  if (const spar_status s = outcome(script, "load", error); s < 0) return s;
  script.state = read_all(stream);
  return SPAR_OK;
}

const spar_algo_vtbl kAlgoTable = {sizeof(spar_algo_vtbl),
                                   SPAR_ALGO_DISCRETE | SPAR_ALGO_CONTINUOUS,
                                   algo_create,
                                   algo_destroy,
                                   algo_needs,
                                   algo_act,
                                   algo_learn,
                                   algo_save,
                                   algo_load,
                                   nullptr,
                                   nullptr,
                                   nullptr};

// ---- strategy

struct StrategyInstance {
  ScriptedStrategy& script;
  std::vector<spar_group> groups;
  std::vector<const spar_group*> pointers;
};

StrategyInstance& strategy(spar_strategy* self) { return *reinterpret_cast<StrategyInstance*>(self); }

spar_status strategy_create(const spar_host*, spar_ctx*, const spar_config* config, const spar_world*,
                            spar_strategy** out, spar_error* error) {
  auto& script = script_of<ScriptedStrategy>(config);
  if (const spar_status s = outcome(script, "create", error); s < 0) return s;
  auto* instance = new StrategyInstance{script, {}, {}};
  for (const auto& group : script.groups) {
    spar_group g{};
    g.struct_size = sizeof g;
    g.n_agents = static_cast<uint32_t>(group.agents.size());
    g.name = group.name.c_str();
    g.agents = group.agents.data();
    g.join = group.join;
    g.actors = group.actors;
    g.learners = group.learners;
    instance->groups.push_back(g);
  }
  for (const auto& group : instance->groups) instance->pointers.push_back(&group);
  *out = reinterpret_cast<spar_strategy*>(instance);
  return SPAR_OK;
}

void strategy_destroy(spar_strategy* self) { delete &strategy(self); }

spar_status strategy_plan(spar_strategy* self, spar_plan* out, spar_error* error) {
  StrategyInstance& s = strategy(self);
  if (const spar_status failed = outcome(s.script, "plan", error); failed < 0) return failed;
  const spar_plan plan{sizeof(spar_plan), static_cast<uint32_t>(s.pointers.size()), s.pointers.data()};
  SPAR_STORE(out, plan);
  return SPAR_OK;
}

spar_status strategy_next(spar_strategy* self, const spar_progress* progress, spar_directive* out, spar_error* error) {
  ScriptedStrategy& script = strategy(self).script;
  if (const spar_status failed = outcome(script, "next", error); failed < 0) return failed;
  spar_directive directive{sizeof(spar_directive), SPAR_DO_COLLECT, 1};
  if (script.next) directive = script.next(*progress);
  SPAR_STORE(out, directive);
  return SPAR_OK;
}

spar_status strategy_save(spar_strategy* self, const spar_stream* stream, spar_error*) {
  const std::string& state = strategy(self).script.state;
  return write_all(stream, state.data(), state.size()) < 0 ? SPAR_E_IO : SPAR_OK;
}

spar_status strategy_load(spar_strategy* self, const spar_stream* stream, spar_error*) {
  strategy(self).script.state = read_all(stream);
  return SPAR_OK;
}

const spar_strategy_vtbl kStrategyTable = {sizeof(spar_strategy_vtbl),
                                           0,
                                           strategy_create,
                                           strategy_destroy,
                                           strategy_plan,
                                           strategy_next,
                                           nullptr,
                                           strategy_save,
                                           strategy_load,
                                           nullptr};

constexpr const char *kEnvId = "test.scripted/World-v0", *kAlgoId = "test.scripted", *kStrategyId = "test.strategy";

}  // namespace

const spar_host& scripted_host() {
  static const auto table = [] {
    auto host = std::make_unique<plugin::HostTable>();
    train::offer_services(*host);
    return host;
  }();
  return *table->host();
}

std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code() + " " + error.what();
  }
  return "nothing was thrown";
}

ScriptedEnvironment::ScriptedEnvironment()
    : component_(component_of(SPAR_KIND_ENV, kEnvId, &kEnvTable)),
      options_(options_of(this, SPAR_KIND_ENV, kEnvId)),
      view_(std::make_unique<config::ConfigView>(options_)) {}

ScriptedAlgorithm::ScriptedAlgorithm()
    : component_(component_of(SPAR_KIND_ALGO, kAlgoId, &kAlgoTable)),
      options_(options_of(this, SPAR_KIND_ALGO, kAlgoId)),
      view_(std::make_unique<config::ConfigView>(options_)) {
  needs.struct_size = sizeof needs;
  needs.buffer_kind = SPAR_BUF_REPLAY;
  needs.capacity = 1'000;
  needs.rows_per_learn = needs.learn_every = needs.updates = needs.n_step = 1;
  needs.gamma = 0.9;
}

ScriptedStrategy::ScriptedStrategy()
    : component_(component_of(SPAR_KIND_STRATEGY, kStrategyId, &kStrategyTable)),
      options_(options_of(this, SPAR_KIND_STRATEGY, kStrategyId)),
      view_(std::make_unique<config::ConfigView>(options_)) {}

std::ostream& operator<<(std::ostream& out, const Stored& row) {
  return out << "{obs " << row.obs << ", action " << row.action << ", reward " << row.reward << ", discount "
             << row.discount << ", next_obs " << row.next_obs << ", terminated " << int{row.terminated} << "}";
}

std::vector<Stored> stored(spar_ctx* ctx) {
  const uint64_t size = ctx->buffer->size();
  std::map<uint64_t, Stored> rows;
  if (size == 0) return {};
  // The memory draws with replacement: by a copy of it, until every transition was seen.
  ByteWriter saved;
  ctx->buffer->save(saved);
  replay::Buffer copy(ctx->buffer->spec(), Philox(7, "stored"));
  const auto bytes = saved.take();
  ByteReader reader(bytes, "stored");
  copy.load(reader);
  while (rows.size() < size) {
    spar_batch batch{};
    batch.struct_size = sizeof batch;
    copy.sample(8 * size, 1, &batch);
    const auto obs = spar::column<float>(batch, view(batch.columns[0].name));
    const auto next = spar::column<float>(batch, "next_" + std::string(view(batch.columns[0].name)));
    const auto reward = spar::column<float>(batch, "reward"), discount = spar::column<float>(batch, "discount");
    const auto terminated = spar::column<uint8_t>(batch, "terminated");
    const spar_column* action = find_column(batch, "action");
    for (uint64_t i = 0; i < batch.rows; ++i) {
      const float a = action->t.code == SPAR_DTYPE_FLOAT
                          ? static_cast<const float*>(action->t.data)[i * row_width(action->t)]
                          : static_cast<float>(static_cast<const int64_t*>(action->t.data)[i]);
      rows[batch.index[i]] = {obs(i), a, reward(i), discount(i), next(i), terminated(i)};
    }
    copy.release(&batch);
  }
  std::vector<Stored> out;
  for (const auto& [index, row] : rows) out.push_back(row);
  return out;
}

}  // namespace spar::test
