#include "core/game/plan.hpp"

#include "core/game/strands.hpp"

namespace spar::game {

Plan to_plan(const Player& player, std::span<const double> behaviour) {
  Plan plan;
  to_plan(player, behaviour, plan);
  return plan;
}

void to_plan(const Player& player, std::span<const double> behaviour, Plan& plan) {
  plan.resize(player.sequences());
  plan[0] = 1;
  for (size_t i = 0; i < player.infosets(); ++i) {
    const double reach = plan[player.above(i)];
    for (size_t s = player.begin(i); s < player.end(i); ++s) plan[s] = reach * behaviour[s];
  }
}

Behaviour to_behaviour(const Player& player, std::span<const double> plan) {
  Behaviour out(player.sequences(), 1.0);
  for (size_t i = 0; i < player.infosets(); ++i) {
    double sum = 0;  // of the choices rather than of the parent: adds to 1 also after rounding
    const size_t begin = player.begin(i), end = player.end(i);
    for (size_t s = begin; s < end; ++s) sum += plan[s];
    for (size_t s = begin; s < end; ++s) out[s] = sum > 0 ? plan[s] / sum : 1.0 / static_cast<double>(end - begin);
  }
  return out;
}

Behaviour uniform(const Player& player) {
  Behaviour out(player.sequences(), 1.0);
  for (size_t i = 0; i < player.infosets(); ++i)
    for (size_t s = player.begin(i); s < player.end(i); ++s) out[s] = 1.0 / player.choices(i);
  return out;
}

Behaviour always(const Player& player, const std::function<size_t(size_t, std::span<const int64_t>)>& choice) {
  Behaviour out(player.sequences(), 0.0);
  out[0] = 1;
  for (size_t i = 0; i < player.infosets(); ++i) {
    const size_t begin = player.begin(i);
    out[begin + choice(i, {player.action.data() + begin, static_cast<size_t>(player.choices(i))})] = 1;
  }
  return out;
}

SparsePlan sparse(std::span<const double> plan) {
  SparsePlan out;
  bool pure = true;
  for (size_t s = 0; s < plan.size(); ++s) {
    if (plan[s] == 0) continue;
    out.sequence.push_back(static_cast<int32_t>(s));
    out.weight.push_back(plan[s]);
    pure = pure && plan[s] == 1;
  }
  if (pure) out.weight = {};
  return out;
}

Plan dense(const Player& player, const SparsePlan& plan) {
  Plan out(player.sequences());
  add(plan, 1, out);
  return out;
}

SparsePlan pure(const Player& player, std::span<const int32_t> choice) {
  SparsePlan out;
  std::vector<char> reached(player.sequences());
  reached[0] = 1;
  out.sequence.push_back(0);
  for (size_t i = 0; i < player.infosets(); ++i) {
    if (!reached[player.above(i)]) continue;
    const int32_t s = player.first[i] + choice[i];
    reached[static_cast<size_t>(s)] = 1;
    out.sequence.push_back(s);
  }
  return out;
}

void add(const SparsePlan& added, double weight, std::span<double> plan) {
  if (added.weight.empty()) {
    for (const int32_t s : added.sequence) plan[static_cast<size_t>(s)] += weight;
    return;
  }
  for (size_t k = 0; k < added.sequence.size(); ++k)
    plan[static_cast<size_t>(added.sequence[k])] += weight * added.weight[k];
}

double dot(std::span<const double> gradient, const SparsePlan& plan) {
  if (plan.weight.empty())
    return sum_of(plan.sequence.size(), [&](size_t k) { return gradient[static_cast<size_t>(plan.sequence[k])]; });
  double sum = 0;
  for (size_t k = 0; k < plan.sequence.size(); ++k)
    sum += gradient[static_cast<size_t>(plan.sequence[k])] * plan.weight[k];
  return sum;
}

}  // namespace spar::game
