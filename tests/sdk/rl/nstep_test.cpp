#include "spar/rl/nstep.hpp"

#include <map>

#include "spar/rl/targets.hpp"
#include "support/golden.hpp"

using namespace spar::rl;
using namespace spar::test;

namespace {

struct Closed {
  NStepReturn window;
  size_t last;  ///< number of the step whose next observation belongs to it
};

/// Runs one copy through a list of steps.
std::vector<Closed> run(NStepWindow& window, const std::vector<double>& rewards, const std::vector<double>& terminated,
                        const std::vector<double>& truncated) {
  std::vector<Closed> closed;
  for (size_t t = 0; t < rewards.size(); ++t)
    window.push(rewards[t], terminated[t] != 0, truncated[t] != 0, [&](const NStepReturn& w) {
      closed.push_back({w, t});
    });
  return closed;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(nstep_window)

BOOST_AUTO_TEST_CASE(windows_end_with_their_episode_and_no_start_is_lost) {
  const Json golden_case = golden("nstep.windows");
  const Json& in = golden_case.at("inputs");
  NStepWindow window(3, number(in.at("gamma")));
  auto closed = run(window, numbers(in.at("rewards")), numbers(in.at("terminated")), numbers(in.at("truncated")));
  const auto& expected = golden_case.at("expected").at("windows").as_array();
  BOOST_REQUIRE(closed.size() == expected.size());
  std::vector<double> targets;
  for (size_t i = 0; i < closed.size(); ++i) {
    const NStepReturn& w = closed[i].window;
    check({static_cast<double>(w.start), w.reward, static_cast<double>(w.length), w.terminated ? 1.0 : 0.0, w.discount},
          Json{number(expected[i].at("t")), number(expected[i].at("R")), number(expected[i].at("k")),
               number(expected[i].at("terminated")), number(expected[i].at("discount"))});
    BOOST_TEST(in.at("next_obs").at(closed[i].last).as_string() == expected[i].at("next_obs").as_string());
    targets.push_back(bootstrap_target(w.reward, w.discount, number(in.at("V_of_any_nonterminal"))));
  }
  check(targets, golden_case.at("expected").at("targets"));

  const Json& wrong = golden_case.at("wrong");
  check_not(targets[0], wrong.at("F07_gamma_not_gamma_n_t0"));
  check_not(targets[6], wrong.at("F01_truncation_as_termination_t6"));
  for (const char* fault : {"F05_F06_F07_ai_traineree", "F06_F08_cleanrl_tail_lost"}) {
    std::vector<double> sums;
    for (const auto& w : closed) sums.push_back(w.window.reward);
    std::vector<double> faulty;
    for (const Json& w : wrong.at(fault).as_array()) faulty.push_back(number(w.at("R")));
    BOOST_TEST(!same(sums, faulty));
  }
}

BOOST_AUTO_TEST_CASE(windows_of_two_copies_do_not_mix) {
  const Json golden_case = golden("nstep.two_envs");
  const Json& in = golden_case.at("inputs");
  std::map<std::string, NStepWindow> windows;
  std::map<std::string, double> found;
  for (const Json& arrival : in.at("arrival").as_array()) {
    const std::string copy(arrival.at(0).as_string());
    auto& window = windows.try_emplace(copy, 2u, number(in.at("gamma"))).first->second;
    window.push(number(arrival.at(1)), false, false, [&](const NStepReturn& w) {
      if (w.start == 0) found[copy] = w.reward;
    });
  }
  check(found["env0"], golden_case.at("expected").at("env0_t0"));
  check(found["env1"], golden_case.at("expected").at("env1_t0"));
  check_not(found["env0"], golden_case.at("wrong").at("F09_interleaved_env0_t0"));
  check_not(found["env1"], golden_case.at("wrong").at("F09_interleaved_env1_t0"));
}

BOOST_AUTO_TEST_CASE(cut_closes_what_is_open_at_the_newest_step) {
  const Json golden_case = golden("nstep.ring_wrap");
  const Json& in = golden_case.at("inputs");
  NStepWindow window(3, number(in.at("gamma")));
  std::map<uint64_t, Closed> by_time;
  size_t t = 0;
  const auto keep = [&](const NStepReturn& w) { by_time[w.start] = {w, t}; };
  for (const double reward : numbers(in.at("rewards_in_push_order"))) {
    window.push(reward, false, false, keep);
    ++t;
  }
  --t;
  window.cut(keep);
  BOOST_TEST(window.open() == 0u);
  for (const auto& [slot, expected] : golden_case.at("expected").at("by_slot").as_object()) {
    const Closed& closed = by_time.at(expected.at("time").to_number<uint64_t>());
    check({closed.window.reward, static_cast<double>(closed.window.length), static_cast<double>(closed.last + 1),
           closed.window.discount},
          Json{number(expected.at("R")), number(expected.at("k")), number(expected.at("boot_time")),
               number(expected.at("discount"))});
    check_not(closed.window.reward, golden_case.at("wrong").at("F10_slot1_crosses_cursor"));
  }
}

BOOST_AUTO_TEST_CASE(termination_wins_over_truncation) {
  NStepWindow window(2, 0.9);
  std::vector<double> discounts;
  window.push(1, true, true, [&](const NStepReturn& w) { discounts.push_back(w.discount); });
  BOOST_TEST(discounts == std::vector<double>{0.0}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(restored_window_goes_on_like_the_original) {
  NStepWindow original(4, 0.5), copy(4, 0.5);
  for (int i = 0; i < 6; ++i) original.push(i, false, false, [](const NStepReturn&) {});
  copy.restore(original.next(), original.open_rewards());
  std::vector<double> a, b;
  for (int i = 6; i < 12; ++i) {
    original.push(i, false, i == 11, [&](const NStepReturn& w) { a.insert(a.end(), {w.reward, 1.0 * w.start}); });
    copy.push(i, false, i == 11, [&](const NStepReturn& w) { b.insert(b.end(), {w.reward, 1.0 * w.start}); });
  }
  BOOST_TEST(a.size() == 18u);
  BOOST_TEST(a == b, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(cleared_window_counts_from_zero) {
  NStepWindow window(3, 1.0);
  window.push(1, false, false, [](const NStepReturn&) {});
  window.clear();
  BOOST_TEST(window.open() == 0u);
  window.push(2, true, false, [](const NStepReturn& w) {
    BOOST_TEST(w.start == 0u);
    BOOST_TEST(w.reward == 2.0);
  });
}

BOOST_AUTO_TEST_CASE(impossible_arguments_are_refused) {
  BOOST_CHECK_THROW(NStepWindow(0, 0.9), std::invalid_argument);
  BOOST_CHECK_THROW(NStepWindow(1, 1.1), std::invalid_argument);
  BOOST_CHECK_THROW(NStepWindow(1, std::nan("")), std::invalid_argument);
  NStepWindow window(2, 0.9);
  BOOST_CHECK_THROW(window.restore(5, {1.0, 2.0}), std::invalid_argument);
  BOOST_CHECK_THROW(window.restore(0, {1.0}), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()
