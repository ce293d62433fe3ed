#include "independent.hpp"

namespace independent {

const spar::Schema<Options>& Independent::schema() {
  static const spar::Schema<Options> instance = spar::Schema<Options>().boolean(
      "overlap", &Options::overlap, "collect while learning, with parameters that are one learning phase old");
  return instance;
}

Independent::Independent(const spar::Context&, const Options& options, const spar_world& world)
    : names_(world.n_agents),
      agents_(world.n_agents),
      groups_(world.n_agents),
      cadence_(std::vector<uint64_t>(world.n_agents, 1)) {
  for (uint32_t i = 0; i < world.n_agents; ++i) {
    names_[i] = world.agents[i]->id;
    agents_[i] = i;
    spar_group& group = groups_[i];
    group.struct_size = sizeof group;
    group.n_agents = 1;
    group.name = names_[i].c_str();
    group.agents = &agents_[i];
    group.join = SPAR_JOIN_NONE;
    group.apply = SPAR_APPLY_LOCAL;
    group.actors = group.learners = 1;
    if (options.overlap) {
      group.flags = SPAR_GROUP_BESIDE;
      group.max_staleness = 1;
    }
    pointers_.push_back(&group);
  }
}

void Independent::plan(spar_plan& out) const {
  out.n_groups = static_cast<uint32_t>(pointers_.size());
  out.groups = pointers_.data();
}

void Independent::next(const spar_progress& progress, spar_directive& out) { cadence_.next(progress, out); }

void Independent::save(spar::StreamWriter& writer) const { cadence_.save(writer); }

void Independent::load(spar::StreamReader& reader) { cadence_.load(reader); }

}  // namespace independent
