#include "core/nn/update.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "golden.hpp"
#include "net_support.hpp"

using namespace spar::nn;
using namespace spar::nn::test;

namespace {

std::string vector_of(std::initializer_list<double> values) {
  std::string text = "{\"value\":[";
  for (const double v : values) text += (text.back() == '[' ? "" : ",") + std::to_string(v);
  return text + "]}";
}

NetPlan free_vector(std::initializer_list<double> values) {
  return {{}, static_cast<int64_t>(values.size()), vector_of(values)};
}

spar_status try_update(Instance& instance, const spar_update& step, double* norm = nullptr) {
  return instance.nn.update(&instance.ctx, &step, norm, &instance.error);
}

// x after each Adam step from x0 with the golden gradients.
std::vector<double> three_steps(double x0, double eps) {
  const boost::json::object golden = golden_case("adam.three_steps");
  Instance instance;
  spar_net* net = instance.create("x", free_vector({x0}));
  const spar_update step = adam(&net, 1, golden.at("inputs").at("lr").to_number<double>(), eps);
  std::vector<double> result;
  for (const float g : floats(golden.at("inputs").at("grads"))) {
    instance.write(net, {g}, SPAR_NET_GRADIENTS);
    instance.require(try_update(instance, step));
    result.push_back(static_cast<double>(instance.read(net)[0]));
  }
  return result;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(network_update)

BOOST_AUTO_TEST_CASE(adam_takes_the_golden_three_steps) {
  const boost::json::object golden = golden_case("adam.three_steps");
  for (const auto& [key, value] : golden.at("expected").as_object()) {
    const double eps = std::stod(std::string(key).substr(4));
    const std::vector<double> expected = doubles(value), from_one = three_steps(1.0, eps);
    // From 0 the same steps keep 24 bits of the step itself instead of 24 bits of 1.
    const std::vector<double> from_zero = three_steps(0.0, eps);
    for (size_t i = 0; i < 3; ++i) {
      BOOST_TEST(std::abs(from_one[i] - expected[i]) < 2e-7);
      BOOST_TEST(std::abs(from_zero[i] - (expected[i] - 1.0)) < 1e-9);
    }
    const boost::json::object& wrong = golden.at("wrong").as_object();
    for (const char* name : {"F53_no_bias_correction", "F53_eps_inside_sqrt_1e-5"})
      BOOST_TEST(std::abs(from_zero[0] - (doubles(wrong.at(name))[0] - 1.0)) > 1e-8);
    BOOST_TEST(std::abs(from_zero[2] - (wrong.at("F54_state_lost_before_step3").to_number<double>() - 1.0)) > 1e-5);
  }
}

BOOST_AUTO_TEST_CASE(clipping_scales_all_networks_by_their_common_norm) {
  const boost::json::object golden = golden_case("grad.clip_norm");
  const std::vector<float> g1 = floats(golden.at("inputs").at("g1")), g2 = floats(golden.at("inputs").at("g2"));
  // With beta1 = 0 the first moment is the clipped gradient itself.
  for (const double limit : {10.0, 100.0, 0.0}) {
    Instance instance;
    spar_net* nets[] = {instance.create("a", free_vector({0, 0})), instance.create("b", free_vector({0}))};
    instance.write(nets[0], g1, SPAR_NET_GRADIENTS);
    instance.write(nets[1], g2, SPAR_NET_GRADIENTS);
    spar_update step = adam(nets, 2);
    step.beta1 = 0.0;
    step.max_grad_norm = limit;
    double norm = 0.0;
    instance.require(try_update(instance, step, &norm));
    BOOST_TEST(norm == golden.at("expected").at("norm").to_number<double>(), boost::test_tools::tolerance(1e-7));
    const auto& expected = golden.at("expected");
    const std::vector<float> e1 = limit == 10.0 ? floats(expected.at("g1")) : floats(expected.at("max_100_g1"));
    const std::vector<float> e2 = limit == 10.0 ? floats(expected.at("g2")) : floats(expected.at("max_100_g2"));
    const std::vector<float> found1 = instance.read(nets[0], SPAR_NET_MOMENT1);
    const std::vector<float> found2 = instance.read(nets[1], SPAR_NET_MOMENT1);
    BOOST_TEST(found1[0] == e1[0], boost::test_tools::tolerance(1e-6f));
    BOOST_TEST(found1[1] == e1[1], boost::test_tools::tolerance(1e-6f));
    BOOST_TEST(found2[0] == e2[0], boost::test_tools::tolerance(1e-6f));
    if (limit == 10.0) {
      for (const auto& [name, wrong] : golden.at("wrong").as_object())
        BOOST_TEST(std::abs(found2[0] - floats(wrong)[0]) > 0.1f);
    }
  }
}

BOOST_AUTO_TEST_CASE(blend_follows_the_golden_polyak_average) {
  const boost::json::object golden = golden_case("polyak");
  for (const double tau : {0.002, 0.005, 0.02}) {
    for (const bool in_update : {false, true}) {
      Instance instance;
      spar_net* net = instance.create("x", free_vector({3}));
      spar_net* target = instance.create("x_target", free_vector({1}));
      spar_update step = adam(&net, 1, 0.0);  // lr 0: only the targets move
      step.targets = &target;
      step.tau = tau;
      std::string tau_text = std::to_string(tau);
      tau_text.erase(tau_text.find_last_not_of('0') + 1);
      for (int k = 1; k <= 1000; ++k) {
        instance.require(in_update ? try_update(instance, step) : instance.nn.blend(target, net, tau, &instance.error));
        const std::string key = "tau_" + tau_text + "_k_" + std::to_string(k);
        const auto& expected = golden.at("expected").as_object();
        if (!expected.contains(key)) continue;
        BOOST_TEST(static_cast<double>(instance.read(target)[0]) == expected.at(key).to_number<double>(),
                   boost::test_tools::tolerance(2e-5));
        if (tau == 0.002 && k == 1000)
          BOOST_TEST(std::abs(static_cast<double>(instance.read(target)[0]) -
                              golden.at("wrong").at("F52_twice_per_update_tau_0.002_k_1000").to_number<double>()) >
                     0.1);
        if (tau == 0.002 && k == 1)
          BOOST_TEST(std::abs(static_cast<double>(instance.read(target)[0]) -
                              golden.at("wrong").at("F52_tau_swapped_0.002_k_1").to_number<double>()) > 1.0);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(target_sees_the_parameters_after_the_step) {
  Instance instance;
  spar_net* net = instance.create("x", free_vector({1}));
  spar_net* target = instance.create("x_target", free_vector({1}));
  instance.write(net, {1}, SPAR_NET_GRADIENTS);
  spar_update step = adam(&net, 1, 0.1);
  step.targets = &target;
  step.tau = 0.5;
  instance.require(try_update(instance, step));
  BOOST_TEST(instance.read(net)[0] == 0.9f, boost::test_tools::tolerance(1e-6f));
  BOOST_TEST(instance.read(target)[0] == 0.95f, boost::test_tools::tolerance(1e-6f));
}

BOOST_AUTO_TEST_CASE(tau_of_one_copies_exactly) {
  Instance instance;
  const NetPlan plan{{3}, 2, R"({"hidden":[33]})"};
  spar_net *a = instance.create("a", plan), *b = instance.create("b", plan), *c = instance.create("c", plan);
  instance.require(instance.nn.blend(b, a, 1.0, &instance.error));
  BOOST_TEST(instance.read(b) == instance.read(a), boost::test_tools::per_element());
  spar_update step = adam(&a, 1);
  step.targets = &c;
  step.tau = 1.0;
  instance.require(try_update(instance, step));
  BOOST_TEST(instance.read(c) == instance.read(a), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(gradients_are_zero_after_the_step_and_steps_are_counted_per_network) {
  Instance instance;
  const NetPlan plan{{3}, 5, R"({"hidden":[9]})"};
  spar_net *a = instance.create("a", plan), *b = instance.create("b", plan);
  spar_net* targets[] = {nullptr, nullptr};
  spar_net* both[] = {a, b};
  instance.forward(a, 1, random_floats(12, 1), 3);
  instance.backward(a, 1, random_floats(20, 2));
  spar_update step = adam(&a, 1);
  instance.require(try_update(instance, step));
  for (const float g : instance.read(a, SPAR_NET_GRADIENTS)) BOOST_TEST(g == 0.0f);
  step = adam(both, 2);
  step.targets = targets;
  instance.require(try_update(instance, step));
  BOOST_TEST(instance.steps(a) == 2u);
  BOOST_TEST(instance.steps(b) == 1u);
}

BOOST_AUTO_TEST_CASE(a_norm_that_is_not_finite_changes_nothing) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    Instance instance;
    const NetPlan plan{{3}, 5, R"({"hidden":[9]})"};
    spar_net *a = instance.create("a", plan), *b = instance.create("b", plan), *t = instance.create("t", plan);
    spar_net *nets[] = {a, b}, *targets[] = {t, nullptr};
    instance.forward(b, 1, {bad, 0, 0}, 3);
    instance.backward(b, 1, {1, 1, 1, 1, 1});
    const std::string before = instance.networks.sha256();
    const std::vector<float> gradients = instance.read(b, SPAR_NET_GRADIENTS);
    spar_update step = adam(nets, 2);
    step.targets = targets;
    step.tau = 0.5;
    double norm = -1.0;
    BOOST_TEST(try_update(instance, step, &norm) == SPAR_E_STATE);
    BOOST_TEST(instance.message().find("is not finite and no parameter was changed") != std::string::npos);
    BOOST_TEST(norm == -1.0);
    BOOST_TEST(instance.networks.sha256() == before);
    BOOST_TEST(instance.steps(a) == 0u);
    const std::vector<float> after = instance.read(b, SPAR_NET_GRADIENTS);
    BOOST_TEST(std::equal(after.begin(), after.end(), gradients.begin(),
                          [](float x, float y) { return x == y || (std::isnan(x) && std::isnan(y)); }));
    // Zeros written over the gradients make the network usable again.
    instance.write(b, std::vector<float>(gradients.size(), 0.0f), SPAR_NET_GRADIENTS);
    BOOST_TEST(try_update(instance, step) == SPAR_OK);
  }
}

BOOST_AUTO_TEST_CASE(wrong_arguments_are_refused_and_change_nothing) {
  Instance instance;
  spar_net *a = instance.create("a", free_vector({1})), *b = instance.create("b", free_vector({1}));
  spar_net* wide = instance.create("wide", free_vector({1, 2}));
  instance.write(a, {1}, SPAR_NET_GRADIENTS);
  const std::string before = instance.networks.sha256();
  const auto refused = [&](const spar_update& step, const char* words) {
    BOOST_TEST(try_update(instance, step) == SPAR_E_INVALID);
    BOOST_TEST(instance.message().find(words) != std::string::npos, instance.message() << " lacks: " << words);
  };
  spar_update step = adam(&a, 1);
  step.struct_size = 16;
  refused(step, "struct_size 16");
  refused(adam(&a, 0), "no networks given");
  refused(adam(nullptr, 1), "no networks given");
  spar_net *nothing = nullptr, *twice[] = {a, a}, *pair[] = {a, b}, *same[] = {wide, wide};
  refused(adam(&nothing, 1), "nets[0] is NULL");
  refused(adam(twice, 2), "given twice");
  refused(adam(&a, 1, std::nan("")), "lr is nan");
  refused(adam(&a, 1, 1e-3, 0.0), "eps is 0");
  step = adam(&a, 1);
  step.beta1 = 1.0;
  refused(step, "0 <= beta1 < 1");
  step = adam(&a, 1);
  step.beta2 = -0.1;
  refused(step, "0 <= beta2 < 1");
  step = adam(&a, 1);
  step.max_grad_norm = std::nan("");
  refused(step, "max_grad_norm");
  step = adam(&a, 1);
  step.targets = &b;
  step.tau = 1.5;
  refused(step, "0 <= tau <= 1");
  step.targets = &a;
  refused(step, "is a target and given once more");
  step.targets = &wide;
  refused(step, "network `wide` of shape vector of 2 cannot follow network `a` of shape vector of 1");
  step = adam(pair, 2);
  step.targets = same;
  refused(step, "cannot follow");
  BOOST_TEST(instance.nn.update(&instance.ctx, nullptr, nullptr, &instance.error) == SPAR_E_INVALID);
  BOOST_TEST(instance.nn.blend(wide, a, 0.5, &instance.error) == SPAR_E_INVALID);
  BOOST_TEST(instance.message().find("cannot follow") != std::string::npos);
  BOOST_TEST(instance.nn.blend(b, a, -0.5, &instance.error) == SPAR_E_INVALID);
  BOOST_TEST(instance.message().find("0 <= tau <= 1") != std::string::npos);
  BOOST_TEST(instance.networks.sha256() == before);
  BOOST_TEST(instance.steps(a) == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
