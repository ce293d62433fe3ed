// One update of Rainbow equals the same computation by LibTorch's autograd and Adam, in double precision.
#include <torch/nn/module.h>
#include <torch/nn/utils/clip_grad.h>

#include "plugins/algorithms/rainbow/rainbow.hpp"
#include "plugins/algorithms/rig.hpp"
#include "support/libtorch.hpp"

BOOST_AUTO_TEST_SUITE(rainbow_update)

using namespace spar;
using namespace spar::test;

namespace {

constexpr int64_t kObs = 3, kActions = 4, kAtoms = 11, kHidden = 20, kRows = 16;
constexpr double kLow = -3, kHigh = 5, kLr = 1e-3, kTau = 0.05;

torch::Tensor f(const torch::Tensor& eps) { return eps.sign() * eps.abs().sqrt(); }

/// Trunk of one layer, a head of values and one of advantages, all with the given noise.
struct Net {
  Leaves leaves;
  std::vector<float> noise;

  Net(const std::vector<float>& values, std::vector<float> given_noise) : noise(std::move(given_noise)) {
    auto at = values.begin();
    for (const auto& [in, out] : {std::pair{kObs, kHidden}, {kHidden, kAtoms}, {kHidden, kActions * kAtoms}})
      for (int of = 0; of < 2; ++of)  // weight and bias, then the sigmas of both
        for (const std::vector<int64_t>& shape : {std::vector<int64_t>{out, in}, {out}}) {
          const auto n = shape.size() == 2 ? out * in : out;
          leaves.push_back(tensor_of({at, at + n}, shape).requires_grad_(true));
          at += n;
        }
    BOOST_REQUIRE(at == values.end());
  }
  /// Logits [rows, actions, atoms].
  torch::Tensor operator()(const torch::Tensor& x) const {
    auto at = noise.begin();
    const auto layer = [&](size_t i, const torch::Tensor& input) {
      const torch::Tensor& w = leaves[4 * i];
      const auto take = [&](int64_t n) {
        const torch::Tensor eps = tensor_of({at, at + n}, {n});
        at += n;
        return f(eps);
      };
      const torch::Tensor in = take(w.size(1)), out = take(w.size(0));
      return torch::matmul(input, (w + leaves[4 * i + 2] * torch::outer(out, in)).t()) + leaves[4 * i + 1] +
             leaves[4 * i + 3] * out;
    };
    const torch::Tensor trunk = torch::relu(layer(0, x)), value = layer(1, trunk).unsqueeze(1);
    const torch::Tensor advantage = layer(2, trunk).reshape({-1, kActions, kAtoms});
    return value + advantage - advantage.mean(1, true);
  }
};

std::vector<float> random_floats(size_t n, torch::Generator& generator, double scale = 1) {
  const torch::Tensor t =
      torch::randn({static_cast<int64_t>(n)}, generator, torch::TensorOptions().dtype(torch::kFloat32)) * scale;
  return {t.data_ptr<float>(), t.data_ptr<float>() + n};
}

/// m = Phi(R + discount z), as a sum over triangular weights: atom i gets p_j (1 - |place_j - i|) where that is
/// positive.
torch::Tensor projection(const torch::Tensor& reward, const torch::Tensor& discount, const torch::Tensor& z,
                         const torch::Tensor& p) {
  const torch::Tensor moved = (reward.unsqueeze(1) + discount.unsqueeze(1) * z).clamp(kLow, kHigh);
  const torch::Tensor place = (moved - kLow) * ((kAtoms - 1) / (kHigh - kLow));
  const torch::Tensor share =
      (1 - (place.unsqueeze(2) - torch::arange(kAtoms, torch::kFloat64)).abs()).clamp_min(0);  // [rows, j, i]
  return (p.unsqueeze(2) * share).sum(1);
}

}  // namespace

BOOST_AUTO_TEST_CASE(one_update_is_that_of_plain_libtorch) {
  for (const bool twice : {true, false}) {
    RigOf<rainbow::Rainbow> rig({{"hidden_layers", boost::json::array{kHidden}},
                                 {"num_atoms", kAtoms},
                                 {"v_min", kLow},
                                 {"v_max", kHigh},
                                 {"batch_size", kRows},
                                 {"lr", kLr},
                                 {"tau", kTau},
                                 {"max_grad_norm", 0.05},
                                 {"using_double_q", twice}},
                                1'000, Space::box(kObs, -10, 10), Space::discrete(kActions));
    BOOST_REQUIRE_MESSAGE(rig.status == SPAR_OK, rig.message);
    torch::Generator generator = at::detail::createCPUGenerator(5);
    auto target_values = rig.values("q_target");
    const auto change = random_floats(target_values.size(), generator, 0.1);
    for (size_t i = 0; i < change.size(); ++i) target_values[i] += change[i];
    rig.set_values("q_target", target_values);
    GivenBatch& given = rig.context.given;
    given.n_obs = kObs;
    given.obs = random_floats(kRows * kObs, generator);
    given.next_obs = random_floats(kRows * kObs, generator);
    given.reward = random_floats(kRows, generator, 2);
    for (int64_t i = 0; i < kRows; ++i) {
      given.action.push_back(i % kActions);
      given.discount.push_back(i % 5 == 0 ? 0 : 0.97F);
      given.weight.push_back(1 / static_cast<float>(1 + i));
    }
    const auto before = rig.values("q");
    rig.learn();

    // The noise that the update has drawn is still there.
    Net online(before, rig.values("q", SPAR_NET_NOISE)), target(target_values, rig.values("q_target", SPAR_NET_NOISE));
    const torch::Tensor z = torch::linspace(kLow, kHigh, kAtoms, torch::kFloat64);
    const torch::Tensor row = torch::arange(kRows);
    const torch::Tensor next = tensor_of(given.next_obs, {kRows, kObs});
    const torch::Tensor chooser = (twice ? online : target)(next).softmax(2).matmul(z).argmax(1);
    const torch::Tensor p = target(next).softmax(2).index({row, chooser}).detach();
    const torch::Tensor m =
        projection(tensor_of(given.reward, {kRows}), tensor_of(given.discount, {kRows}), z, p).detach();
    const torch::Tensor taken =
        online(tensor_of(given.obs, {kRows, kObs})).index({row, torch::tensor(at::ArrayRef<int64_t>(given.action))});
    const torch::Tensor entropy = -(m * taken.log_softmax(1)).sum(1);
    const torch::Tensor loss = (tensor_of(given.weight, {kRows}) * entropy).mean();
    torch::optim::Adam optimizer(online.leaves, torch::optim::AdamOptions(kLr));
    loss.backward();
    const double norm = torch::nn::utils::clip_grad_norm_(online.leaves, 0.05);
    optimizer.step();

    BOOST_TEST(distance(rig.values("q"), flat(online.leaves)) < 1e-5);
    // Of the step itself, not of the parameters that it hardly moves; float32 keeps 1e-3 of it.
    const torch::Tensor step = flat(online.leaves) - tensor_of(before, {-1});
    BOOST_TEST(((tensor_of(rig.values("q"), {-1}) - flat(online.leaves)).norm() / step.norm()).item<double>() < 1e-3);
    BOOST_TEST(distance(rig.values("q_target"),
                        flat(target.leaves) + kTau * (flat(online.leaves) - flat(target.leaves))) < 1e-5);
    BOOST_TEST(distance(given.priorities, entropy) < 1e-5);
    std::map<std::string, double> recorded;
    for (const auto& [name, value] : rig.metrics.drain()) recorded[std::string(name)] = value;
    BOOST_TEST(std::abs(recorded.at("loss/q") - loss.item<double>()) < 1e-5);
    BOOST_TEST(std::abs(recorded.at("grad_norm/q") - norm) < 1e-5);
    BOOST_TEST(norm > 0.05);  // or clipping would not be tested
    const double q = taken.softmax(1).matmul(z).mean().item<double>();
    BOOST_TEST(std::abs(recorded.at("q/mean") - q) < 1e-5);
  }
}

BOOST_AUTO_TEST_SUITE_END()
