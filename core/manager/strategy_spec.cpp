#include "core/manager/strategy_spec.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace spar {
namespace {

constexpr double kRounding = 1e-9;

}  // namespace

void StrategySpec::check() const {
  const auto refuse = [this](const std::string& problem) {
    throw Error("E1204", Exit::usage, "the mixture of `" + id + "` " + problem)
        .help("give each policy a probability; together they are 1");
  };
  if (policy_ids.empty()) refuse("has no policies");
  if (policy_ids.size() != probabilities.size())
    refuse("has " + std::to_string(probabilities.size()) + " probabilities for " + std::to_string(policy_ids.size()) +
           " policies");
  double sum = 0;
  for (const double p : probabilities) {
    if (!(p >= 0)) refuse("has the probability " + shortest_text(p) + ", expected at least 0");
    sum += p;
  }
  if (!(std::abs(sum - 1) <= kRounding)) refuse("sums to " + shortest_text(sum) + ", expected 1");
}

const std::string& StrategySpec::choose(double uniform) const {
  check();
  size_t last = 0;
  for (size_t i = 0; i < policy_ids.size(); ++i) {
    if (probabilities[i] == 0) continue;
    last = i;  // of those that can be chosen: rounding may leave a remainder
    uniform -= probabilities[i];
    if (uniform < 0) break;
  }
  return policy_ids[last];
}

StrategySpec StrategySpec::with(const std::map<std::string, double>& distribution) const {
  StrategySpec out{id, policy_ids, std::vector<double>(policy_ids.size(), 0.0)};
  for (const auto& [policy, probability] : distribution) {
    const auto found = std::find(policy_ids.begin(), policy_ids.end(), policy);
    if (found == policy_ids.end())
      throw Error("E1202", Exit::usage, "`" + id + "` has no policy `" + printable(policy) + "`")
          .help("it has " + listing(policy_ids));
    out.probabilities[static_cast<size_t>(found - policy_ids.begin())] = probability;
  }
  out.check();
  return out;
}

}  // namespace spar
