#include "support/scripted_parts.hpp"

namespace spar::test {
namespace {

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
    if (!group.algorithm_slot.empty()) g.algorithm_slot = group.algorithm_slot.c_str();
    g.agents = group.agents.data();
    g.join = group.join;
    g.actors = group.actors;
    g.learners = group.learners;
    g.flags = group.flags;
    g.max_staleness = group.max_staleness;
    g.apply = group.apply;
    g.samples_per_insert = group.samples_per_insert;
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

const void* strategy_extension(spar_strategy* self, const char* id) {
  static constexpr spar_ext_strategy_groups kGroups = {
      sizeof(spar_ext_strategy_groups), 0,
      [](spar_strategy*, const spar_group* const*, uint32_t, spar_error*) -> spar_status { return SPAR_OK; }};
  return strategy(self).script.serves_groups && std::string_view(id) == SPAR_EXT_STRATEGY_GROUPS ? &kGroups : nullptr;
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
                                           strategy_extension};

constexpr const char* kStrategyId = "test.strategy";

}  // namespace

ScriptedStrategy::ScriptedStrategy()
    : component_(component_of(SPAR_KIND_STRATEGY, kStrategyId, &kStrategyTable)),
      options_(options_of(this, SPAR_KIND_STRATEGY, kStrategyId)),
      view_(std::make_unique<config::ConfigView>(options_)) {}

}  // namespace spar::test
