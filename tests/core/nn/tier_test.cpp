#include "core/nn/tier.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>

#include "core/base/error.hpp"
#include "core/nn/aligned.hpp"
#include "net_support.hpp"

using namespace spar;
using namespace spar::nn;
using namespace spar::nn::test;

namespace {

std::vector<Tier> available() {
  std::vector<Tier> tiers;
  for (const Tier tier : {Tier::baseline, Tier::avx2, Tier::avx512})
    if (tier_available(tier)) tiers.push_back(tier);
  return tiers;
}

const char* const kShapes[] = {R"({"hidden":[64,64]})",
                               R"({"hidden":[33,130],"activation":"tanh"})",
                               R"({"hidden":[192,16]})",
                               R"({"hidden":[48],"heads":[{"out":1},{"out":6}],"dueling":true})",
                               R"({"hidden":[70],"heads":[{"out":3},{"out":6}],"dueling":true,"atoms":3,"noisy":0.5})",
                               R"({"hidden":[70],"heads":[{"out":6},{"out":6}],"dueling":true,"atoms":6})"};

struct Result {
  std::vector<float> y, gradients, values;
};

Result learn(const char* json, int64_t rows) {
  Instance instance;
  spar_net* net = instance.create("q", {{5}, 6, json});
  Result result;
  result.y = instance.forward(net, 1, random_floats(static_cast<size_t>(rows * 5), 3), 5);
  instance.backward(net, 1, random_floats(result.y.size(), 4));
  result.gradients = instance.read(net, SPAR_NET_GRADIENTS);
  const spar_update step = adam(&net, 1);
  instance.require(instance.nn.update(&instance.ctx, &step, nullptr, &instance.error));
  result.values = instance.read(net);
  return result;
}

double distance(const std::vector<float>& a, const std::vector<float>& b) {
  double difference = 0.0, size = 0.0;
  for (size_t i = 0; i < a.size(); ++i) {
    difference += std::pow(double(a[i]) - double(b[i]), 2);
    size += std::pow(double(b[i]), 2);
  }
  return std::sqrt(difference / size);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(kernel_tiers)

BOOST_AUTO_TEST_CASE(names_choose_a_tier) {
  BOOST_TEST((tier_from_name("baseline") == Tier::baseline));
  for (const Tier tier : available()) {
    set_tier(tier);
    BOOST_TEST((tier_from_name(active_tier()) == tier));
  }
  BOOST_CHECK_EXCEPTION(tier_from_name("sse9"), Error, [](const Error& error) {
    return error.code() == "E0902" && std::string(error.what()).find("baseline, avx2 or avx512") != std::string::npos;
  });
  for (const Tier tier : {Tier::avx2, Tier::avx512}) {
    if (tier_available(tier)) continue;
    BOOST_CHECK_THROW(set_tier(tier), Error);
    BOOST_CHECK_THROW(tier_from_name(tier == Tier::avx2 ? "avx2" : "avx512"), Error);
  }
}

BOOST_AUTO_TEST_CASE(tiers_agree_to_rounding) {
  for (const char* json : kShapes)
    for (const int64_t rows : {1, 7, 64}) {
      set_tier(Tier::baseline);
      const Result base = learn(json, rows);
      for (const Tier tier : available()) {
        set_tier(tier);
        const Result result = learn(json, rows);
        BOOST_TEST_CONTEXT(active_tier() << " " << json << " rows " << rows) {
          BOOST_TEST(distance(result.y, base.y) < 1e-6);
          BOOST_TEST(distance(result.gradients, base.gradients) < 2e-6);
          BOOST_TEST(distance(result.values, base.values) < 1e-5);
        }
      }
    }
}

BOOST_AUTO_TEST_CASE(one_tier_gives_the_same_bits_every_time) {
  for (const Tier tier : available()) {
    set_tier(tier);
    for (const char* json : kShapes) {
      const Result a = learn(json, 29), b = learn(json, 29);
      BOOST_TEST(a.y == b.y);
      BOOST_TEST(a.gradients == b.gradients);
      BOOST_TEST(a.values == b.values);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_result_of_a_row_does_not_depend_on_the_rest_of_the_batch) {
  for (const Tier tier : available()) {
    set_tier(tier);
    for (const char* json : kShapes) {
      Instance instance;
      spar_net* net = instance.create("q", {{5}, 6, json});
      const std::vector<float> x = random_floats(64 * 5, 3), all = instance.forward(net, 0, x, 5);
      for (const size_t rows : {size_t{1}, size_t{3}, size_t{17}}) {
        std::vector<float> pieces;
        for (size_t at = 0; at < 64; at += rows) {
          const size_t n = std::min(rows, 64 - at);
          const auto first = x.begin() + static_cast<std::ptrdiff_t>(at * 5);
          const std::vector<float> y = instance.forward(net, 0, {first, first + static_cast<std::ptrdiff_t>(n * 5)}, 5);
          pieces.insert(pieces.end(), y.begin(), y.end());
        }
        BOOST_TEST(pieces == all);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(results_do_not_depend_on_the_alignment_of_the_callers_memory) {
  for (const Tier tier : available()) {
    set_tier(tier);
    Instance instance;
    spar_net* net = instance.create("q", {{5}, 6, kShapes[0]});
    const std::vector<float> x = random_floats(13 * 5, 3), expected = instance.forward(net, 0, x, 5);
    for (size_t shift = 1; shift < 16; shift += 3) {
      Floats moved_x(x.size() + 16), moved_y(expected.size() + 16);
      std::copy(x.begin(), x.end(), moved_x.begin() + static_cast<std::ptrdiff_t>(shift));
      Tensor tx(moved_x.data(), {13, 5}), ty(moved_y.data(), {13, 6});
      tx.t.byte_offset = ty.t.byte_offset = shift * sizeof(float);
      const spar_tensor* inputs[] = {&tx.t};
      instance.require(instance.nn.forward(net, 0, 0, inputs, &ty.t, &instance.error));
      BOOST_TEST(std::memcmp(moved_y.data() + shift, expected.data(), expected.size() * sizeof(float)) == 0);
    }
  }
}

BOOST_AUTO_TEST_CASE(tanh_is_right_to_a_few_units_in_the_last_place) {
  for (const Tier tier : available()) {
    set_tier(tier);
    double worst = 0.0;
    std::vector<float> x, y;
    for (float v = -12.0f; v <= 12.0f; v += 0.000731f) x.push_back(v);
    for (const float v : {1e-30f, -1e-30f, 1e-7f, 0.63f, -0.63f, 0.62999f, 9.02f, 50.0f, -50.0f, 3e38f, -3e38f})
      x.push_back(v);
    y = x;
    kernels().tanh(y.size(), y.data());
    for (size_t i = 0; i < x.size(); ++i) {
      const double right = std::tanh(double(x[i]));
      if (right != 0.0) worst = std::max(worst, std::abs(double(y[i]) / right - 1.0));
      BOOST_REQUIRE(std::abs(y[i]) <= 1.0f);
    }
    BOOST_TEST(worst < 4e-7);
    float special[] = {0.0f, std::nanf("")};
    kernels().tanh(2, special);
    BOOST_TEST(special[0] == 0.0f);
    BOOST_TEST(std::isnan(special[1]));
  }
}

BOOST_AUTO_TEST_CASE(square_sum_keeps_its_precision_in_long_vectors) {
  const Floats ones(1 << 20, 1.1f);
  for (const Tier tier : available()) {
    set_tier(tier);
    BOOST_TEST(kernels().square_sum(ones.size(), ones.data()) == double(1.1f) * double(1.1f) * (1 << 20),
               boost::test_tools::tolerance(1e-6));
  }
}

BOOST_AUTO_TEST_SUITE_END()
