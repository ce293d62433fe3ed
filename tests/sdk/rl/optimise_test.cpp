#include "spar/rl/optimise.hpp"

#include "support/golden.hpp"

using namespace spar::rl;
using namespace spar::test;

BOOST_AUTO_TEST_SUITE(optimise)

BOOST_AUTO_TEST_CASE(polyak_blends_once_per_update) {
  const Json golden_case = golden("polyak");
  const Json& in = golden_case.at("inputs");
  for (const auto& [key, expected] : golden_case.at("expected").as_object()) {
    const std::string name(key);
    const size_t tau_at = name.find("tau_") + 4;
    const double tau = std::stod(name.substr(tau_at));
    std::vector<double> target = {number(in.at("target0"))}, path;
    if (name.rfind("moving", 0) == 0) {
      for (const double online : {2.0, 4.0, -1.0}) {
        polyak(target, std::vector<double>{online}, tau);
        path.push_back(target[0]);
      }
      check(path, expected);
    } else {
      const int updates = std::stoi(name.substr(name.find("_k_") + 3));
      for (int k = 0; k < updates; ++k) polyak(target, std::vector<double>{number(in.at("online"))}, tau);
      check(target, expected);
      if (name == "tau_0.002_k_1000")
        check_not(target, golden_case.at("wrong").at("F52_twice_per_update_tau_0.002_k_1000"));
      if (name == "tau_0.002_k_1") check_not(target, golden_case.at("wrong").at("F52_tau_swapped_0.002_k_1"));
    }
  }
}

BOOST_AUTO_TEST_CASE(adam_corrects_its_bias_and_keeps_eps_outside_the_root) {
  const Json golden_case = golden("adam.three_steps");
  const Json& in = golden_case.at("inputs");
  for (const auto& [key, expected] : golden_case.at("expected").as_object()) {
    Adam::Options options;
    options.lr = number(in.at("lr"));
    options.eps = std::stod(std::string(key).substr(4));
    Adam adam(1, options);
    std::vector<double> x = {number(in.at("x0"))}, path;
    for (const double g : numbers(in.at("grads"))) {
      adam.step(x, std::vector<double>{g});
      path.push_back(x[0]);
    }
    check(path, expected);
    const Json& wrong = golden_case.at("wrong");
    check_not(path, wrong.at("F53_no_bias_correction"));
    check_not(path, wrong.at("F53_eps_inside_sqrt_1e-5"));
    check_not(path[2], wrong.at("F54_state_lost_before_step3"));
    BOOST_TEST(adam.steps() == 3u);
  }
}

BOOST_AUTO_TEST_CASE(clipping_uses_one_norm_over_all_tensors) {
  const Json golden_case = golden("grad.clip_norm");
  const Json &in = golden_case.at("inputs"), &expected = golden_case.at("expected");
  auto g1 = numbers(in.at("g1")), g2 = numbers(in.at("g2"));
  const double norm = std::sqrt(squared_norm(g1) + squared_norm(g2));
  check(norm, expected.at("norm"));
  auto h1 = g1, h2 = g2;
  for (auto* g : {&h1, &h2}) scale(*g, clip_scale(norm, 100));
  check(h1, expected.at("max_100_g1"));
  check(h2, expected.at("max_100_g2"));
  for (auto* g : {&g1, &g2}) scale(*g, clip_scale(norm, number(in.at("max_norm"))));
  check(g1, expected.at("g1"));
  check(g2, expected.at("g2"));
  check_not(g2, golden_case.at("wrong").at("F55_per_tensor_g2"));
  check_not(g2, golden_case.at("wrong").at("F55_by_value_g2"));
}

BOOST_AUTO_TEST_CASE(no_largest_norm_means_no_clipping) {
  BOOST_TEST(clip_scale(50, 0) == 1.0);
  BOOST_TEST(clip_scale(50, -1) == 1.0);
  BOOST_TEST(clip_scale(0, 10) == 1.0);
}

BOOST_AUTO_TEST_CASE(unequal_lengths_are_refused) {
  std::vector<double> two(2), three(3);
  BOOST_CHECK_THROW(polyak(two, three, 0.5), std::invalid_argument);
  Adam adam(2, {});
  BOOST_CHECK_THROW(adam.step(three, two), std::invalid_argument);
  BOOST_CHECK_THROW(adam.step(two, three), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()
