#include "core/game/psro.hpp"

#include <algorithm>

#include "core/game/mixture.hpp"

namespace spar::game {

Psro::Psro(const SequenceForm& form, std::unique_ptr<MetaSolver> solver, const std::vector<Behaviour>& start)
    : form_(form), solver_(std::move(solver)), table_(form.players.size()) {
  size_t longest = 0;
  for (size_t p = 0; p < form.players.size(); ++p) {
    const Player& player = form.players[p];
    const Behaviour first = start.empty() ? uniform(player) : start[p];
    populations_.push_back({sparse(to_plan(player, first))});
    plans_.push_back(dense(player, populations_[p][0]));
    mixture_.push_back({1.0});
    scratch_.emplace_back(player.sequences());
    choice_.emplace_back(player.infosets());
    longest = std::max(longest, player.sequences());
  }
  values_.resize(longest);
}

/// Two players with zero sum: one product of the new strategy with the payoffs serves all of its cells.
void Psro::fill_bilinear() {
  const std::vector<size_t> sizes = table_.sizes();
  size_t known[2] = {mixture_[0].size(), mixture_[1].size()};
  if (iterations_ == 0) known[0] = known[1] = 0;
  const auto against = [&](size_t p, size_t i) {  // values_: what the other gets for its sequences against i of p
    std::ranges::fill(scratch_[p], 0.0);
    add(populations_[p][i], 1, scratch_[p]);
    gradient(form_, 1 - p, scratch_, values_);
  };
  const auto set = [&](size_t i, size_t j, double first) {
    table_.row(0, j)[i] = first;
    table_.row(1, i)[j] = 0.0 - first;  // never -0
  };
  for (size_t i = known[0]; i < sizes[0]; ++i) {
    against(0, i);
    for (size_t j = 0; j < sizes[1]; ++j) set(i, j, 0.0 - dot(values_, populations_[1][j]));
  }
  for (size_t j = known[1]; j < sizes[1]; ++j) {
    against(1, j);
    for (size_t i = 0; i < known[0]; ++i) set(i, j, dot(values_, populations_[0][i]));
  }
  table_.complete();
}

void Psro::fill_table() {
  std::vector<size_t> sizes;
  for (const auto& population : populations_) sizes.push_back(population.size());
  table_.grow(sizes);
  if (form_.players.size() == 2 && form_.zero_sum) {
    fill_bilinear();
    return;
  }
  std::vector<Plan> plans(populations_.size());
  table_.fill([&](std::span<const size_t> index) {
    for (size_t p = 0; p < plans.size(); ++p) plans[p] = dense(form_.players[p], populations_[p][index[p]]);
    return values(form_, plans);
  });
}

const Exploitability& Psro::evaluate() {
  fill_table();
  mixture_ = solver_->solve(table_);
  for (size_t p = 0; p < populations_.size(); ++p) mix(form_.players[p], populations_[p], mixture_[p], plans_[p]);
  exploitability(form_, plans_, values_, choice_, result_);
  return result_;
}

void Psro::join(std::vector<SparsePlan> responses) {
  for (size_t p = 0; p < populations_.size(); ++p) {
    if (solver_->counts_copies() || std::ranges::find(populations_[p], responses[p]) == populations_[p].end())
      populations_[p].push_back(std::move(responses[p]));
  }
  ++iterations_;
}

const Exploitability& Psro::iterate() {
  evaluate();
  std::vector<SparsePlan> responses;
  for (size_t p = 0; p < populations_.size(); ++p) responses.push_back(exact_response(p));
  join(std::move(responses));
  return result_;
}

void Psro::save(ByteWriter& writer) const {
  writer.put(iterations_);
  for (size_t p = 0; p < populations_.size(); ++p) {
    writer.put<uint64_t>(populations_[p].size());
    for (const SparsePlan& plan : populations_[p]) {
      writer.array<int32_t>(plan.sequence);
      writer.array<double>(plan.weight);
    }
    writer.array<double>(mixture_[p]);
    writer.array<double>(plans_[p]);
  }
  table_.save(writer);
  writer.array<double>(result_.value);
  writer.array<double>(result_.best_response);
  writer.put(result_.nash_conv);
  writer.put(result_.exploitability);
  solver_->save(writer);
}

void Psro::load(ByteReader& reader) {
  const auto unfit = [] { return Error("E0501", Exit::failed, "the saved populations are not of this game"); };
  iterations_ = reader.get<uint64_t>();
  for (size_t p = 0; p < populations_.size(); ++p) {
    const auto size = reader.get<uint64_t>();
    populations_[p].clear();
    for (uint64_t i = 0; i < size; ++i) {
      SparsePlan plan{reader.vector<int32_t>(), reader.vector<double>()};
      const auto most = static_cast<int32_t>(form_.players[p].sequences());
      if (std::ranges::any_of(plan.sequence, [most](int32_t s) { return s < 0 || s >= most; })) throw unfit();
      if (!plan.weight.empty() && plan.weight.size() != plan.sequence.size()) throw unfit();
      populations_[p].push_back(std::move(plan));
    }
    mixture_[p] = reader.vector<double>();
    if (mixture_[p].empty() || mixture_[p].size() > populations_[p].size()) throw unfit();
    reader.array(std::span(plans_[p]));
  }
  table_ = PayoffTable(populations_.size());
  table_.load(reader);
  result_.value = reader.vector<double>();
  result_.best_response = reader.vector<double>();
  result_.nash_conv = reader.get<double>();
  result_.exploitability = reader.get<double>();
  solver_->load(reader);
}

}  // namespace spar::game
