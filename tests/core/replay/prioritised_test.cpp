#include "core/replay/prioritised.hpp"

#include <cmath>
#include <limits>
#include <map>

#include "core/replay/fixture.hpp"
#include "core/replay/replay_table.hpp"

using namespace spar;
using namespace spar::replay;
using namespace spar::test;

namespace {

double probability(const Buffer& buffer, uint64_t index) {
  return dynamic_cast<const ReplayTable&>(buffer.memory()).probability(index);
}

void set(Buffer& buffer, uint64_t index, float p) { buffer.set_priority(&index, &p, 1); }

}  // namespace

BOOST_AUTO_TEST_SUITE(prioritised)

BOOST_AUTO_TEST_CASE(drawn_frequencies_follow_the_probabilities) {
  BufferSpec spec = small_spec(SPAR_BUF_PRIORITIZED, 200);
  spec.alpha = 0.7;
  Buffer buffer(spec, Philox(3, "replay"));
  append_counting(buffer, 0, 150);  // a quarter of the slots stays empty
  Philox random(5, "priorities");
  for (uint64_t i = 0; i < 150; ++i) set(buffer, i, static_cast<float>(10 * random.uniform() * random.uniform()));
  std::map<uint64_t, double> counts;
  const int rounds = 2000;
  const uint64_t n = 32;
  for (int round = 0; round < rounds; ++round) {
    const Sample sample(buffer, n, 0.4);
    for (size_t row = 0; row < n; ++row) ++counts[sample.index(row)];
  }
  double chi2 = 0, total = 0;
  for (uint64_t i = 0; i < 150; ++i) {
    const double expected = rounds * static_cast<double>(n) * probability(buffer, i);
    total += probability(buffer, i);
    chi2 += (counts[i] - expected) * (counts[i] - expected) / expected;
  }
  BOOST_TEST(std::abs(total - 1) < 1e-12);
  BOOST_TEST(counts.rbegin()->first < 150u);
  BOOST_TEST(chi2 < 149 + 5 * std::sqrt(2 * 149.0));  // stratified draws vary less than independent ones
}

BOOST_AUTO_TEST_CASE(each_of_equal_parts_is_drawn_once) {
  Buffer buffer(small_spec(SPAR_BUF_PRIORITIZED, 64), Philox(3, "replay"));
  append_counting(buffer, 0, 64);
  for (int round = 0; round < 20; ++round) {
    const Sample sample(buffer, 64, 1);
    for (size_t row = 0; row < 64; ++row) {
      BOOST_TEST(sample.index(row) == row);
      BOOST_TEST(sample.weight(row) == 1.0);
    }
  }
}

BOOST_AUTO_TEST_CASE(empty_slots_are_never_drawn) {
  Buffer buffer(small_spec(SPAR_BUF_PRIORITIZED, 1000), Philox(3, "replay"));
  append_counting(buffer, 0, 1);
  for (int round = 0; round < 1000; ++round) {
    const Sample sample(buffer, 3, 0.4);
    for (size_t row = 0; row < 3; ++row) BOOST_TEST(sample.index(row) == 0u);
  }
}

BOOST_AUTO_TEST_CASE(new_transitions_get_the_running_maximum) {
  BufferSpec spec = small_spec(SPAR_BUF_PRIORITIZED, 10);
  spec.eps = 0.5;
  Buffer buffer(spec, Philox(3, "replay"));
  append_counting(buffer, 0, 2);  // p = 1 while no priority is known
  set(buffer, 0, 0.25f);          // now the maximum is 0.25 ..
  append_counting(buffer, 2, 3);
  BOOST_TEST(std::abs(probability(buffer, 2) - 0.75 / (0.75 + 1.5 + 0.75)) < 1e-12);
  set(buffer, 1, 4.0f);  // .. and 4, which stays when the transition's own priority falls
  set(buffer, 1, 0.0f);
  append_counting(buffer, 3, 4);
  BOOST_TEST(std::abs(probability(buffer, 3) - 4.5 / (0.75 + 0.5 + 0.75 + 4.5)) < 1e-12);
}

BOOST_AUTO_TEST_CASE(transition_without_error_can_still_be_drawn) {
  Buffer buffer(small_spec(SPAR_BUF_PRIORITIZED, 2), Philox(3, "replay"));
  append_counting(buffer, 0, 2);
  set(buffer, 0, 0.0f);
  BOOST_TEST(probability(buffer, 0) > 0);
}

BOOST_AUTO_TEST_CASE(half_is_the_same_exponent_by_root_and_by_power) {
  const auto share = [](double alpha) {
    BufferSpec spec = small_spec(SPAR_BUF_PRIORITIZED, 2);
    spec.alpha = alpha;
    Buffer buffer(spec, Philox(3, "replay"));
    append_counting(buffer, 0, 2);
    set(buffer, 0, 7.0f);
    return probability(buffer, 0);
  };
  BOOST_TEST(std::abs(share(0.5) - share(std::nextafter(0.5, 1.0))) < 1e-12);
}

BOOST_AUTO_TEST_CASE(overwritten_transition_starts_afresh) {
  Buffer buffer(small_spec(SPAR_BUF_PRIORITIZED, 2), Philox(3, "replay"));
  append_counting(buffer, 0, 2);
  set(buffer, 0, 9.0f);
  set(buffer, 1, 1.0f);
  append_counting(buffer, 2, 3);
  BOOST_TEST(std::abs(probability(buffer, 2) - 9.01 / (9.01 + 1.01)) < 1e-6);
}

BOOST_AUTO_TEST_CASE(impossible_priorities_are_refused_and_change_nothing) {
  Buffer buffer(small_spec(SPAR_BUF_PRIORITIZED, 4), Philox(3, "replay"));
  append_counting(buffer, 0, 2);
  const auto before = saved(buffer);
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const uint64_t index[] = {0, 1};
  for (const float bad : {-0.5f, inf, nan}) {
    const float p[] = {3.0f, bad};
    BOOST_CHECK_EXCEPTION(buffer.set_priority(index, p, 2), Error, error_with("E0804", "p[1]"));
  }
  BOOST_CHECK_EXCEPTION(set(buffer, 2, 1.0f), Error, error_with("E0804", "index 2 was never sampled"));
  BOOST_TEST((saved(buffer) == before));
}

BOOST_AUTO_TEST_CASE(priorities_of_a_uniform_memory_are_refused) {
  Buffer buffer(small_spec(SPAR_BUF_REPLAY, 4), Philox(3, "replay"));
  append_counting(buffer, 0, 2);
  BOOST_CHECK_EXCEPTION(set(buffer, 0, 1.0f), Error, error_with("E0804", "uniformly"));
}

BOOST_AUTO_TEST_SUITE_END()
