#include "core/game/cfr.hpp"

#include <algorithm>

#include "core/game/exploitability.hpp"

namespace spar::game {

Cfr::Cfr(const SequenceForm& form, Variant variant) : form_(form), variant_(variant) {
  size_t longest = 0;
  for (const Player& player : form.players) {
    regret_.emplace_back(player.sequences());
    sum_.emplace_back(player.sequences());
    behaviour_.emplace_back(player.sequences(), 1.0);
    plan_.emplace_back(player.sequences(), 1.0);
    longest = std::max(longest, player.sequences());
  }
  values_.resize(longest);
  for (size_t p = 0; p < form.players.size(); ++p) match_regrets(p);
}

/// Each action in proportion to its positive regret, uniform where there is none; the plan along with it.
void Cfr::match_regrets(size_t p) {
  const Player& player = form_.players[p];
  const double* regret = regret_[p].data();
  double* behaviour = behaviour_[p].data();
  double* plan = plan_[p].data();
  for (size_t i = 0; i < player.infosets(); ++i) {
    const size_t first = player.begin(i), end = player.end(i);
    double sum = 0;
    for (size_t s = first; s < end; ++s) sum += std::max(regret[s], 0.0);
    const double reach = plan[player.above(i)];
    const double even = 1.0 / static_cast<double>(end - first);
    for (size_t s = first; s < end; ++s) {
      behaviour[s] = sum > 0 ? std::max(regret[s], 0.0) / sum : even;
      plan[s] = reach * behaviour[s];
    }
  }
}

void Cfr::iterate() {
  ++iterations_;
  const bool plus = variant_ == Variant::plus;
  const double weight = plus ? static_cast<double>(iterations_) : 1.0;
  for (size_t p = 0; p < form_.players.size(); ++p) {
    const Player& player = form_.players[p];
    for (size_t s = 0; s < player.sequences(); ++s) sum_[p][s] += weight * plan_[p][s];
    // The gradient holds what chance and the others contribute, so below it lie counterfactual values.
    gradient(form_, p, plan_, values_);
    double* regret = regret_[p].data();
    const double* behaviour = behaviour_[p].data();
    for (size_t i = player.infosets(); i-- > 0;) {
      const size_t first = player.begin(i), end = player.end(i);
      double value = 0;
      for (size_t s = first; s < end; ++s) value += behaviour[s] * values_[s];
      for (size_t s = first; s < end; ++s) {
        const double sum = regret[s] + values_[s] - value;
        regret[s] = plus ? std::max(sum, 0.0) : sum;
      }
      values_[player.above(i)] += value;
    }
    match_regrets(p);
  }
}

std::vector<Plan> Cfr::average() const {
  if (iterations_ == 0) return plan_;
  std::vector<Plan> out = sum_;
  for (Plan& plan : out) {
    const double whole = plan[0];
    for (double& x : plan) x /= whole;
  }
  return out;
}

void Cfr::save(ByteWriter& writer) const {
  writer.put(iterations_);
  for (size_t p = 0; p < form_.players.size(); ++p) {
    writer.array<double>(regret_[p]);
    writer.array<double>(sum_[p]);
  }
}

void Cfr::load(ByteReader& reader) {
  iterations_ = reader.get<uint64_t>();
  for (size_t p = 0; p < form_.players.size(); ++p) {
    reader.array(std::span(regret_[p]));
    reader.array(std::span(sum_[p]));
    match_regrets(p);
  }
}

}  // namespace spar::game
