#include "core/train/strategy.hpp"

#include <algorithm>
#include <cmath>

#include "core/rollout/plugin_call.hpp"
#include "core/rollout/streams.hpp"

namespace spar::train {

using rollout::call_plugin;

namespace {

constexpr uint32_t kMostLearners = 64;

bool is_decoupled(const spar_group& group) { return group.apply == SPAR_APPLY_ASP || group.apply == SPAR_APPLY_SSP; }

}  // namespace

Strategy::Strategy(const spar_host& host, const spar_component& component, const spar_config& config,
                   const spar_world& world, uint64_t root_seed, std::vector<MappedGroup> mapped)
    : label_(std::string("strategy `") + component.id + "`"),
      table_(static_cast<const spar_strategy_vtbl*>(component.vtbl)),
      mapped_(std::move(mapped)) {
  ctx_.name = "strategy";
  ctx_.root_seed = root_seed;
  ctx_.random = Philox(root_seed, ctx_.name);
  call_plugin(label_, "create",
              [&](spar_error* e) { return table_->create(&host, &ctx_, &config, &world, &self_, e); });
  try {
    if (!mapped_.empty()) hand_over_groups();
    read_plan(world);
  } catch (...) {
    table_->destroy(self_);
    throw;
  }
}

Strategy::~Strategy() { table_->destroy(self_); }

void Strategy::read_plan(const spar_world& world) {
  spar_plan plan{};
  plan.struct_size = sizeof plan;
  call_plugin(label_, "plan", [&](spar_error* e) { return table_->plan(self_, &plan, e); });
  std::vector<int> seats(world.n_agents, 0);
  for (uint32_t i = 0; i < plan.n_groups; ++i) {
    const spar_group& group = *plan.groups[i];
    const std::string name = group.name ? group.name : "";
    check_group(group, name);
    const std::vector<uint32_t> agents(group.agents, group.agents + group.n_agents);
    for (const uint32_t agent : agents) {
      if (agent < world.n_agents && seats[agent]++ == 0) continue;
      throw Error("E0308", Exit::crash,
                  label_ + " plans agent " + std::to_string(agent) + " twice or outside the world's " +
                      std::to_string(world.n_agents) + " agents");
    }
    const bool beside = (group.flags & SPAR_GROUP_BESIDE) != 0;
    if (i > 0 && beside != beside_)
      throw Error("E0308", Exit::usage,
                  label_ +
                      " plans that the actors of some groups run beside their learners and of others not, which "
                      "this host does not offer; expected the same for all groups");
    const bool decoupled = is_decoupled(group);
    if (i > 0 && decoupled != decoupled_)
      throw Error("E0308", Exit::usage,
                  label_ +
                      " plans that some groups learn asynchronously and others not, which this host does not offer; "
                      "expected the same for all groups");
    beside_ = beside;
    decoupled_ = decoupled;
    const std::string slot = group.algorithm_slot ? group.algorithm_slot : "";
    if (agents.size() > 1 && group.join == SPAR_JOIN_CENTRAL)
      for (const uint32_t agent : agents)
        groups_.push_back({name + "/" + world.agents[agent]->id, {agent}, group.join, i, agents, slot});
    else
      groups_.push_back({name, agents, agents.size() == 1 ? uint32_t{SPAR_JOIN_NONE} : group.join, i, {}, slot});
    Group& last = groups_.back();
    last.learners = std::max(group.learners, 1U);
    last.apply = group.apply;
    last.max_staleness = group.max_staleness;
    last.samples_per_insert = group.samples_per_insert;
    check_slot(groups_.back(), agents);
  }
  for (uint32_t agent = 0; agent < world.n_agents; ++agent) {
    if (seats[agent] == 0) {
      throw Error("E0308", Exit::crash, label_ + " leaves agent `" + world.agents[agent]->id + "` without a group");
    }
  }
}

size_t Strategy::members(size_t group) const {
  if (group > 0 && groups_[group - 1].planned == groups_[group].planned) return 0;
  return groups_[group].team.empty() ? 1 : groups_[group].team.size();
}

/// Of what one group asks for by itself.
void Strategy::check_group(const spar_group& group, const std::string& name) const {
  const std::string plans = label_ + " plans the group `" + name + "` ";
  if (group.n_agents == 0) throw Error("E0308", Exit::crash, plans + "without agents, expected at least one");
  if (group.actors > 1)
    throw Error("E0308", Exit::usage,
                plans +
                    "with several actors, which this host does not offer yet; expected one actor per group: parallel "
                    "actors are an algorithm's (num_workers of d4pg)");
  check_learners(group, plans);
  if (group.join > SPAR_JOIN_CENTRAL || (group.join == SPAR_JOIN_NONE && group.n_agents > 1))
    throw Error("E0308", Exit::crash,
                plans + "of " + std::to_string(group.n_agents) + " agents with `join` " + std::to_string(group.join) +
                    "; expected SPAR_JOIN_ROWS, SPAR_JOIN_JOINT or SPAR_JOIN_CENTRAL, or one agent and SPAR_JOIN_NONE");
  if ((group.flags & SPAR_GROUP_BESIDE) == 0) return;
  if (group.max_staleness < 1 && !is_decoupled(group))
    throw Error("E0308", Exit::crash,
                label_ + " plans that the actors of the group `" + name +
                    "` run beside its learner and max_staleness 0, expected at least 1");
  if (group.n_agents > 1)
    throw Error("E0308", Exit::usage,
                label_ + " plans that the actors of the group `" + name +
                    "` run beside its learner, which this host does not offer for several agents; expected one");
}

/// How many learners there are and how their updates come together.
void Strategy::check_learners(const spar_group& group, const std::string& plans) const {
  const auto refuse = [&](Exit exit, const std::string& problem) { throw Error("E0308", exit, plans + problem); };
  if (group.apply > SPAR_APPLY_SSP)
    refuse(Exit::crash, "with `apply` " + std::to_string(group.apply) +
                            "; expected SPAR_APPLY_LOCAL, SPAR_APPLY_BSP, SPAR_APPLY_ASP or SPAR_APPLY_SSP");
  if (group.learners > kMostLearners)
    refuse(Exit::usage,
           "with " + std::to_string(group.learners) + " learners, expected at most " + std::to_string(kMostLearners));
  if (!(group.samples_per_insert >= 0) || std::isinf(group.samples_per_insert))
    refuse(Exit::crash, "with samples_per_insert " + std::to_string(group.samples_per_insert) +
                            ", expected a finite number of at least 0");
  if (group.learners > 1 && group.apply == SPAR_APPLY_LOCAL)
    refuse(Exit::crash,
           "with " + std::to_string(group.learners) +
               " learners and SPAR_APPLY_LOCAL; expected SPAR_APPLY_BSP, SPAR_APPLY_ASP or SPAR_APPLY_SSP");
  if ((group.learners > 1 || is_decoupled(group)) && group.n_agents > 1)
    refuse(Exit::usage, "of " + std::to_string(group.n_agents) +
                            " agents with several or asynchronous learners, which this host offers for one agent");
  const bool beside = (group.flags & SPAR_GROUP_BESIDE) != 0;
  if (is_decoupled(group) && !beside)
    refuse(Exit::crash, "with asynchronous learners and actors that take turns with them; expected SPAR_GROUP_BESIDE");
  if (!is_decoupled(group) && group.learners > 1 && beside)
    refuse(Exit::usage,
           "with actors beside several learners in step, which this host does not offer; expected SPAR_APPLY_ASP or "
           "SPAR_APPLY_SSP, or actors that take turns with them");
}

spar_directive Strategy::next(const spar_progress& progress) {
  spar_directive directive{};
  directive.struct_size = sizeof directive;
  call_plugin(label_, "next", [&](spar_error* e) { return table_->next(self_, &progress, &directive, e); });
  return directive;
}

void Strategy::save(ByteWriter& writer) const {
  rollout::OutStream stream;
  if (table_->save) call_plugin(label_, "save", [&](spar_error* e) { return table_->save(self_, stream.abi(), e); });
  writer.array<std::byte>(stream.bytes);
  writer.put(ctx_.random.state());
}

void Strategy::load(ByteReader& reader) {
  rollout::InStream stream(reader.vector<std::byte>());
  if (table_->load) call_plugin(label_, "load", [&](spar_error* e) { return table_->load(self_, stream.abi(), e); });
  ctx_.random.restore(reader.get<Philox::State>());
}

}  // namespace spar::train
