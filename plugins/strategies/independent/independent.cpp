#include "independent.hpp"

namespace independent {

const spar::Schema<Options>& Independent::schema() {
  static const spar::Schema<Options> instance = spar::Schema<Options>().boolean(
      "overlap", &Options::overlap, "collect while learning, with parameters that are one learning phase old");
  return instance;
}

Independent::Independent(const spar::Context&, const Options& options, const spar_world& world)
    : overlap_(options.overlap), cadence_({}) {
  std::deque<Members> alone;
  for (uint32_t i = 0; i < world.n_agents; ++i) alone.push_back({world.agents[i]->id, {i}});
  make_plan(std::move(alone));
}

void Independent::set_groups(const spar_group* const* groups, uint32_t n) {
  std::deque<Members> members;
  for (uint32_t i = 0; i < n; ++i) {
    const spar_group& group = *groups[i];
    members.push_back({group.name, {group.agents, group.agents + group.n_agents}, group.algorithm_slot});
  }
  make_plan(std::move(members));
}

void Independent::make_plan(std::deque<Members> members) {
  members_ = std::move(members);
  groups_.clear();
  pointers_.clear();
  std::vector<uint64_t> rows;
  for (const Members& who : members_) {
    spar_group& group = groups_.emplace_back();
    group.struct_size = sizeof group;
    group.n_agents = static_cast<uint32_t>(who.agents.size());
    group.name = who.name.c_str();
    group.algorithm_slot = who.algorithm_slot;
    group.agents = who.agents.data();
    group.join = who.agents.size() == 1 ? SPAR_JOIN_NONE : SPAR_JOIN_ROWS;
    group.apply = SPAR_APPLY_LOCAL;
    group.actors = group.learners = 1;
    if (overlap_) {
      group.flags = SPAR_GROUP_BESIDE;
      group.max_staleness = 1;
    }
    pointers_.push_back(&group);
    rows.push_back(who.agents.size());
  }
  cadence_ = common::Cadence(std::move(rows));
}

void Independent::plan(spar_plan& out) const {
  out.n_groups = static_cast<uint32_t>(pointers_.size());
  out.groups = pointers_.data();
}

void Independent::next(const spar_progress& progress, spar_directive& out) { cadence_.next(progress, out); }

void Independent::save(spar::StreamWriter& writer) const { cadence_.save(writer); }

void Independent::load(spar::StreamReader& reader) { cadence_.load(reader); }

}  // namespace independent
