// The worked numbers again, through the whole memory.
#include "support/golden.hpp"

#include <map>

#include "core/replay/fixture.hpp"
#include "core/replay/replay_table.hpp"

using namespace spar;
using namespace spar::replay;
using namespace spar::test;

namespace {

struct Row {
  double obs, reward, discount, next;
  bool terminated;
};

/// Everything in a memory by index.
std::map<uint64_t, Row> contents(Buffer& buffer) {
  std::map<uint64_t, Row> rows;
  const Sample sample(buffer, 64 * buffer.size());
  const auto obs = sample.column<float>("obs"), next = sample.column<float>("next_obs");
  const auto reward = sample.column<float>("reward"), discount = sample.column<float>("discount");
  const auto terminated = sample.column<uint8_t>("terminated");
  for (size_t i = 0; i < sample.rows(); ++i)
    rows[sample.index(i)] = {obs[2 * i], reward[i], discount[i], next[2 * i], terminated[i] != 0};
  BOOST_REQUIRE(rows.size() == buffer.size());
  return rows;
}

bool near_golden(double a, double b) { return std::abs(a - b) <= 1e-6 * std::max(1.0, std::abs(b)); }

}  // namespace

BOOST_AUTO_TEST_SUITE(replay_golden)

BOOST_AUTO_TEST_CASE(windows_end_with_their_episode) {
  const Json golden_case = golden("nstep.windows");
  const Json& in = golden_case.at("inputs");
  const auto reward = numbers(in.at("rewards")), terminated = numbers(in.at("terminated"));
  const auto truncated = numbers(in.at("truncated"));
  const auto& names = in.at("next_obs").as_array();
  Buffer buffer(small_spec(SPAR_BUF_REPLAY, 100, 1, 3, number(in.at("gamma"))), Philox(1, "replay"));
  std::map<std::string, float> number_of;
  for (size_t t = 0; t < reward.size(); ++t) {
    const float next = number_of[std::string(names[t].as_string())] = static_cast<float>(100 + t);
    append(buffer,
           {{static_cast<float>(t), next, static_cast<float>(reward[t]), terminated[t] != 0, truncated[t] != 0}});
  }
  const auto rows = contents(buffer);
  const auto& windows = golden_case.at("expected").at("windows").as_array();
  const auto targets = numbers(golden_case.at("expected").at("targets"));
  BOOST_REQUIRE(rows.size() == windows.size());
  for (const auto& [index, row] : rows) {
    const Json& window = windows[index];
    BOOST_TEST(row.obs == number(window.at("t")));
    BOOST_TEST(near_golden(row.reward, number(window.at("R"))));
    BOOST_TEST(near_golden(row.discount, number(window.at("discount"))));
    BOOST_TEST(row.next == number_of.at(std::string(window.at("next_obs").as_string())));
    BOOST_TEST(row.terminated == (number(window.at("terminated")) != 0));
    BOOST_TEST(near_golden(row.reward + row.discount * number(in.at("V_of_any_nonterminal")), targets[index]));
  }
}

BOOST_AUTO_TEST_CASE(windows_of_two_copies_do_not_mix) {
  const Json golden_case = golden("nstep.two_envs");
  const Json& in = golden_case.at("inputs");
  Buffer buffer(small_spec(SPAR_BUF_REPLAY, 100, 2, 2, number(in.at("gamma"))), Philox(1, "replay"));
  float time = 0;
  for (const Json& arrival : in.at("arrival").as_array()) {
    const uint64_t lane = arrival.at(0).as_string() == "env0" ? 0 : 1;
    append(buffer, {{time++, 0, static_cast<float>(number(arrival.at(1))), false, false, lane}});
  }
  const auto rows = contents(buffer);
  check({rows.at(0).reward, rows.at(1).reward},
        Json{number(golden_case.at("expected").at("env0_t0")), number(golden_case.at("expected").at("env1_t0"))});
  check_not(rows.at(0).reward, golden_case.at("wrong").at("F09_interleaved_env0_t0"));
  check_not(rows.at(1).reward, golden_case.at("wrong").at("F09_interleaved_env1_t0"));
}

BOOST_AUTO_TEST_CASE(no_window_crosses_the_cursor) {
  const Json golden_case = golden("nstep.ring_wrap");
  const Json& in = golden_case.at("inputs");
  const auto reward = numbers(in.at("rewards_in_push_order"));
  const auto capacity = in.at("capacity").to_number<uint64_t>();
  Buffer buffer(small_spec(SPAR_BUF_REPLAY, capacity, 1, 3, number(in.at("gamma"))), Philox(1, "replay"));
  for (size_t t = 0; t < reward.size(); ++t)
    append(buffer, {{static_cast<float>(t), static_cast<float>(t + 1), static_cast<float>(reward[t]), false,
                     t + 1 == reward.size()}});
  for (const auto& [index, row] : contents(buffer)) {
    const Json& expected = golden_case.at("expected").at("by_slot").at(std::to_string(index % capacity));
    BOOST_TEST(row.obs == number(expected.at("time")));
    BOOST_TEST(near_golden(row.reward, number(expected.at("R"))));
    BOOST_TEST(near_golden(row.discount, number(expected.at("discount"))));
    BOOST_TEST(row.next == number(expected.at("boot_time")));
    BOOST_TEST(!near_golden(row.reward, number(golden_case.at("wrong").at("F10_slot1_crosses_cursor"))));
  }
}

BOOST_AUTO_TEST_CASE(next_observation_is_the_true_one_at_a_truncation_and_at_the_cursor) {
  const Json golden_case = golden("replay.next_obs_once");
  std::map<std::string, float> number_of = {{"A_final", 99.0f}};
  for (int i = 0; i < 7; ++i) number_of["o" + std::to_string(i)] = static_cast<float>(i);
  Buffer buffer(small_spec(SPAR_BUF_REPLAY, golden_case.at("inputs").at("capacity").to_number<uint64_t>()),
                Philox(1, "replay"));
  for (int t = 0; t < 6; ++t) {
    const std::string next = t == 3 ? "A_final" : "o" + std::to_string(t + 1);
    append(buffer, {{static_cast<float>(t), number_of.at(next), 0, false, t == 3}});
  }
  const auto rows = contents(buffer);
  for (const auto& [time, next] : golden_case.at("expected").at("next_obs").as_object()) {
    const Row& row = rows.at(std::stoul(std::string(time).substr(1)));
    BOOST_TEST(row.next == number_of.at(std::string(next.as_string())));
    BOOST_TEST(row.discount > 0);
  }
  BOOST_TEST(rows.at(3).next != number_of.at("o4"));
  BOOST_TEST(rows.at(5).next != number_of.at("o2"));
}

BOOST_AUTO_TEST_CASE(priorities_and_weights_are_those_of_schaul) {
  const Json golden_case = golden("per.basic");
  const Json &in = golden_case.at("inputs"), &expected = golden_case.at("expected");
  BufferSpec spec = small_spec(SPAR_BUF_PRIORITIZED, 8);
  spec.alpha = number(in.at("alpha"));
  spec.eps = number(in.at("eps"));
  Buffer buffer(spec, Philox(1, "replay"));
  append_counting(buffer, 0, 4);
  const uint64_t index[] = {0, 1, 2, 3};
  std::vector<float> p;
  for (const double td : numbers(in.at("td"))) p.push_back(static_cast<float>(std::abs(td)));
  buffer.set_priority(index, p.data(), 4);
  const auto& table = dynamic_cast<const ReplayTable&>(buffer.memory());
  std::vector<double> probability;
  for (const uint64_t i : index) probability.push_back(table.probability(i));
  check(probability, expected.at("P"));

  // As many rows as make each of the four drawn: then the largest weight is that of all.
  const Sample sample(buffer, 4000, number(in.at("beta")));
  const auto weight = numbers(expected.at("w_norm"));
  std::map<uint64_t, int> counts;
  for (size_t row = 0; row < sample.rows(); ++row) {
    ++counts[sample.index(row)];
    BOOST_TEST(near_golden(sample.weight(row), weight[sample.index(row)]));
  }
  BOOST_REQUIRE(counts.size() == 4u);
  // One draw from each of 4000 equal parts: a count is off by at most the two parts at its ends.
  for (const auto& [i, count] : counts) BOOST_TEST(std::abs(count - 4000 * probability[i]) <= 2);

  append_counting(buffer, 4, 5);
  const double total = number(expected.at("total")), mass = number(expected.at("new_transition_p_alpha"));
  check(table.probability(4), Json(mass / (total + mass)));
  check_not(table.probability(4),
            Json(std::pow(number(golden_case.at("wrong").at("F11_new_priority_one")), spec.alpha) / (total + 1)));
}

BOOST_AUTO_TEST_CASE(late_priority_of_an_overwritten_slot_is_dropped) {
  const Json golden_case = golden("per.stale_index");
  const Json& in = golden_case.at("inputs");
  const auto capacity = in.at("capacity").to_number<uint64_t>();
  BufferSpec spec = small_spec(SPAR_BUF_PRIORITIZED, capacity);
  spec.eps = 1e-12;
  Buffer buffer(spec, Philox(1, "replay"));
  append_counting(buffer, 0, 2);
  const uint64_t first = 0;
  const float largest = static_cast<float>(number(in.at("max_priority")));
  buffer.set_priority(&first, &largest, 1);
  append_counting(buffer, 2, 4);
  const auto& table = dynamic_cast<const ReplayTable&>(buffer.memory());
  const float late = static_cast<float>(number(in.at("late_update").at("priority")));
  buffer.set_priority(&first, &late, 1);
  BOOST_TEST(table.probability(0) == 0.0);  // gone
  BOOST_TEST(near_golden(table.probability(2), 0.5));
  const uint64_t fresh = 2;
  buffer.set_priority(&fresh, &late, 1);  // in time: this one counts
  BOOST_TEST(near_golden(table.probability(2), 0.01 / 2.01));
}

BOOST_AUTO_TEST_SUITE_END()
