#include "core/nn/network.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <numeric>

#include "golden.hpp"
#include "net_support.hpp"

using namespace spar::nn;
using namespace spar::nn::test;

namespace {

void check_close(const std::vector<float>& found, const std::vector<float>& expected, float tolerance) {
  BOOST_REQUIRE_EQUAL(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    BOOST_TEST(std::abs(found[i] - expected[i]) <= tolerance,
               "number " << i << " is " << found[i] << ", expected " << expected[i]);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(network)

BOOST_AUTO_TEST_CASE(linear_layer_computes_weight_out_in_times_x_plus_bias) {
  Instance instance;
  spar_net* net = instance.create("q", {{3}, 2});
  instance.write(net, {1, 2, 3, /**/ 4, 5, 6, /**/ 0.5f, -0.5f});
  BOOST_TEST(
      instance.forward(net, 0, {1, 10, 100, /**/ 0, 0, 1}, 3) == std::vector<float>({321.5f, 653.5f, 3.5f, 5.5f}),
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(hidden_layer_rectifies_and_output_layer_does_not) {
  Instance instance;
  spar_net* net = instance.create("q", {{1}, 1, R"({"hidden":[2]})"});
  instance.write(net, {1, -1, /**/ 0, 0, /**/ 2, 3, /**/ -10});
  BOOST_TEST(instance.forward(net, 0, {4, -4}, 1) == std::vector<float>({-2.0f, 2.0f}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(heads_are_concatenated_in_order_after_the_trunk) {
  Instance instance;
  spar_net* net = instance.create("q", {{1}, 6, R"({"heads":[{"out":1},{"out":5}]})"});
  instance.write(net, {10, /**/ 1, /**/ 1, 2, 3, 4, 5, /**/ 0, 0, 0, 0, 0});
  BOOST_TEST(instance.forward(net, 0, {2}, 1) == std::vector<float>({21, 2, 4, 6, 8, 10}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(inputs_are_joined_in_order_and_an_ensemble_dimension_feeds_each_member) {
  Instance instance;
  spar_net* net = instance.create("q", {{1, 2}, 1, "{}", 2});
  instance.write(net, {1, 10, 100, 0, /**/ 2, 20, 200, 0});
  std::vector<float> a{1, 2}, b{1, 0, 0, 1, /**/ 3, 0, 0, 3}, y(4);
  const Tensor ta(a.data(), {2, 1}), tb(b.data(), {2, 2, 2});
  Tensor ty(y.data(), {2, 2, 1});
  const spar_tensor* x[] = {&ta.t, &tb.t};
  instance.require(instance.nn.forward(net, 0, 0, x, &ty.t, &instance.error));
  BOOST_TEST(y == std::vector<float>({11, 102, /**/ 62, 604}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(bytes_are_scaled_to_one) {
  Instance instance;
  NetPlan plan{{2}, 1};
  plan.bytes = true;
  spar_net* net = instance.create("q", plan);
  instance.write(net, {1, 2, 0});
  std::vector<uint8_t> x{255, 0, 51, 255};
  std::vector<float> y(2), dx(4);
  const Tensor tx(x.data(), {2, 2}, true);
  Tensor ty(y.data(), {1, 2, 1}), tdx(dx.data(), {2, 2});
  const spar_tensor* inputs[] = {&tx.t};
  instance.require(instance.nn.forward(net, 1, 0, inputs, &ty.t, &instance.error));
  BOOST_TEST(y[0] == 1.0f, boost::test_tools::tolerance(1e-6f));
  BOOST_TEST(y[1] == 2.2f, boost::test_tools::tolerance(1e-6f));
  spar_tensor* wanted[] = {&tdx.t};
  BOOST_TEST(instance.nn.backward(net, 1, &ty.t, wanted, SPAR_NET_INPUT, &instance.error) == SPAR_E_INVALID);
  BOOST_TEST(instance.message().find("u8 and has no gradient") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(dueling_output_is_the_golden_one) {
  const boost::json::object golden = golden_case("dueling.scalar");
  const std::vector<float> v = floats(golden.at("inputs").at("V"));
  Instance instance;
  // Value and advantages are the inputs themselves: a head each that picks its columns.
  spar_net* net = instance.create("q", {{4}, 3, R"({"heads":[{"out":1},{"out":3}],"dueling":true})"});
  instance.write(net, {1, 0, 0, 0, /**/ 0, /**/ 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, /**/ 0, 0, 0});
  std::vector<float> x;
  for (size_t row = 0; row < v.size(); ++row) {
    x.push_back(v[row]);
    for (const float a : floats(golden.at("inputs").at("A").at(row))) x.push_back(a);
  }
  const std::vector<float> q = instance.forward(net, 0, x, 4);
  BOOST_TEST(q == matrix(golden.at("expected").at("Q")), boost::test_tools::per_element());
  for (const auto& [name, wrong] : golden.at("wrong").as_object()) BOOST_TEST(q != matrix(wrong));
}

BOOST_AUTO_TEST_CASE(dueling_output_of_atoms_is_the_golden_one) {
  const boost::json::object golden = golden_case("dueling.distributional");
  Instance instance;
  // No weights: value and advantages are the biases.
  spar_net* net = instance.create("q", {{1}, 6, R"({"heads":[{"out":3},{"out":6}],"dueling":true,"atoms":3})"});
  std::vector<float> values(3, 0.0f);
  for (const float v : floats(golden.at("inputs").at("V"))) values.push_back(v);
  values.insert(values.end(), 6, 0.0f);
  for (const float a : matrix(golden.at("inputs").at("A"))) values.push_back(a);
  instance.write(net, values);
  const std::vector<float> logits = instance.forward(net, 1, {1}, 1);
  check_close(logits, matrix(golden.at("expected").at("logits")), 1e-6f);
  // Q from the logits, as an algorithm would take it: the mean over the wrong axis shows.
  const std::vector<float> z = floats(golden.at("inputs").at("z")), q = floats(golden.at("expected").at("Q"));
  for (size_t a = 0; a < 2; ++a) {
    double sum = 0.0, mean = 0.0;
    for (size_t i = 0; i < 3; ++i) {
      const double mass = std::exp(double(logits[a * 3 + i]));
      sum += mass;
      mean += mass * z[i];
    }
    BOOST_TEST(std::abs(mean / sum - q[a]) < 1e-6);
    BOOST_TEST(std::abs(mean / sum - floats(golden.at("wrong").at("F25_mean_over_atoms_Q"))[a]) > 1e-2);
  }
  // dV = sum_a dQ, dA = dQ - mean_a dQ, for each atom.
  instance.backward(net, 1, {1, 2, 3, 5, 8, 13});
  const std::vector<float> g = instance.read(net, SPAR_NET_GRADIENTS);
  BOOST_TEST(std::vector<float>(g.begin() + 3, g.begin() + 6) == std::vector<float>({6, 10, 16}),
             boost::test_tools::per_element());
  BOOST_TEST(std::vector<float>(g.begin() + 12, g.end()) == std::vector<float>({-2, -3, -5, 2, 3, 5}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(free_vector_gives_its_value_to_every_row_and_sums_their_gradients) {
  Instance instance;
  spar_net* net = instance.create("log_std", {{}, 2, R"({"value":[-0.5,3]})"});
  BOOST_TEST(instance.read(net) == std::vector<float>({-0.5f, 3.0f}), boost::test_tools::per_element());
  std::vector<float> y(6), dy{1, 2, 3, 4, 5, 6};
  Tensor ty(y.data(), {3, 2}), tdy(dy.data(), {3, 2});
  instance.require(instance.nn.forward(net, 1, 0, nullptr, &ty.t, &instance.error));
  BOOST_TEST(y == std::vector<float>({-0.5f, 3, -0.5f, 3, -0.5f, 3}), boost::test_tools::per_element());
  instance.require(instance.nn.backward(net, 1, &tdy.t, nullptr, SPAR_NET_PARAMS, &instance.error));
  BOOST_TEST(instance.read(net, SPAR_NET_GRADIENTS) == std::vector<float>({9, 12}), boost::test_tools::per_element());
  BOOST_TEST(instance.nn.backward(net, 1, &tdy.t, nullptr, SPAR_NET_INPUT, &instance.error) == SPAR_E_INVALID);
  BOOST_TEST(instance.message().find("has no inputs") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_free_vector_refuses_too_many_rows) {
  Instance instance;
  NetPlan plan{{}, 1};
  plan.max_rows = 2;
  spar_net* net = instance.create("log_alpha", plan);
  std::vector<float> y(3);
  Tensor ty(y.data(), {3, 1});
  BOOST_TEST(instance.nn.forward(net, 0, 0, nullptr, &ty.t, &instance.error) == SPAR_E_INVALID);
  BOOST_TEST(instance.message().find("3 rows, expected 1 to 2") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(input_gradient_is_overwritten_and_summed_over_the_ensemble) {
  Instance instance;
  spar_net* net = instance.create("q", {{2}, 1, "{}", 2});
  instance.write(net, {1, 2, 0, /**/ 10, 20, 0});
  std::vector<float> x{1, 1}, y(2), dy{1, 3}, dx{77, 77};
  const Tensor tx(x.data(), {1, 2});
  Tensor ty(y.data(), {2, 1, 1}), tdy(dy.data(), {2, 1, 1}), tdx(dx.data(), {1, 2});
  const spar_tensor* inputs[] = {&tx.t};
  spar_tensor* wanted[] = {&tdx.t};
  instance.require(instance.nn.forward(net, 1, 0, inputs, &ty.t, &instance.error));
  for (int turn = 0; turn < 2; ++turn) {
    instance.require(instance.nn.backward(net, 1, &tdy.t, wanted, SPAR_NET_INPUT, &instance.error));
    BOOST_TEST(dx == std::vector<float>({31, 62}), boost::test_tools::per_element());
  }
  BOOST_TEST(instance.read(net, SPAR_NET_GRADIENTS) == std::vector<float>(6, 0.0f), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(slots_keep_their_own_activations) {
  Instance instance;
  NetPlan plan{{1}, 1};
  plan.slots = 2;
  spar_net* net = instance.create("q", plan);
  instance.forward(net, 1, {3}, 1);
  instance.forward(net, 2, {5}, 1);
  instance.forward(net, 0, {9}, 1);
  instance.backward(net, 1, {1});
  BOOST_TEST(instance.read(net, SPAR_NET_GRADIENTS) == std::vector<float>({3, 1}), boost::test_tools::per_element());
  instance.backward(net, 2, {1});
  BOOST_TEST(instance.read(net, SPAR_NET_GRADIENTS) == std::vector<float>({8, 2}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(backward_needs_a_slot_with_activations_of_these_parameters) {
  Instance instance;
  spar_net* net = instance.create("q", {{1}, 1});
  const auto refused = [&](uint32_t slot, spar_status status, const char* words) {
    BOOST_TEST(instance.try_backward(net, slot, {1}) == status);
    BOOST_TEST(instance.message().find(words) != std::string::npos, instance.message());
  };
  refused(1, SPAR_E_STATE, "holds no activations");
  instance.forward(net, 0, {1}, 1);
  refused(1, SPAR_E_STATE, "holds no activations");
  refused(0, SPAR_E_INVALID, "slot 0 keeps nothing");
  refused(2, SPAR_E_INVALID, "slot 2, expected 1 to 1");
  instance.forward(net, 1, {1}, 1);
  instance.write(net, {1, 1});
  refused(1, SPAR_E_STATE, "older than the parameters");
}

BOOST_AUTO_TEST_CASE(wrong_shapes_are_refused_with_both_shapes) {
  Instance instance;
  spar_net* net = instance.create("q", {{4}, 2, "{}", 2});
  std::vector<float> x(8 * 5), y(64);
  const auto forward = [&](const Tensor& tx, std::vector<int64_t> y_shape, const char* words) {
    Tensor ty(y.data(), std::move(y_shape));
    const spar_tensor* inputs[] = {&tx.t};
    BOOST_TEST(instance.nn.forward(net, 1, 0, inputs, &ty.t, &instance.error) == SPAR_E_INVALID);
    BOOST_TEST(instance.message().find(words) != std::string::npos, instance.message() << " lacks: " << words);
  };
  forward(Tensor(x.data(), {8, 5}), {2, 8, 2},
          "network `q`: x of input `in0` has shape [8, 5], expected [rows, 4] or [2, rows, 4]");
  forward(Tensor(x.data(), {3, 2, 4}), {2, 2, 2}, "has shape [3, 2, 4], expected");
  forward(Tensor(x.data(), {8}), {2, 8, 2}, "has shape [8], expected");
  forward(Tensor(x.data(), {8, 4}), {8, 2}, "y has shape [8, 2], expected [2, rows, 2]");
  forward(Tensor(x.data(), {8, 4}), {2, 7, 2}, "y has 7 rows, and x has 8");
  forward(Tensor(x.data(), {0, 4}), {2, 0, 2}, "0 rows, expected 1 to 64 (its max_rows)");
  forward(Tensor(nullptr, {8, 4}), {2, 8, 2}, "is NULL or has no data");
  forward(Tensor(x.data(), {8, 4}, true), {2, 8, 2}, "element type 1 of 8 bits, expected f32");
  Tensor strided(x.data(), {8, 4});
  int64_t strides[] = {5, 1};
  strided.t.strides = strides;
  forward(strided, {2, 8, 2}, "has gaps between its elements");
  Tensor elsewhere(x.data(), {8, 4});
  elsewhere.t.device_type = SPAR_DEVICE_CUDA;
  forward(elsewhere, {2, 8, 2}, "device type 2, expected host memory");

  Tensor good(x.data(), {8, 4});
  int64_t compact[] = {4, 1};
  good.t.strides = compact;
  Tensor ty(y.data(), {2, 8, 2});
  const spar_tensor* inputs[] = {&good.t};
  BOOST_TEST(instance.nn.forward(net, 3, 0, inputs, &ty.t, &instance.error) == SPAR_E_INVALID);
  BOOST_TEST(instance.message().find("slot 3, expected 0 to 1") != std::string::npos);
  BOOST_TEST(instance.nn.forward(net, 1, 64, inputs, &ty.t, &instance.error) == SPAR_E_INVALID);
  BOOST_TEST(instance.message().find("flags 64") != std::string::npos);
  BOOST_TEST(instance.nn.forward(net, 1, 0, nullptr, &ty.t, &instance.error) == SPAR_E_INVALID);
  BOOST_TEST(instance.message().find("one tensor for each of its inputs") != std::string::npos);
  BOOST_TEST(instance.nn.forward(net, 1, SPAR_NET_QUIET, inputs, &ty.t, &instance.error) == SPAR_OK);

  Tensor short_dy(y.data(), {2, 7, 2}), dx_members(x.data(), {2, 8, 4});
  BOOST_TEST(instance.nn.backward(net, 1, &short_dy.t, nullptr, SPAR_NET_PARAMS, &instance.error) == SPAR_E_INVALID);
  BOOST_TEST(instance.message().find("dy has 7 rows, and slot 1 holds 8") != std::string::npos);
  BOOST_TEST(instance.nn.backward(net, 1, &ty.t, nullptr, 0, &instance.error) == SPAR_E_INVALID);
  BOOST_TEST(instance.message().find("what = 0") != std::string::npos);
  BOOST_TEST(instance.nn.backward(net, 1, &ty.t, nullptr, SPAR_NET_INPUT, &instance.error) == SPAR_E_INVALID);
  BOOST_TEST(instance.message().find("needs dx") != std::string::npos);
  std::vector<float> wide(64);
  Tensor dx(wide.data(), {2, 8, 4});
  spar_tensor* wanted[] = {&dx.t};
  BOOST_TEST(instance.nn.backward(net, 1, &ty.t, wanted, SPAR_NET_INPUT, &instance.error) == SPAR_E_INVALID);
  BOOST_TEST(instance.message().find("expected the shape of x: 8 rows and no ensemble dimension") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(inputs_with_different_rows_are_refused) {
  Instance instance;
  spar_net* net = instance.create("q", {{1, 1}, 1});
  std::vector<float> x(4), y(4);
  const Tensor a(x.data(), {4, 1}), b(x.data(), {3, 1});
  Tensor ty(y.data(), {4, 1});
  const spar_tensor* inputs[] = {&a.t, &b.t};
  BOOST_TEST(instance.nn.forward(net, 0, 0, inputs, &ty.t, &instance.error) == SPAR_E_INVALID);
  BOOST_TEST(instance.message().find("input `in1` has 3 rows, and input `in0` has 4") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(not_a_number_passes_through_the_rectifier) {
  Instance instance;
  spar_net* net = instance.create("q", {{1}, 1, R"({"hidden":[20,20]})"});
  const std::vector<float> y = instance.forward(net, 0, {std::numeric_limits<float>::quiet_NaN(), 1}, 1);
  BOOST_TEST(std::isnan(y[0]));
  BOOST_TEST(std::isfinite(y[1]));
}

BOOST_AUTO_TEST_CASE(read_and_write_move_exactly_what_bytes_says) {
  Instance instance;
  spar_net* net = instance.create("q", {{3}, 2, R"({"hidden":[70]})", 2});
  BOOST_TEST(instance.nn.bytes(net, SPAR_NET_VALUES) == 2u * (70u * 4u + 2u * 71u) * sizeof(float));
  BOOST_TEST(instance.nn.bytes(net, SPAR_NET_STEPS) == 8u);
  BOOST_TEST(instance.nn.bytes(net, SPAR_NET_NOISE) == 0u);
  BOOST_TEST(instance.nn.bytes(net, 99) == 0u);
  for (const uint32_t what : {SPAR_NET_VALUES, SPAR_NET_GRADIENTS, SPAR_NET_MOMENT1, SPAR_NET_MOMENT2}) {
    const std::vector<float> values = random_floats(instance.nn.bytes(net, what) / 4, what);
    instance.write(net, values, what);
    BOOST_TEST(instance.read(net, what) == values, boost::test_tools::per_element());
  }
  float little[2];
  BOOST_TEST(instance.nn.read(net, SPAR_NET_VALUES, little, 8, &instance.error) == SPAR_E_INVALID);
  BOOST_TEST(instance.message().find("read 8 bytes, expected 3376") != std::string::npos, instance.message());
  BOOST_TEST(instance.nn.write(net, SPAR_NET_VALUES, little, 8, &instance.error) == SPAR_E_INVALID);
  BOOST_TEST(instance.nn.read(net, 99, little, 8, &instance.error) == SPAR_E_INVALID);
  BOOST_TEST(instance.message().find("nothing number 99") != std::string::npos);
  BOOST_TEST(instance.nn.read(net, SPAR_NET_NOISE, little, 8, &instance.error) == SPAR_E_UNSUPPORTED);
  BOOST_TEST(instance.nn.resample(net, &instance.error) == SPAR_E_UNSUPPORTED);
  BOOST_TEST(instance.message().find("no noisy layers") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(noisy_network)

const NetPlan kNoisy{{5}, 6, R"({"hidden":[40],"heads":[{"out":3},{"out":6}],"dueling":true,"atoms":3,"noisy":0.5})"};

BOOST_AUTO_TEST_CASE(output_is_the_golden_one_with_noise_and_without) {
  const boost::json::object golden = golden_case("noisy.factorised");
  const auto& in = golden.at("inputs");
  Instance instance;
  spar_net* net = instance.create("q", {{2}, 2, R"({"noisy":0.5})"});
  std::vector<float> values = matrix(in.at("mu_w")), noise = floats(in.at("eps_in"));
  const std::vector<float> sigma = matrix(in.at("sigma_w"));
  for (const float x : floats(in.at("mu_b"))) values.push_back(x);
  values.insert(values.end(), sigma.begin(), sigma.end());
  for (const float x : floats(in.at("sigma_b"))) values.push_back(x);
  for (const float x : floats(in.at("eps_out"))) noise.push_back(x);
  instance.write(net, values);
  instance.write(net, noise, SPAR_NET_NOISE);
  BOOST_TEST(instance.read(net, SPAR_NET_NOISE) == noise, boost::test_tools::per_element());
  const std::vector<float> x = floats(in.at("x")), y = instance.forward(net, 1, x, 2);
  check_close(y, floats(golden.at("expected").at("y")), 1e-6f);
  BOOST_TEST(std::abs(y[0] - floats(golden.at("wrong").at("F30_unfactorised_without_f"))[0]) > 0.1f);

  // dL/dsigma = dL/dW * eps: the gradients of the means times f(eps_out) f(eps_in)^T.
  instance.backward(net, 1, {1, 10});
  const float f_in[] = {0.5f, -1.0f}, f_out[] = {2.0f, -0.3f};
  std::vector<float> expected{x[0], x[1], 10 * x[0], 10 * x[1], 1, 10};
  for (size_t o = 0; o < 2; ++o)
    for (size_t k = 0; k < 2; ++k) expected.push_back(expected[2 * o + k] * f_out[o] * f_in[k]);
  for (size_t o = 0; o < 2; ++o) expected.push_back(expected[4 + o] * f_out[o]);
  check_close(instance.read(net, SPAR_NET_GRADIENTS), expected, 1e-5f);

  check_close(instance.forward(net, 1, x, 2, SPAR_NET_QUIET), floats(golden.at("expected").at("y_noise_off")), 1e-6f);
  instance.backward(net, 1, {1, 10});  // without noise only the means have gradients
  for (size_t i = 0; i < 6; ++i) expected[i] *= 2;
  check_close(instance.read(net, SPAR_NET_GRADIENTS), expected, 1e-5f);
}

BOOST_AUTO_TEST_CASE(means_start_like_a_plain_network_and_sigmas_at_sigma0_over_root_fan_in) {
  Instance instance, plain;
  const std::vector<float> values = instance.read(instance.create("q", {{25}, 3, R"({"hidden":[9],"noisy":0.5})"}));
  const std::vector<float> means = plain.read(plain.create("q", {{25}, 3, R"({"hidden":[9]})"}));
  BOOST_REQUIRE_EQUAL(values.size(), 2 * means.size());
  constexpr size_t kFirst = 25 * 9 + 9, kSecond = 9 * 3 + 3;
  for (size_t i = 0; i < kFirst; ++i) {
    BOOST_TEST(values[i] == means[i]);
    BOOST_TEST(values[kFirst + i] == 0.1f);
  }
  for (size_t i = 0; i < kSecond; ++i) {
    BOOST_TEST(values[2 * kFirst + i] == means[kFirst + i]);
    BOOST_TEST(values[2 * kFirst + kSecond + i] == 0.5f / 3.0f);
  }
}

BOOST_AUTO_TEST_CASE(resample_changes_what_is_noisy_and_never_what_is_quiet) {
  Instance instance;
  spar_net* net = instance.create("q", kNoisy);
  const std::vector<float> x = random_floats(20, 1), values = instance.read(net),
                           first = instance.forward(net, 1, x, 5),
                           quiet = instance.forward(net, 0, x, 5, SPAR_NET_QUIET);
  BOOST_TEST(first != quiet);
  BOOST_TEST(instance.forward(net, 0, x, 5) == first, boost::test_tools::per_element());
  instance.resample(net);
  BOOST_TEST(instance.forward(net, 0, x, 5) != first);
  BOOST_TEST(instance.forward(net, 0, x, 5, SPAR_NET_QUIET) == quiet, boost::test_tools::per_element());
  BOOST_TEST(instance.read(net) == values, boost::test_tools::per_element());
  BOOST_TEST(instance.try_backward(net, 1, std::vector<float>(24, 1.0f)) == SPAR_E_STATE);
  BOOST_TEST(instance.message().find("update, blend, resample or write") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(noise_is_standard_normal_and_comes_from_seed_scope_and_name) {
  Instance one(5), two(5), other(6);
  const NetPlan plan{{300}, 200, R"({"noisy":0.5})", 2};
  spar_net* net = one.create("q", plan);
  const std::vector<float> noise = one.read(net, SPAR_NET_NOISE);
  BOOST_REQUIRE_EQUAL(noise.size(), 2u * (300 + 200));
  double sum = 0.0, squares = 0.0;
  for (const float x : noise) {
    sum += double(x);
    squares += double(x) * double(x);
  }
  BOOST_TEST(std::abs(sum / 1000) < 0.13);  // 4 standard errors
  BOOST_TEST(std::abs(squares / 1000 - 1) < 0.18);
  two.create("another", plan);
  spar_net* same = two.create("q", plan);
  BOOST_TEST(two.read(same, SPAR_NET_NOISE) == noise, boost::test_tools::per_element());
  one.resample(net);
  two.resample(same);
  BOOST_TEST(two.read(same, SPAR_NET_NOISE) == one.read(net, SPAR_NET_NOISE), boost::test_tools::per_element());
  BOOST_TEST(one.read(net, SPAR_NET_NOISE) != noise);
  BOOST_TEST(other.read(other.create("q", plan), SPAR_NET_NOISE) != noise);
  BOOST_TEST(one.read(one.create("q_target", plan), SPAR_NET_NOISE) != noise);
}

BOOST_AUTO_TEST_CASE(noisy_weights_follow_update_blend_and_write) {
  Instance instance;
  spar_net *net = instance.create("q", kNoisy), *target = instance.create("q_target", kNoisy);
  const std::vector<float> x = random_floats(20, 1);
  instance.write(target, instance.read(net, SPAR_NET_NOISE), SPAR_NET_NOISE);
  instance.forward(target, 0, x, 5);
  instance.require(instance.nn.blend(target, net, 1.0, &instance.error));
  BOOST_TEST(instance.forward(target, 0, x, 5) == instance.forward(net, 1, x, 5), boost::test_tools::per_element());
  instance.backward(net, 1, random_floats(24, 2));
  const spar_update step = adam(&net, 1);
  instance.require(instance.nn.update(&instance.ctx, &step, nullptr, &instance.error));
  const std::vector<float> after = instance.forward(net, 0, x, 5);
  BOOST_TEST(instance.forward(target, 0, x, 5) != after);
  instance.write(target, instance.read(net));
  BOOST_TEST(instance.forward(target, 0, x, 5) == after, boost::test_tools::per_element());
  spar_net* plain =
      instance.create("plain", {{5}, 6, R"({"hidden":[40],"heads":[{"out":3},{"out":6}],"dueling":true,"atoms":3})"});
  BOOST_TEST(instance.nn.blend(plain, net, 0.5, &instance.error) == SPAR_E_INVALID);
  BOOST_TEST(instance.message().find("dueling of 3 atoms, noisy") != std::string::npos, instance.message());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(initial_values)

BOOST_AUTO_TEST_CASE(come_from_seed_scope_and_name_and_not_from_the_order_of_creation) {
  const NetPlan plan{{4}, 2, R"({"hidden":[16]})"};
  Instance one(5), two(5), other_seed(6), other_scope(5, "algorithm/agent_1");
  const std::vector<float> a = one.read(one.create("a", plan)), b = one.read(one.create("b", plan));
  BOOST_TEST(two.read(two.create("b", plan)) == b, boost::test_tools::per_element());
  BOOST_TEST(two.read(two.create("a", plan)) == a, boost::test_tools::per_element());
  BOOST_TEST(a != b);
  BOOST_TEST(other_seed.read(other_seed.create("a", plan)) != a);
  BOOST_TEST(other_scope.read(other_scope.create("a", plan)) != a);
}

BOOST_AUTO_TEST_CASE(default_is_uniform_within_one_over_root_fan_in) {
  Instance instance;
  const std::vector<float> values = instance.read(instance.create("q", {{25}, 40}));
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  BOOST_TEST(*low >= -0.2f);
  BOOST_TEST(*low < -0.19f);
  BOOST_TEST(*high <= 0.2f);
  BOOST_TEST(*high > 0.19f);
  BOOST_TEST(std::abs(std::accumulate(values.begin(), values.end(), 0.0) / 1040.0) < 0.02);
}

BOOST_AUTO_TEST_CASE(uniform_has_its_own_gain_for_the_last_layer) {
  Instance instance;
  const std::vector<float> values =
      instance.read(instance.create("q", {{10}, 10, R"({"hidden":[10],"init":"uniform","gain":2,"last_gain":0.003})"}));
  const auto size = [](float x, float y) { return std::abs(x) < std::abs(y); };
  const float first = std::abs(*std::max_element(values.begin(), values.begin() + 110, size));
  const float last = std::abs(*std::max_element(values.begin() + 110, values.end(), size));
  BOOST_TEST((first > 1.8f && first <= 2.0f));
  BOOST_TEST((last > 0.0027f && last <= 0.003f));
}

BOOST_AUTO_TEST_CASE(orthogonal_rows_or_columns_are_orthonormal_times_gain) {
  for (const auto& [in, out] : {std::pair<size_t, size_t>{20, 7}, {7, 20}, {16, 16}}) {
    Instance instance;
    NetPlan plan{{static_cast<int64_t>(in)}, static_cast<int64_t>(out)};
    plan.json = R"({"init":"orthogonal","last_gain":1.5})";
    const std::vector<float> w = instance.read(instance.create("q", plan));
    const bool by_row = out <= in;
    const size_t n = std::min(in, out), length = std::max(in, out);
    for (size_t a = 0; a < n; ++a)
      for (size_t b = 0; b <= a; ++b) {
        double sum = 0.0;
        for (size_t i = 0; i < length; ++i)
          sum += by_row ? double(w[a * in + i]) * w[b * in + i] : double(w[i * in + a]) * w[i * in + b];
        BOOST_TEST(std::abs(sum - (a == b ? 2.25 : 0.0)) < 1e-5);
      }
    for (size_t o = 0; o < out; ++o) BOOST_TEST(w[in * out + o] == 0.0f);
  }
}

BOOST_AUTO_TEST_SUITE_END()
