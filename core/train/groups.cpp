#include "core/train/groups.hpp"

#include <algorithm>

#include "core/base/text.hpp"
#include "core/config/section.hpp"

namespace spar::train {
namespace {

bool matches(const std::string& pattern, const std::string& id) {
  return pattern.ends_with('*') ? id.starts_with(pattern.substr(0, pattern.size() - 1)) : id == pattern;
}

std::vector<std::string> ids_of(const rollout::Environment& environment) {
  std::vector<std::string> out;
  for (const auto& agent : environment.agents()) out.push_back(agent.id);
  return out;
}

Error refuse(const rollout::Environment& environment, const std::string& sentence, const Place& place,
             const std::string& help) {
  return Error("E0311", Exit::usage, sentence)
      .at(place)
      .help(help + "; " + environment.name() + " has the agents " + listing(ids_of(environment)));
}

}  // namespace

std::vector<MappedGroup> map_agents(const config::Experiment& experiment, const rollout::Environment& environment) {
  const std::vector<std::string> ids = ids_of(environment);
  std::vector<MappedGroup> out;
  if (experiment.mapping == "shared") {
    out.push_back({experiment.mapping, "", {}});
    for (uint32_t agent = 0; agent < ids.size(); ++agent) out.back().agents.push_back(agent);
    return out;
  }
  if (experiment.groups.empty()) return out;
  std::vector<const config::GroupConfig*> owner(ids.size(), nullptr);
  for (const auto& group : experiment.groups) {
    for (const auto& pattern : group.agents) {
      bool found = false;
      for (size_t agent = 0; agent < ids.size(); ++agent) {
        if (!matches(pattern.text, ids[agent])) continue;
        found = true;
        if (owner[agent] && owner[agent] != &group)
          throw refuse(environment,
                       "agent `" + ids[agent] + "` is in two groups, `" + owner[agent]->name + "` and `" + group.name +
                           "`; expected one",
                       pattern.place, "leave it out of one of them");
        owner[agent] = &group;
      }
      if (!found)
        throw refuse(
            environment, "`" + printable(pattern.text) + "` of the group `" + group.name + "` matches no agent",
            config::with_note(pattern.place, config::did_you_mean(pattern.text, ids)), "write one of its agents");
    }
    out.push_back({group.name, group.algorithm ? group.name : "", {}});
    for (uint32_t agent = 0; agent < ids.size(); ++agent)
      if (owner[agent] == &group) out.back().agents.push_back(agent);
  }
  for (size_t agent = 0; agent < ids.size(); ++agent)
    if (!owner[agent])
      throw refuse(environment, "agent `" + ids[agent] + "` is in no group", experiment.groups.back().place,
                   "add it to the `agents` of a group, or give it one of its own");
  return out;
}

std::unique_ptr<Strategy> make_strategy(const config::Experiment& experiment, const rollout::ComponentLoader& load,
                                        const spar_host& host, const rollout::Environment& environment, uint64_t seed) {
  const config::ConfigView view(experiment.strategy.options);
  std::vector<MappedGroup> groups = map_agents(experiment, environment);
  try {
    return std::make_unique<Strategy>(host, load(SPAR_KIND_STRATEGY, experiment.strategy.id), *view.get(),
                                      environment.world(), seed, std::move(groups));
  } catch (const Error& error) {
    if (error.code() != "E0312" || experiment.groups.empty()) throw;
    throw Error(error).at(experiment.groups.front().place).help(error.help());
  }
}

const config::AlgorithmConfig& algorithm_of(const config::Experiment& experiment, const Strategy::Group& group) {
  return *experiment.algorithm_of(group.algorithm_slot);
}

Error placed(Error error, const config::Experiment& experiment, const Strategy::Group& group) {
  if (error.place()) return error;
  for (const auto& each : experiment.groups) {
    if (each.name != group.name && !group.name.starts_with(each.name + "/")) continue;  // "/": of a central critic
    std::string help = error.help();
    if (error.code() == "E0310" && group.join == SPAR_JOIN_ROWS)
      help = "put agents whose spaces are equal into one group, others into another";
    return Error(error).at(each.place).help(std::move(help));
  }
  return error;
}

}  // namespace spar::train
