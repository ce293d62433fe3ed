#include "team.hpp"

#include <algorithm>

namespace team {
namespace {

/// A name without the number at its end: "adversary_*" of "adversary_0".
std::string kind_of(const std::string& name) {
  const size_t end = name.find_last_not_of("0123456789") + 1;
  return end < name.size() ? name.substr(0, end) + "*" : name;
}

}  // namespace

const spar::Schema<Options>& Team::schema() {
  static const spar::Schema<Options> instance =
      spar::Schema<Options>()
          .text("mode", &Options::mode, {"shared", "joint", "central_critic"},
                "one policy that plays each agent, one that chooses the actions of all agents together, or a policy "
                "for each agent whose critic sees all of them")
          .text("teams", &Options::teams, {"all", "names"},
                "all agents are one team, or those whose names differ only by the number at their end");
  return instance;
}

std::deque<Team::Members> Team::teams_of(const std::string& rule, const spar_world& world) {
  std::deque<Members> teams;
  for (uint32_t agent = 0; agent < world.n_agents; ++agent) {
    const std::string name = rule == "all" ? "team" : kind_of(world.agents[agent]->id);
    auto team = std::find_if(teams.begin(), teams.end(), [&](const Members& t) { return t.name == name; });
    if (team == teams.end()) team = teams.insert(team, Members{name, {}});
    team->agents.push_back(agent);
  }
  for (Members& team : teams)
    if (team.agents.size() == 1) team.name = world.agents[team.agents[0]]->id;
  return teams;
}

Team::Team(const spar::Context&, const Options& options, const spar_world& world) : options_(options), cadence_({}) {
  make_plan(teams_of(options.teams, world));
}

void Team::set_groups(const spar_group* const* groups, uint32_t n) {
  if (options_.teams != Options{}.teams)
    throw spar::StatusError(SPAR_E_INVALID, "the groups of the experiment are the teams: leave `teams` out");
  std::deque<Members> teams;
  for (uint32_t i = 0; i < n; ++i) {
    const spar_group& group = *groups[i];
    teams.push_back({group.name, {group.agents, group.agents + group.n_agents}, group.algorithm_slot});
  }
  make_plan(std::move(teams));
}

void Team::make_plan(std::deque<Members> teams) {
  teams_ = std::move(teams);
  groups_.clear();
  pointers_.clear();
  const bool shared = options_.mode == "shared";
  std::vector<uint64_t> rows;
  for (const Members& team : teams_) {
    spar_group& group = groups_.emplace_back();
    group.struct_size = sizeof group;
    group.n_agents = static_cast<uint32_t>(team.agents.size());
    group.name = team.name.c_str();
    group.algorithm_slot = team.algorithm_slot;
    group.agents = team.agents.data();
    group.join = shared ? SPAR_JOIN_ROWS : options_.mode == "joint" ? SPAR_JOIN_JOINT : SPAR_JOIN_CENTRAL;
    group.apply = SPAR_APPLY_LOCAL;
    group.actors = group.learners = 1;
    pointers_.push_back(&group);
    rows.push_back(shared ? team.agents.size() : 1);
  }
  cadence_ = common::Cadence(std::move(rows));
}

void Team::plan(spar_plan& out) const {
  out.n_groups = static_cast<uint32_t>(pointers_.size());
  out.groups = pointers_.data();
}

void Team::next(const spar_progress& progress, spar_directive& out) { cadence_.next(progress, out); }

void Team::save(spar::StreamWriter& writer) const { cadence_.save(writer); }

void Team::load(spar::StreamReader& reader) { cadence_.load(reader); }

}  // namespace team
