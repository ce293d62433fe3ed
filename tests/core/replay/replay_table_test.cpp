#include "core/replay/replay_table.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "core/replay/fixture.hpp"

using namespace spar;
using namespace spar::replay;
using namespace spar::test;

namespace {

struct Reference {
  double obs, reward, discount, next;
  bool terminated;
  int64_t action;
};

/// n-step transitions worked out from whole episodes by the definition, in the order in which they become known.
class ReferenceTable {
 public:
  ReferenceTable(uint64_t lanes, uint32_t n, double gamma) : lanes_(lanes), n_(n), gamma_(gamma) {}

  void add(const Step& step) {
    auto& lane = lanes_[step.lane];
    lane.steps.push_back(step);
    const bool ended = step.terminated || step.truncated;
    while (lane.done < lane.steps.size() && (ended || lane.steps.size() - lane.done == n_)) {
      const size_t length = lane.steps.size() - lane.done;
      double reward = 0;
      for (size_t i = 0; i < length; ++i)
        reward += std::pow(gamma_, static_cast<double>(i)) * static_cast<double>(lane.steps[lane.done + i].reward);
      const Step& first = lane.steps[lane.done];
      all.push_back({first.obs, reward, step.terminated ? 0 : std::pow(gamma_, static_cast<double>(length)), step.next,
                     step.terminated, first.action});
      ++lane.done;
    }
    if (ended) lane = {};
  }

  std::vector<Reference> all;

 private:
  struct Lane {
    std::vector<Step> steps;
    size_t done = 0;
  };
  std::vector<Lane> lanes_;
  size_t n_;
  double gamma_;
};

bool near(double a, double b) { return std::abs(a - b) <= 1e-5 * std::max(1.0, std::abs(b)); }

void check_row(const Sample& sample, size_t row, const Reference& expected) {
  const auto obs = sample.column<float>("obs"), next = sample.column<float>("next_obs");
  BOOST_TEST(obs[2 * row] == expected.obs);
  BOOST_TEST(obs[2 * row + 1] == -expected.obs);
  BOOST_TEST(next[2 * row] == expected.next);
  BOOST_TEST(next[2 * row + 1] == -expected.next);
  BOOST_TEST(near(sample.column<float>("reward")[row], expected.reward));
  BOOST_TEST(near(sample.column<float>("discount")[row], expected.discount));
  BOOST_TEST((sample.column<uint8_t>("terminated")[row] == expected.terminated));
  BOOST_TEST(sample.column<int64_t>("action")[row] == expected.action);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(replay_table)

BOOST_AUTO_TEST_CASE(oldest_item_leaves_when_full) {
  Buffer buffer(small_spec(SPAR_BUF_REPLAY, 3), Philox(1, "replay"));
  append_counting(buffer, 0, 5);
  BOOST_TEST(buffer.size() == 3u);
  BOOST_TEST(buffer.inserted() == 5u);
  const Sample sample(buffer, 200);
  const auto action = sample.column<int64_t>("action");
  const std::set<int64_t> seen(action.begin(), action.end());
  BOOST_TEST(seen == (std::set<int64_t>{2, 3, 4}), boost::test_tools::per_element());
  for (size_t row = 0; row < 200; ++row) BOOST_TEST(static_cast<int64_t>(sample.index(row)) == action[row]);
}

BOOST_AUTO_TEST_CASE(capacity_counts_transitions_and_open_windows_do_not) {
  Buffer buffer(small_spec(SPAR_BUF_REPLAY, 10, 1, 4), Philox(1, "replay"));
  append_counting(buffer, 0, 3);
  BOOST_TEST(buffer.size() == 0u);
  append_counting(buffer, 3, 5);
  BOOST_TEST(buffer.size() == 2u);
}

BOOST_AUTO_TEST_CASE(random_episodes_give_the_transitions_of_the_definition) {
  for (const uint32_t kind : {SPAR_BUF_REPLAY, SPAR_BUF_PRIORITIZED})
    for (const uint32_t n : {1u, 2u, 3u, 5u})
      for (const uint64_t capacity : {1u, 7u, 64u, 4096u}) {
        const uint64_t lanes = 3;
        const double gamma = 0.97;
        Philox random(n * 100 + capacity, "episodes");
        Buffer buffer(small_spec(kind, capacity, lanes, n, gamma), Philox(9, "replay"));
        ReferenceTable reference(lanes, n, gamma);
        float name = 0;
        for (int call = 0; call < 60; ++call) {
          std::vector<Step> steps;
          for (uint64_t lane = 0; lane < lanes; ++lane) {
            if (random.uniform() < 0.2) continue;  // not every copy moves at every call
            Step step;
            step.obs = name;
            step.next = name + 0.5f;
            step.reward = static_cast<float>(random.normal());
            step.terminated = random.uniform() < 0.1;
            step.truncated = random.uniform() < 0.1;
            step.lane = lane;
            step.action = static_cast<int64_t>(1000 * name);
            ++name;
            steps.push_back(step);
          }
          append(buffer, steps);
          for (const Step& step : steps) reference.add(step);
        }
        BOOST_REQUIRE(buffer.inserted() == reference.all.size());
        BOOST_REQUIRE(buffer.size() == std::min<uint64_t>(capacity, reference.all.size()));
        const Sample sample(buffer, 100, 0.5);
        for (size_t row = 0; row < sample.rows(); ++row) {
          BOOST_REQUIRE(sample.index(row) < reference.all.size());
          BOOST_REQUIRE(sample.index(row) + capacity >= reference.all.size());
          check_row(sample, row, reference.all[sample.index(row)]);
        }
      }
}

BOOST_AUTO_TEST_CASE(uniform_draw_gives_every_transition_the_same_chance) {
  Buffer buffer(small_spec(SPAR_BUF_REPLAY, 10), Philox(4, "replay"));
  append_counting(buffer, 0, 10);
  std::map<uint64_t, int> counts;
  const Sample sample(buffer, 20000);
  for (size_t row = 0; row < sample.rows(); ++row) ++counts[sample.index(row)];
  BOOST_TEST(counts.size() == 10u);
  for (const auto& [index, count] : counts) BOOST_TEST(std::abs(count - 2000) < 5 * std::sqrt(1800.0));
  BOOST_TEST((sample.batch().weight == nullptr));
}

BOOST_AUTO_TEST_CASE(samples_depend_on_the_stream_of_the_memory_alone) {
  const auto indices = [](uint64_t seed) {
    Buffer buffer(small_spec(SPAR_BUF_REPLAY, 50), Philox(seed, "replay"));
    append_counting(buffer, 0, 50);
    const Sample sample(buffer, 20);
    return std::vector<uint64_t>(sample.batch().index, sample.batch().index + 20);
  };
  BOOST_TEST(indices(1) == indices(1), boost::test_tools::per_element());
  BOOST_TEST((indices(1) != indices(2)));
}

BOOST_AUTO_TEST_CASE(cut_drops_open_windows_so_that_no_window_spans_a_reset) {
  Buffer buffer(small_spec(SPAR_BUF_REPLAY, 10, 1, 3, 1.0), Philox(1, "replay"));
  append_counting(buffer, 0, 2);
  buffer.cut();
  append_counting(buffer, 10, 13);
  BOOST_TEST(buffer.size() == 1u);
  const Sample sample(buffer, 1);
  BOOST_TEST(sample.column<float>("reward")[0] == 33.0f);
  BOOST_TEST(sample.column<float>("obs")[0] == 10.0f);
}

BOOST_AUTO_TEST_CASE(dictionary_leaves_and_masks_come_with_their_next) {
  BufferSpec spec = small_spec(SPAR_BUF_REPLAY, 4);
  spec.observed = {{"obs/a", SPAR_DTYPE_FLOAT, 32, {3}},
                   {"obs/b/c", SPAR_DTYPE_UINT, 8, {5}},
                   {"action_mask", SPAR_DTYPE_UINT, 8, {2}}};
  spec.acted.push_back({"logp", SPAR_DTYPE_FLOAT, 64, {}});
  Buffer buffer(spec, Philox(1, "replay"));
  const float a[] = {1, 2, 3}, next_a[] = {4, 5, 6}, reward[] = {0.5f};
  const uint8_t b[] = {1, 2, 3, 4, 5}, next_b[] = {6, 7, 8, 9, 10}, mask[] = {1, 0}, next_mask[] = {0, 1}, off[] = {0};
  const int64_t action[] = {7};
  const double logp[] = {-0.25};
  const void *observed[] = {a, b, mask}, *acted[] = {action, logp}, *next[] = {next_a, next_b, next_mask};
  buffer.append({1, nullptr, observed, acted, next, reward, off, off});
  const Sample sample(buffer, 2);
  const auto tail = [](const auto& values) { return std::vector(values.end() - values.size() / 2, values.end()); };
  BOOST_TEST(tail(sample.column<float>("obs/a")) == std::vector<float>(a, a + 3), boost::test_tools::per_element());
  BOOST_TEST(tail(sample.column<float>("next_obs/a")) == std::vector<float>(next_a, next_a + 3),
             boost::test_tools::per_element());
  BOOST_TEST((tail(sample.column<uint8_t>("obs/b/c")) == std::vector<uint8_t>(b, b + 5)));
  BOOST_TEST((tail(sample.column<uint8_t>("next_obs/b/c")) == std::vector<uint8_t>(next_b, next_b + 5)));
  BOOST_TEST((tail(sample.column<uint8_t>("action_mask")) == std::vector<uint8_t>{1, 0}));
  BOOST_TEST((tail(sample.column<uint8_t>("next_action_mask")) == std::vector<uint8_t>{0, 1}));
  BOOST_TEST(tail(sample.column<double>("logp"))[0] == -0.25);
  BOOST_TEST(tail(sample.column<int64_t>("action"))[0] == 7);
}

BOOST_AUTO_TEST_CASE(rows_that_do_not_fit_are_refused_and_change_nothing) {
  Buffer buffer(small_spec(SPAR_BUF_REPLAY, 4, 2), Philox(1, "replay"));
  const auto before = saved(buffer);
  BOOST_CHECK_EXCEPTION(append(buffer, {{.lane = 0}, {.lane = 2}}), Error, error_with("E0802", "lane 2"));
  BOOST_CHECK_EXCEPTION(append(buffer, {{.reward = std::numeric_limits<float>::quiet_NaN(), .lane = 1}}), Error,
                        error_with("E0802", "reward of lane 1"));
  const float reward[] = {0};
  const uint8_t off[] = {0};
  const float obs[] = {0, 0};
  const int64_t action[] = {0};
  const void *observed[] = {obs}, *acted[] = {action}, *missing[] = {nullptr};
  BOOST_CHECK_EXCEPTION(buffer.append({1, nullptr, observed, {}, observed, reward, off, off}), Error,
                        error_with("E0802", "`acted`"));
  BOOST_CHECK_EXCEPTION(buffer.append({1, nullptr, missing, acted, observed, reward, off, off}), Error,
                        error_with("E0802", "`observed` is missing"));
  BOOST_CHECK_EXCEPTION(buffer.append({1, nullptr, observed, acted, {}, reward, off, off}), Error,
                        error_with("E0802", "`next`"));
  BOOST_CHECK_EXCEPTION(buffer.append({1, nullptr, observed, acted, observed, nullptr, off, off}), Error,
                        error_with("E0802", "reward"));
  BOOST_TEST((saved(buffer) == before));
}

BOOST_AUTO_TEST_SUITE_END()
