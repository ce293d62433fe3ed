// What a runtime id plays: one of several policies, drawn with given probabilities.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace spar {

/// A plain value, for any thread.
struct StrategySpec {
  std::string id;                       ///< runtime id
  std::vector<std::string> policy_ids;  ///< oldest first: "policy-0", ..; the
                                        ///< newest is the one in training
  std::vector<double> probabilities;    ///< of each

  /// Throws E1204 unless there are as many probabilities as policies, none negative, with a sum of 1 (up to 1e-9).
  void check() const;
  /// The policy that a number drawn uniformly from [0, 1) chooses.
  const std::string& choose(double uniform) const;
  /// Another mixture over the same policies; those that are not named get 0. Throws E1202 for a policy that there is
  /// not, E1204 as check().
  StrategySpec with(const std::map<std::string, double>& distribution) const;
};

}  // namespace spar
