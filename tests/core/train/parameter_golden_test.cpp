// Serial results stay the same, bit for bit, from one version to the next: the parameters of short trainings of every
// algorithm against recorded hashes. Kernels, replay, rollout, losses and generators all take part.
#include <boost/test/unit_test.hpp>

#include "core/nn/tier.hpp"
#include "support/json_file.hpp"
#include "support/sanitized.hpp"
#include "support/training_run.hpp"

using namespace spar;
using namespace spar::test;

namespace {

// The hashes are those of GCC's optimised kernels; another compiler contracts and sums in another order.
#if defined(__clang__)
constexpr bool kRecorded = false;
#else
constexpr bool kRecorded = !kSanitized;
#endif

/// The tier for one test; the one of before comes back.
struct Avx2 {
  Avx2() { nn::set_tier(nn::Tier::avx2); }
  ~Avx2() { nn::set_tier(before); }
  nn::Tier before = nn::tier_from_name(nn::active_tier());
};

std::vector<std::string> texts(const boost::json::value& list) {
  std::vector<std::string> out;
  for (const auto& item : list.as_array()) out.emplace_back(item.as_string());
  return out;
}

/// Hash of the parameters after the training that an entry of the file describes.
std::string trained(const boost::json::value& entry, const std::vector<std::string>& always) {
  std::vector<std::string> assignments = texts(entry.at("assignments"));
  assignments.insert(assignments.end(), always.begin(), always.end());
  TrainingRun run(std::string(entry.at("preset").as_string()), assignments);
  run.run();
  BOOST_TEST(run.training().counters.updates > 0u);
  return run.training().parameters_sha256();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(parameter_golden)

// Asked here and not by a decorator, which does not count where a suite is run by its name.
BOOST_AUTO_TEST_CASE(every_algorithm_learns_the_recorded_parameters) {
  if (!kRecorded || !nn::tier_available(nn::Tier::avx2)) {
    BOOST_TEST_MESSAGE("another compiler or no AVX2: nothing to compare");
    return;
  }
  const Avx2 tier;
  const auto file = json_file("golden_parameters.json");
  const std::vector<std::string> always = texts(file.at("always"));
  for (const auto& entry : file.at("runs").as_array()) {
    BOOST_TEST_CONTEXT(entry.at("name").as_string()) {
      BOOST_TEST(trained(entry, always) == std::string(entry.at("sha256").as_string()));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
