// What the learning gates share: how many seeds must reach a score.
#pragma once

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <string>
#include <vector>

#include "support/training_run.hpp"

namespace spar::test {

/// Three seeds are asked for, not one.
inline bool all_seeds() { return std::getenv("SPAR_TEST_ALL") != nullptr; }

/// One seed by default; three with SPAR_TEST_ALL, of which two must reach `pass`. `check`: what must hold of each run.
template <class Check>
void gate(const std::string& source, const std::vector<std::string>& assignments, double pass, Check check) {
  const int seeds = all_seeds() ? 3 : 1, needed = all_seeds() ? 2 : 1;
  int passed = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    auto with_seed = assignments;
    with_seed.push_back("seed=" + std::to_string(seed));
    TrainingRun run(source, with_seed);
    run.run();
    const double best = run.training().counters.best_return.value_or(-1e300);
    BOOST_TEST_MESSAGE("seed " << seed << ": best evaluation " << best << " after " << run.training().counters.env_steps
                               << " steps, " << run.training().counters.seconds << " s");
    passed += best >= pass;
    check(run);
  }
  BOOST_TEST(passed >= needed, passed << " of " << seeds << " seeds reached " << pass << ", expected " << needed);
}

inline void gate(const std::string& source, const std::vector<std::string>& assignments, double pass) {
  gate(source, assignments, pass, [](TrainingRun&) {});
}

}  // namespace spar::test
