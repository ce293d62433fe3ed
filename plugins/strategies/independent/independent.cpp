#include "independent.hpp"

#include <algorithm>

namespace independent {

const spar::Schema<Options>& Independent::schema() {
  static const spar::Schema<Options> instance = spar::Schema<Options>().boolean(
      "overlap", &Options::overlap, "collect while learning, with parameters that are one learning phase old");
  return instance;
}

Independent::Independent(const spar::Context&, const Options& options, const spar_world& world)
    : names_(world.n_agents), agents_(world.n_agents), groups_(world.n_agents), next_phase_(world.n_agents, 0) {
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

void Independent::next(const spar_progress& progress, spar_directive& out) {
  const spar_needs& needs = *progress.needs;
  out.what = SPAR_DO_COLLECT;

  if (needs.buffer_kind == SPAR_BUF_ROLLOUT) {
    if (progress.buffer_rows >= needs.rows_per_learn) {
      out.what = SPAR_DO_LEARN;
      out.amount = needs.updates;
    } else {
      out.amount = needs.rows_per_learn - progress.buffer_rows;
    }
    return;
  }

  uint64_t& due = next_phase_[progress.group];
  if (due == 0)
    due = std::max(needs.learn_every, (needs.warmup + needs.learn_every - 1) / needs.learn_every * needs.learn_every);
  if (progress.env_steps >= due) {
    const uint64_t phases = 1 + (progress.env_steps - due) / needs.learn_every;
    due += phases * needs.learn_every;
    if (progress.buffer_rows >= needs.rows_per_learn) {
      out.what = SPAR_DO_LEARN;
      out.amount = phases * needs.updates;
      return;
    }
  }
  out.amount = due - progress.env_steps;
}

void Independent::save(spar::StreamWriter& writer) const { writer.array(next_phase_); }

void Independent::load(spar::StreamReader& reader) { reader.array(next_phase_); }

}  // namespace independent
