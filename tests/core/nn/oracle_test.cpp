// LibTorch's autograd and Adam, in double precision, as the oracle of every hand-derived gradient, for every tier.
#include <ATen/Parallel.h>
#include <torch/nn/module.h>
#include <torch/nn/utils/clip_grad.h>

#include <boost/test/unit_test.hpp>

#include "core/nn/tier.hpp"
#include "grid.hpp"
#include "net_support.hpp"
#include "support/libtorch.hpp"

BOOST_AUTO_TEST_SUITE(network_gradients)

using namespace spar::nn;
using namespace spar::nn::test;
using spar::test::tensor_of;

namespace {

constexpr double kTolerance = 1e-5;

/// |a - b| / |b|, where b may be 0.
double distance(const std::vector<float>& a, const torch::Tensor& b) {
  const torch::Tensor flat = b.detach().reshape({-1});
  BOOST_REQUIRE_EQUAL(static_cast<int64_t>(a.size()), flat.numel());
  const double size = flat.norm().item<double>();
  return (tensor_of(a, {-1}) - flat).norm().item<double>() / std::max(size, 1e-12);
}

/// The network in the words of LibTorch: one leaf per weight and bias (and their sigmas), in canonical order.
struct Oracle {
  struct Linear {
    torch::Tensor weight, bias;
  };
  const Spec& spec;
  std::vector<torch::Tensor> leaves;
  std::vector<float> noise;  ///< in canonical order; empty: none, or quiet

  Oracle(const Spec& s, const std::vector<float>& canonical) : spec(s) {
    size_t at = 0;
    const auto take = [&](std::vector<int64_t> shape) {
      size_t n = 1;
      for (const int64_t d : shape) n *= static_cast<size_t>(d);
      const auto first = canonical.begin() + static_cast<std::ptrdiff_t>(at);
      leaves.push_back(tensor_of({first, first + static_cast<std::ptrdiff_t>(n)}, shape).requires_grad_(true));
      at += n;
    };
    const auto branch = [&](size_t in, const std::vector<size_t>& widths) {
      for (const size_t out : widths) {
        for (int of = 0; of < (spec.noisy > 0.0 ? 2 : 1); ++of) {
          take({static_cast<int64_t>(out), static_cast<int64_t>(in)});
          take({static_cast<int64_t>(out)});
        }
        in = out;
      }
      return in;
    };
    for (size_t m = 0; m < spec.ensemble; ++m) {
      const size_t in = branch(spec.input_width(), spec.hidden);
      for (const Head& head : spec.heads) {
        std::vector<size_t> widths = head.hidden;
        widths.push_back(head.out);
        branch(in, widths);
      }
    }
    BOOST_REQUIRE_EQUAL(at, canonical.size());
  }

  torch::Tensor activate(const torch::Tensor& x) const {
    return spec.activation == Activation::relu ? torch::relu(x) : torch::tanh(x);
  }
  /// inputs: [rows, n] or [ensemble, rows, n]; result [ensemble, rows, out]
  torch::Tensor operator()(const std::vector<torch::Tensor>& inputs) const {
    size_t at = 0, noise_at = 0;
    const auto factor = [&](int64_t n) {  // f(x) = sgn(x) sqrt|x|
      const auto first = noise.begin() + static_cast<std::ptrdiff_t>(noise_at);
      noise_at += static_cast<size_t>(n);
      const torch::Tensor eps = tensor_of({first, first + n}, {n});
      return eps.sign() * eps.abs().sqrt();
    };
    const auto linear = [&](const torch::Tensor& x) {
      torch::Tensor weight = leaves[at], bias = leaves[at + 1];
      if (!noise.empty()) {
        const torch::Tensor in = factor(weight.size(1)), out = factor(weight.size(0));
        weight = weight + leaves[at + 2] * torch::outer(out, in);
        bias = bias + leaves[at + 3] * out;
      }
      at += spec.noisy > 0.0 ? 4 : 2;
      return torch::matmul(x, weight.t()) + bias;
    };
    std::vector<torch::Tensor> members;
    for (size_t m = 0; m < spec.ensemble; ++m) {
      std::vector<torch::Tensor> parts;
      for (const torch::Tensor& x : inputs) parts.push_back(x.dim() == 3 ? x[static_cast<int64_t>(m)] : x);
      torch::Tensor trunk = torch::cat(parts, 1);
      for (size_t l = 0; l < spec.hidden.size(); ++l) trunk = activate(linear(trunk));
      std::vector<torch::Tensor> outs;
      for (const Head& head : spec.heads) {
        torch::Tensor x = trunk;
        for (size_t l = 0; l < head.hidden.size(); ++l) x = activate(linear(x));
        x = linear(x);
        outs.push_back(spec.output == Output::tanh ? torch::tanh(x) : x);
      }
      if (!spec.dueling) {
        members.push_back(torch::cat(outs, 1));
        continue;
      }
      const auto rows = outs[0].size(0), atoms = static_cast<int64_t>(spec.atoms);
      const torch::Tensor advantage = outs[1].reshape({rows, -1, atoms});
      members.push_back((outs[0].unsqueeze(1) + advantage - advantage.mean(1, true)).reshape({rows, -1}));
    }
    return torch::stack(members);
  }
  torch::Tensor flat() const {
    return join([](const torch::Tensor& t) { return t.detach(); });
  }
  torch::Tensor gradients() const {
    return join([](const torch::Tensor& t) { return t.grad().defined() ? t.grad() : torch::zeros_like(t); });
  }
  template <class Part>
  torch::Tensor join(Part part) const {
    std::vector<torch::Tensor> parts;
    for (const torch::Tensor& leaf : leaves) parts.push_back(part(leaf).reshape({-1}));
    return torch::cat(parts);
  }
};

struct Pair {
  Instance instance;
  NetPlan plan;
  spar_net* net;
  Oracle oracle;

  explicit Pair(const NetPlan& p)
      : plan(p), net(instance.create("q", plan)), oracle(network_of(net).spec(), instance.read(net)) {}

  /// Both sides forward and backward, with new noise if there is any; parameter gradients stay in both.
  void pass(Batch& batch, bool compare, uint32_t flags = 0) {
    oracle.noise.clear();
    if (oracle.spec.noisy > 0.0) {
      instance.resample(net);
      if (flags != SPAR_NET_QUIET) oracle.noise = instance.read(net, SPAR_NET_NOISE);
    }
    std::vector<std::unique_ptr<Tensor>> tensors;
    std::vector<const spar_tensor*> x;
    std::vector<std::vector<float>> dx;
    std::vector<spar_tensor*> dx_pointers;
    std::vector<torch::Tensor> torch_x;
    for (size_t i = 0; i < batch.x.size(); ++i) dx.emplace_back(batch.x[i].size(), 99.0f);
    for (size_t i = 0; i < batch.x.size(); ++i) {
      tensors.push_back(std::make_unique<Tensor>(batch.x[i].data(), batch.shapes[i]));
      x.push_back(&tensors.back()->t);
      tensors.push_back(std::make_unique<Tensor>(dx[i].data(), batch.shapes[i]));
      dx_pointers.push_back(&tensors.back()->t);
      torch_x.push_back(tensor_of(batch.x[i], batch.shapes[i]).requires_grad_(true));
    }
    std::vector<float> y(batch.dy.size());
    Tensor ty(y.data(), batch.y_shape), tdy(batch.dy.data(), batch.y_shape);
    instance.require(instance.nn.forward(net, 1, flags, x.data(), &ty.t, &instance.error));
    instance.require(
        instance.nn.backward(net, 1, &tdy.t, dx_pointers.data(), SPAR_NET_PARAMS | SPAR_NET_INPUT, &instance.error));
    const torch::Tensor torch_y = oracle(torch_x);
    (torch_y * tensor_of(batch.dy, batch.y_shape)).sum().backward();
    if (!compare) return;
    BOOST_TEST(distance(y, torch_y) < kTolerance);
    BOOST_TEST(distance(instance.read(net, SPAR_NET_GRADIENTS), oracle.gradients()) < kTolerance);
    for (size_t i = 0; i < dx.size(); ++i) BOOST_TEST(distance(dx[i], torch_x[i].grad()) < kTolerance);
  }
};

std::vector<Tier> available() {
  std::vector<Tier> tiers;
  for (const Tier tier : {Tier::baseline, Tier::avx2, Tier::avx512})
    if (tier_available(tier)) tiers.push_back(tier);
  return tiers;
}

}  // namespace

BOOST_AUTO_TEST_CASE(outputs_and_gradients_are_those_of_autograd) {
  for (const Tier tier : available()) {
    set_tier(tier);
    for (const Case& c : grid())
      for (const int64_t rows : {1, 7, 64}) {
        BOOST_TEST_CONTEXT(active_tier() << " " << c.plan.json << " ensemble " << c.plan.ensemble << " rows " << rows) {
          Pair pair(c.plan);
          Batch batch(c.plan, rows, c.member_inputs, static_cast<uint32_t>(rows));
          pair.pass(batch, true);
        }
      }
  }
}

BOOST_AUTO_TEST_CASE(gradients_of_a_quiet_pass_and_a_noisy_one_add) {
  for (const Tier tier : available()) {
    set_tier(tier);
    const NetPlan plan{{5}, 6, R"({"hidden":[40],"noisy":0.5})"};
    Pair pair(plan);
    Batch first(plan, 13, false, 1), second(plan, 29, false, 2);
    pair.pass(first, true, SPAR_NET_QUIET);
    pair.pass(second, false);
    BOOST_TEST(distance(pair.instance.read(pair.net, SPAR_NET_GRADIENTS), pair.oracle.gradients()) < kTolerance);
    Batch third(plan, 7, false, 3);
    pair.pass(third, false, SPAR_NET_QUIET);
    BOOST_TEST(distance(pair.instance.read(pair.net, SPAR_NET_GRADIENTS), pair.oracle.gradients()) < kTolerance);
  }
}

BOOST_AUTO_TEST_CASE(gradients_of_two_passes_add) {
  for (const Tier tier : available()) {
    set_tier(tier);
    const NetPlan plan{{5}, 6, R"({"hidden":[40]})"};
    Pair pair(plan);
    Batch first(plan, 13, false, 1), second(plan, 29, false, 2);
    pair.pass(first, false);
    pair.pass(second, false);
    BOOST_TEST(distance(pair.instance.read(pair.net, SPAR_NET_GRADIENTS), pair.oracle.gradients()) < kTolerance);
  }
}

BOOST_AUTO_TEST_CASE(parameters_after_100_adam_steps_are_those_of_torch) {
  at::set_num_threads(1);
  for (const Tier tier : available()) {
    set_tier(tier);
    uint32_t number = 0;
    for (const Case& c : grid()) {
      // One batch size a case keeps the test short; over the grid all three occur.
      const int64_t rows = std::vector<int64_t>{7, 64, 1}[number++ % 3];
      const bool clip = number % 2 == 0;
      BOOST_TEST_CONTEXT(active_tier() << " " << c.plan.json << " ensemble " << c.plan.ensemble << " rows " << rows) {
        Pair pair(c.plan);
        torch::optim::Adam optimizer(pair.oracle.leaves, torch::optim::AdamOptions(1e-3));
        spar_net* nets[] = {pair.net};
        spar_update step = adam(nets, 1);
        step.max_grad_norm = clip ? 0.5 : 0.0;
        for (uint32_t i = 0; i < 100; ++i) {
          Batch batch(c.plan, rows, c.member_inputs, 1000 + i);
          optimizer.zero_grad();
          pair.pass(batch, false);
          const double norm = torch::nn::utils::clip_grad_norm_(pair.oracle.leaves, clip ? 0.5 : 1e9);
          double found = 0.0;
          pair.instance.require(pair.instance.nn.update(&pair.instance.ctx, &step, &found, &pair.instance.error));
          optimizer.step();
          if (i == 99) BOOST_TEST(std::abs(found - norm) <= 1e-4 * norm);
        }
        BOOST_TEST(distance(pair.instance.read(pair.net), pair.oracle.flat()) < kTolerance);
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()
