#include "async.hpp"

#include <algorithm>
#include <cmath>

namespace async {
namespace {

constexpr uint64_t kNotYet = ~uint64_t{0};
/// Transitions that actors of their own speed are asked for: the rate limiter and the run's end stop them.
constexpr uint64_t kMany = uint64_t{1} << 40;

uint32_t apply_of(const std::string& mode) {
  if (mode == "bsp") return SPAR_APPLY_BSP;
  return mode == "asp" ? SPAR_APPLY_ASP : SPAR_APPLY_SSP;
}

/// Is there enough to learn from?
bool ready(const spar_progress& progress) {
  return progress.env_steps >= progress.needs->warmup && progress.buffer_rows >= progress.needs->rows_per_learn;
}

/// Transitions until there may be.
uint64_t missing(const spar_progress& progress) {
  const spar_needs& needs = *progress.needs;
  if (progress.env_steps < needs.warmup) return needs.warmup - progress.env_steps;
  return std::max<uint64_t>(1, needs.rows_per_learn - std::min(needs.rows_per_learn, progress.buffer_rows));
}

}  // namespace

const spar::Schema<Options>& Async::schema() {
  static const spar::Schema<Options> instance =
      spar::Schema<Options>()
          .integer("learners", &Options::learners, spar::between(1, 64), "gradient workers of each agent")
          .text("mode", &Options::mode, {"bsp", "asp", "ssp"},
                "how gradients are applied: their mean in step, each as it comes, or so with a bound on who is ahead")
          .integer("max_staleness", &Options::max_staleness, spar::between(0, 1'000'000),
                   "of ssp: updates that a worker may be ahead of the slowest")
          .real("samples_per_insert", &Options::samples_per_insert, spar::between(0, 1e9),
                "rows drawn from memory for each transition; 0: as the algorithm's own cadence says");
  return instance;
}

Async::Async(const spar::Context&, const Options& options, const spar_world& world) : options_(options), cadence_({}) {
  std::deque<Members> alone;
  for (uint32_t i = 0; i < world.n_agents; ++i) alone.push_back({world.agents[i]->id, {i}});
  make_plan(std::move(alone));
}

void Async::set_groups(const spar_group* const* groups, uint32_t n) {
  std::deque<Members> members;
  for (uint32_t i = 0; i < n; ++i) {
    const spar_group& group = *groups[i];
    members.push_back({group.name, {group.agents, group.agents + group.n_agents}, group.algorithm_slot});
  }
  make_plan(std::move(members));
}

void Async::make_plan(std::deque<Members> members) {
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
    group.apply = apply_of(options_.mode);
    group.actors = 1;
    group.learners = static_cast<uint32_t>(options_.learners);
    group.samples_per_insert = options_.samples_per_insert;
    if (options_.mode != "bsp") {
      group.flags = SPAR_GROUP_BESIDE;
      group.max_staleness = static_cast<uint32_t>(options_.max_staleness);
    }
    pointers_.push_back(&group);
    rows.push_back(who.agents.size());
  }
  begin_.assign(rows.size(), kNotYet);
  updates_.assign(rows.size(), 0);
  cadence_ = common::Cadence(std::move(rows));
}

void Async::plan(spar_plan& out) const {
  out.n_groups = static_cast<uint32_t>(pointers_.size());
  out.groups = pointers_.data();
}

void Async::next(const spar_progress& progress, spar_directive& out) {
  if (options_.mode == "bsp")
    return options_.samples_per_insert > 0 ? next_in_step(progress, out) : cadence_.next(progress, out);
  if (progress.worker == 0) {
    out.what = SPAR_DO_COLLECT;
    out.amount = kMany;
  } else if (ready(progress)) {
    out.what = SPAR_DO_LEARN;
    out.amount = progress.needs->updates;
  } else {
    out.what = SPAR_DO_COLLECT;
    out.amount = missing(progress);
  }
}

void Async::next_in_step(const spar_progress& progress, spar_directive& out) {
  uint64_t &begin = begin_[progress.group], &updates = updates_[progress.group];
  out.what = SPAR_DO_COLLECT;
  out.amount = missing(progress);
  if (!ready(progress)) return;
  if (begin == kNotYet) begin = progress.env_steps;
  const double rows = static_cast<double>(options_.learners) * static_cast<double>(progress.needs->rows_per_learn);
  const auto since = static_cast<double>(progress.env_steps - begin);
  const auto due = static_cast<uint64_t>(since * options_.samples_per_insert / rows);
  if (due > updates) {
    out.what = SPAR_DO_LEARN;
    out.amount = due - updates;
    updates = due;
    return;
  }
  const double next = std::ceil(static_cast<double>(updates + 1) * rows / options_.samples_per_insert);
  out.amount = static_cast<uint64_t>(std::max(1.0, next - since));
}

void Async::save(spar::StreamWriter& writer) const {
  cadence_.save(writer);
  writer.array(begin_);
  writer.array(updates_);
}

void Async::load(spar::StreamReader& reader) {
  cadence_.load(reader);
  reader.array(begin_);
  reader.array(updates_);
}

}  // namespace async
