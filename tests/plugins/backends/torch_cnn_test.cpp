// The convolutional network of Mnih et al. 2015 against loops in double precision.
#include <boost/test/unit_test.hpp>

#include "core/nn/spec.hpp"
#include "torch_support.hpp"

using namespace spar::nn;
using namespace spar::nn::test;

namespace {

using Doubles = std::vector<double>;

struct Volume {
  size_t channels, height, width;
  Doubles points;
  double at(size_t c, size_t y, size_t x) const { return points[(c * height + y) * width + x]; }
};

Volume convolve(const Volume& in, const Convolution& c, const double*& parameters) {
  Volume out{c.filters, (in.height - c.kernel) / c.stride + 1, (in.width - c.kernel) / c.stride + 1, {}};
  const double* bias = parameters + c.filters * in.channels * c.kernel * c.kernel;
  for (size_t f = 0; f < c.filters; ++f)
    for (size_t y = 0; y < out.height; ++y)
      for (size_t x = 0; x < out.width; ++x) {
        double sum = bias[f];
        const double* w = parameters + f * in.channels * c.kernel * c.kernel;
        for (size_t channel = 0; channel < in.channels; ++channel)
          for (size_t i = 0; i < c.kernel; ++i)
            for (size_t j = 0; j < c.kernel; ++j) sum += *w++ * in.at(channel, y * c.stride + i, x * c.stride + j);
        out.points.push_back(std::max(sum, 0.0));
      }
  parameters = bias + c.filters;
  return out;
}

Doubles linear(const Doubles& x, size_t out, const double*& parameters, bool relu) {
  Doubles y(parameters + out * x.size(), parameters + out * x.size() + out);
  for (size_t o = 0; o < out; ++o) {
    for (size_t i = 0; i < x.size(); ++i) y[o] += parameters[o * x.size() + i] * x[i];
    if (relu) y[o] = std::max(y[o], 0.0);
  }
  parameters += out * x.size() + out;
  return y;
}

/// One row: frames [2, 36, 40] and 3 numbers; hidden [32], dueling over 4 actions.
Doubles reference(const Doubles& parameters, const uint8_t* frames, const float* numbers) {
  const double* next = parameters.data();
  Volume volume{2, 36, 40, {}};
  for (size_t i = 0; i < 2 * 36 * 40; ++i) volume.points.push_back(frames[i] / 255.0);
  for (const Convolution& c : kNature) volume = convolve(volume, c, next);
  volume.points.insert(volume.points.end(), numbers, numbers + 3);
  const Doubles trunk = linear(volume.points, 32, next, true);
  const Doubles value = linear(trunk, 1, next, false), advantage = linear(trunk, 4, next, false);
  BOOST_REQUIRE(next == parameters.data() + parameters.size());
  double mean = 0;
  for (const double a : advantage) mean += a / 4;
  Doubles q;
  for (const double a : advantage) q.push_back(value[0] + a - mean);
  return q;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(backend_torch_cnn)

BOOST_AUTO_TEST_CASE(outputs_and_gradients_are_those_of_the_definition) {
  constexpr size_t kRows = 2, kFrame = 2 * 36 * 40;
  TorchInstance torch;
  spar_net* net = nullptr;
  const int64_t frame_shape[] = {2, 36, 40}, number_shape[] = {3};
  const spar_column_spec frame_column{sizeof(spar_column_spec), 0, "obs", SPAR_DTYPE_UINT, 8, 1, 3, frame_shape},
      number_column{sizeof(spar_column_spec), 0, "action", SPAR_DTYPE_FLOAT, 32, 1, 1, number_shape};
  const spar_column_spec* columns[] = {&frame_column, &number_column};
  const spar_net_spec spec{sizeof(spar_net_spec),
                           1,
                           columns,
                           2,
                           1,
                           4,
                           kRows,
                           R"({"kind":"nature_cnn","hidden":[32],"heads":[{"out":1},{"out":4}],"dueling":true})"};
  torch.require(torch.nn.create(&torch.ctx, {"q", 1}, &spec, &net, &torch.error));
  BOOST_TEST(network_of(net).shape() == "nature_cnn [[2, 36, 40] bytes + [3], 32, head, 1 | head, 4] relu, dueling");

  std::vector<uint8_t> frames(kRows * kFrame);
  for (size_t i = 0; i < frames.size(); ++i) frames[i] = static_cast<uint8_t>((i * 2654435761u) >> 24);
  std::vector<float> numbers = random_floats(kRows * 3, 5), y(kRows * 4), dx(kRows * 3, 99.0f),
                     dy = random_floats(kRows * 4, 6);
  const Tensor tf(frames.data(), {kRows, 2, 36, 40}, true), tn(numbers.data(), {kRows, 3}), tdy(dy.data(), {kRows, 4});
  Tensor ty(y.data(), {kRows, 4}), tdx(dx.data(), {kRows, 3});
  const spar_tensor* x[] = {&tf.t, &tn.t};
  spar_tensor* wanted[] = {nullptr, &tdx.t};
  torch.require(torch.nn.forward(net, 1, 0, x, &ty.t, &torch.error));
  torch.require(torch.nn.backward(net, 1, &tdy.t, wanted, SPAR_NET_PARAMS | SPAR_NET_INPUT, &torch.error));

  const std::vector<float> values = torch.read(net), gradients = torch.read(net, SPAR_NET_GRADIENTS);
  const Doubles parameters(values.begin(), values.end());
  const auto loss = [&](const Doubles& p, const std::vector<float>& u) {
    double sum = 0;
    for (size_t r = 0; r < kRows; ++r) {
      const Doubles q = reference(p, &frames[r * kFrame], &u[r * 3]);
      for (size_t a = 0; a < 4; ++a) sum += q[a] * dy[r * 4 + a];
    }
    return sum;
  };
  std::vector<float> expected;
  for (size_t r = 0; r < kRows; ++r)
    for (const double q : reference(parameters, &frames[r * kFrame], &numbers[r * 3]))
      expected.push_back(static_cast<float>(q));
  BOOST_TEST(distance(y, expected) < 1e-5);

  // The slope along the gradient of one stretch of parameters is that stretch's squared norm: every layer has its own.
  const size_t ends[] = {2 * 64 * 32 + 32, 32 * 16 * 64 + 64, 64 * 9 * 64 + 64};
  size_t from = 0;
  for (size_t layer = 0; layer < 4; ++layer) {
    const size_t to = layer < 3 ? from + ends[layer] : parameters.size();
    double squares = 0;
    for (size_t i = from; i < to; ++i) squares += static_cast<double>(gradients[i]) * gradients[i];
    BOOST_REQUIRE(squares > 0);
    const double h = 1e-6 / std::sqrt(squares);
    Doubles up = parameters, down = parameters;
    for (size_t i = from; i < to; ++i) {
      up[i] += h * gradients[i];
      down[i] -= h * gradients[i];
    }
    const double slope = (loss(up, numbers) - loss(down, numbers)) / (2 * h);
    BOOST_TEST(std::abs(slope - squares) < 1e-4 * squares, "layer " << layer << ": " << slope << " and " << squares);
    from = to;
  }
  for (size_t i = 0; i < numbers.size(); ++i) {
    std::vector<float> up = numbers, down = numbers;
    up[i] += 1e-3f;
    down[i] -= 1e-3f;
    const double slope = (loss(parameters, up) - loss(parameters, down)) / (static_cast<double>(up[i]) - down[i]);
    BOOST_TEST(std::abs(slope - dx[i]) < 1e-4 * std::max(1.0, std::abs(slope)));
  }
}

BOOST_AUTO_TEST_CASE(the_trunk_of_the_paper_is_the_default_and_a_member_follows_the_other) {
  NetPlan plan{{0}, 6, R"({"kind":"nature_cnn"})", 2};
  plan.bytes = true;
  plan.shapes = {{4, 84, 84}};
  plan.max_rows = 2;
  TorchInstance torch;
  spar_net* net = torch.create("q", plan);
  const size_t member =
      (4 * 64 * 32 + 32) + (32 * 16 * 64 + 64) + (64 * 9 * 64 + 64) + (64 * 7 * 7 * 512 + 512) + (512 * 6 + 6);
  const std::vector<float> values = torch.read(net);
  BOOST_REQUIRE_EQUAL(values.size(), 2 * member);
  // U(-1/sqrt(fan_in), 1/sqrt(fan_in)): first layer 1/16, second 1/sqrt(512); the members differ.
  const auto largest = [&](size_t from, size_t n) {
    float out = 0;
    for (size_t i = from; i < from + n; ++i) out = std::max(out, std::abs(values[i]));
    return out;
  };
  for (const size_t m : {size_t{0}, member}) {
    BOOST_TEST(largest(m, 4 * 64 * 32 + 32) <= 1.0f / 16);
    BOOST_TEST(largest(m, 4 * 64 * 32 + 32) > 0.99f / 16);
    BOOST_TEST(largest(m + 4 * 64 * 32 + 32, 32 * 16 * 64) > 0.99 / std::sqrt(512.0));
  }
  BOOST_TEST(values[0] != values[member]);
}

BOOST_AUTO_TEST_SUITE_END()
