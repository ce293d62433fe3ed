// From the fields of a training manager to the experiment that a file would have said.
#include <algorithm>

#include "core/base/text.hpp"
#include "core/config/options.hpp"
#include "core/manager/config.hpp"
#include "core/rollout/environment.hpp"

namespace spar {
namespace {

constexpr const char* kWhere = "training manager";  // stands where messages name the file
constexpr const char* kDefaultKey = "default";

using config::Array, config::Table, config::Value;

Place place_of(const std::string& text) {
  Place place;
  place.file = kWhere;
  place.source = printable(text);
  return place;
}

Value value_of(decltype(Value::data) data) { return {std::move(data), place_of(""), {}}; }

void set(Table& table, const std::string& key, Value value) {
  if (config::Entry* entry = table.find(key))
    entry->value = std::move(value);
  else
    table.entries.push_back({key, place_of(key), std::move(value)});
}
void set(Table& table, const std::string& key, const std::string& text) { set(table, key, value_of(text)); }
void set(Table& table, const std::string& key, uint32_t number) {
  set(table, key, value_of(static_cast<int64_t>(number)));
}

Value conditions(const std::vector<config::Condition>& list) {
  using Measure = config::Condition::Measure;
  Array items;
  for (const auto& condition : list) {
    Table one;
    const bool whole = condition.measure != Measure::eval_return && condition.measure != Measure::seconds &&
                       condition.measure != Measure::exploitability && condition.value >= 0 && condition.value <= 9e15;
    set(one, config::name(condition.measure),
        whole ? value_of(static_cast<int64_t>(condition.value)) : value_of(condition.value));
    if (condition.consecutive > 1) set(one, "for", condition.consecutive);
    items.push_back(value_of(std::move(one)));
  }
  return value_of(std::move(items));
}

/// A field that is wrong by itself.
Error refuse(const std::string& field, const std::string& problem, const std::string& help) {
  return Error("E1201", Exit::usage, "`" + field + "` of the training manager " + problem).help(help);
}

Table environment_table(const EnvDescription& env) {
  Table out = env.options.table();
  set(out, "id", env.id);
  set(out, "count", env.count);
  set(out, "shards", env.shards);
  return out;
}

Table algorithm_table(const AlgorithmSpec& spec, const std::string& device) {
  Table out = spec.options.table();
  for (const auto& entry : spec.custom_config.table().entries) {
    if (config::Entry* below = out.find(entry.key))
      *below = entry;
    else
      out.entries.push_back(entry);
  }
  if (!spec.network.empty()) set(out, "network", spec.network);
  if (!device.empty()) set(out, "device", device);
  set(out, "id", spec.algorithm);
  return out;
}

/// Ids of the agents, asked of an environment that is made for it.
std::vector<std::string> agents_of(Plugins& plugins, const EnvDescription& env) {
  auto& registry = plugins.registry();
  config::Problems problems;
  config::Origins origins;
  std::vector<std::string> warnings;
  const config::Section section(&env.options.table(), "env", place_of(""), problems, origins);
  const auto lookup = train::lookup_in(registry);
  const auto component = lookup(SPAR_KIND_ENV, env.id, place_of(env.id));
  config::Section options = section;
  const config::Options values = config::read_options(component, options, {}, warnings);
  problems.throw_if_any();
  const config::ConfigView view(values);
  const rollout::Environment environment(*plugins.table().host(), registry.load(SPAR_KIND_ENV, component->id),
                                         *view.get(), 1, 0, "environment/agents");
  std::vector<std::string> out;
  for (const auto& agent : environment.agents()) out.push_back(agent.id);
  return out;
}

/// Of an explicit map: the exact id first, then the longest beginning.
std::string mapped(const std::map<std::string, std::string>& map, const std::string& agent) {
  if (const auto found = map.find(agent); found != map.end()) return found->second;
  const std::string* best = nullptr;
  size_t longest = 0;
  for (const auto& [pattern, runtime_id] : map) {
    if (!pattern.ends_with('*') || !agent.starts_with(pattern.substr(0, pattern.size() - 1))) continue;
    if (best && pattern.size() <= longest) continue;
    best = &runtime_id;
    longest = pattern.size();
  }
  if (best) return *best;
  std::vector<std::string> patterns;
  for (const auto& [pattern, runtime_id] : map) patterns.push_back(pattern);
  throw refuse("agent_mapping", "leaves out agent `" + agent + "`",
               patterns.empty() ? "it is empty" : "it has " + listing(patterns));
}

struct Group {
  std::string runtime_id;
  std::vector<std::string> agents;
};

/// In the order of their first agents. Empty where a rule says it all.
std::vector<Group> groups_of(Plugins& plugins, const TrainingManagerConfig& config) {
  const auto* rule = std::get_if<std::string>(&config.agent_mapping);
  const auto* map = std::get_if<std::map<std::string, std::string>>(&config.agent_mapping);
  const auto* function = std::get_if<std::function<std::string(const std::string&)>>(&config.agent_mapping);
  const auto only_default = [&](const std::string& key) { return key == kDefaultKey; };
  const bool one_algorithm = config.algorithms.size() == 1 && only_default(config.algorithms.begin()->first);
  if (rule && *rule != "identity" && *rule != "shared")
    throw refuse("agent_mapping", "is the rule `" + printable(*rule) + "`, which there is not",
                 "rules: identity and shared; else give a map or a function");
  if (function && !*function) throw refuse("agent_mapping", "is an empty function", "give one, a map or a rule");
  if (rule && (one_algorithm || *rule == "shared")) return {};
  std::vector<Group> out;
  for (const std::string& agent : agents_of(plugins, config.env_desc)) {
    const std::string id = rule ? agent : map ? mapped(*map, agent) : (*function)(agent);
    const auto group = std::find_if(out.begin(), out.end(), [&](const Group& g) { return g.runtime_id == id; });
    if (group == out.end())
      out.push_back({id, {agent}});
    else
      group->agents.push_back(agent);
  }
  return out;
}

Array group_tables(const std::vector<Group>& groups, const TrainingManagerConfig& config) {
  Array out;
  for (const Group& group : groups) {
    Table table;
    set(table, "name", group.runtime_id);
    Array agents;
    for (const std::string& agent : group.agents) agents.push_back(value_of(agent));
    set(table, "agents", value_of(std::move(agents)));
    const std::string key = algorithm_key(config.algorithms, group.runtime_id);
    if (key != kDefaultKey)
      set(table, "algorithm", value_of(algorithm_table(config.algorithms.at(key), config.resource_config.device)));
    out.push_back(value_of(std::move(table)));
  }
  return out;
}

/// Keys of algorithms that nobody learns by.
void check_keys(const std::vector<Group>& groups, const TrainingManagerConfig& config, bool shared) {
  for (const auto& named : config.algorithms) {
    const std::string& key = named.first;  // clang 14 lets no lambda see a structured binding
    const bool used = key == kDefaultKey || (shared && key == "shared") ||
                      std::any_of(groups.begin(), groups.end(), [&](const Group& g) { return g.runtime_id == key; });
    if (used) continue;
    std::vector<std::string> ids;
    for (const Group& group : groups) ids.push_back(group.runtime_id);
    if (ids.empty()) ids = {"shared"};
    throw refuse("algorithms", "has the key `" + printable(key) + "`, which is no runtime id",
                 "keys are runtime ids, here " + listing(ids) + ", and default");
  }
}

}  // namespace

std::string algorithm_key(const std::map<std::string, AlgorithmSpec>& algorithms, const std::string& runtime_id) {
  if (algorithms.contains(runtime_id)) return runtime_id;
  if (algorithms.contains(kDefaultKey)) return kDefaultKey;
  std::vector<std::string> keys;
  for (const auto& [key, spec] : algorithms) keys.push_back(key);
  throw Error("E1202", Exit::usage, "there is no algorithm for `" + printable(runtime_id) + "`")
      .help(keys.empty() ? "`algorithms` is empty"
                         : "`algorithms` has the keys " + listing(keys) + "; `default` would serve every runtime id");
}

config::Experiment make_experiment(Plugins& plugins, const TrainingManagerConfig& config) {
  if (config.remote_mode)
    throw refuse("remote_mode", "is true, and interfaces in processes of their own are not offered yet",
                 "leave it out: all interfaces work in this process");
  if (config.algorithms.empty()) throw refuse("algorithms", "is empty", "give one with the key `default`");

  Table root = config.training_config.table();
  for (const char* taken : {"name", "env", "algorithm", "strategy", "group", "mapping", "stop", "scenario"})
    if (root.find(taken))
      throw refuse("training_config", "sets `" + std::string(taken) + "`, which is not its part",
                   "it has `seed`, [eval], [checkpoint] and [threshold]; "
                   "everything else is a field of its own");
  set(root, "name", config.experiment_tag);
  set(root, "env", value_of(environment_table(config.env_desc)));
  Table strategy = config.interface_config.options.table();
  set(strategy, "id", config.interface_config.type);
  set(root, "strategy", value_of(std::move(strategy)));
  Table stop;
  set(stop, "any", conditions(config.stopping_conditions.global.any));
  set(stop, "all", conditions(config.stopping_conditions.global.all));
  set(root, "stop", value_of(std::move(stop)));

  const auto* rule = std::get_if<std::string>(&config.agent_mapping);
  const bool shared = rule && *rule == "shared";
  const std::vector<Group> groups = groups_of(plugins, config);
  check_keys(groups, config, shared);
  const auto common = config.algorithms.find(shared ? algorithm_key(config.algorithms, "shared") : kDefaultKey);
  const bool needed = groups.empty() || std::any_of(groups.begin(), groups.end(), [&](const Group& group) {
                        return algorithm_key(config.algorithms, group.runtime_id) == kDefaultKey;
                      });
  if (needed && common != config.algorithms.end())
    set(root, "algorithm", value_of(algorithm_table(common->second, config.resource_config.device)));
  if (shared) set(root, "mapping", *rule);
  if (!groups.empty()) set(root, "group", value_of(group_tables(groups, config)));
  return config::load(std::move(root), kWhere, train::lookup_in(plugins.registry()));
}

}  // namespace spar
