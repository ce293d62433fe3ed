#include <cstring>

#include "support/scripted_parts.hpp"

namespace spar::test {
namespace {

struct AlgoInstance {
  ScriptedAlgorithm& script;
  spar_ctx* ctx;
  const spar_host* host;
};

AlgoInstance& algo(spar_algo* self) { return *reinterpret_cast<AlgoInstance*>(self); }

spar_status algo_create(const spar_host* host, spar_ctx* ctx, const spar_config* config, const spar_algo_setup* setup,
                        spar_algo** out, spar_error* error) {
  auto& script = script_of<ScriptedAlgorithm>(config);
  if (const spar_status s = outcome(script, "create", error); s < 0) return s;
  ++script.alive;
  script.contexts[ctx->name] = ctx;
  script.made.push_back({ctx->name, setup->role, setup->actor, setup->n_actors, setup->max_rows});
  if (setup->state) {
    script.made.back().state_width = static_cast<uint64_t>(space_width(*setup->state));
    script.made.back().joint_width = setup->joint_width;
    script.made.back().own_offset = setup->own_offset;
  }
  if (script.create) script.create(ctx);
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
  ScriptedAlgorithm::Acted record{algo(self).ctx->name, how->mode, how->step, obs->rows, {}, {}, {}, {}};
  record.lanes.assign(obs->index, obs->index + obs->rows);
  const spar_column& front = obs->columns[0];
  if (front.t.code == SPAR_DTYPE_FLOAT) {
    const auto* numbers = static_cast<const float*>(front.t.data);
    record.obs.assign(numbers, numbers + obs->rows * row_width(front.t));
  }
  const auto first = spar::column<uint8_t>(*obs, "first");
  record.first.assign(first.data, first.data + obs->rows);
  if (const auto mask = spar::optional_column<uint8_t>(*obs, "action_mask"); mask.data)
    record.mask.assign(mask.data, mask.data + obs->rows * mask.width);
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
  {
    const std::scoped_lock lock(script.mutex);
    script.learnt.push_back(step);
  }
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
                                   0,
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

constexpr const char* kAlgoId = "test.scripted";

}  // namespace

ScriptedAlgorithm::ScriptedAlgorithm(uint32_t flags)
    : table_(kAlgoTable),
      component_(component_of(SPAR_KIND_ALGO, kAlgoId, &table_)),
      options_(options_of(this, SPAR_KIND_ALGO, kAlgoId)),
      view_(std::make_unique<config::ConfigView>(options_)) {
  table_.flags = flags;
  needs.struct_size = sizeof needs;
  needs.buffer_kind = SPAR_BUF_REPLAY;
  needs.capacity = 1'000;
  needs.rows_per_learn = needs.learn_every = needs.updates = needs.n_step = 1;
  needs.gamma = 0.9;
}

void ScriptedAlgorithm::honour_masks() { table_.flags |= SPAR_ALGO_HONOURS_MASK; }
void ScriptedAlgorithm::keep_in_networks() { table_.flags |= SPAR_ALGO_HOSTED_NETWORKS; }

}  // namespace spar::test
