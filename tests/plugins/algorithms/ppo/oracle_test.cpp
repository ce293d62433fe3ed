// One learning phase of the plugin against the same phase in plain LibTorch: autograd, its own clipping and Adam,
// double precision, advantages by the definition.
#include <torch/nn/module.h>
#include <torch/nn/utils/clip_grad.h>

#include <boost/test/unit_test.hpp>
#include <random>

#include "plugins/algorithms/ppo/rig.hpp"
#include "support/libtorch.hpp"

BOOST_AUTO_TEST_SUITE(ppo_phase)

using namespace spar;
using namespace spar::test;

namespace {

constexpr int64_t kObs = 3, kState = 5, kRows = 24, kUpdates = 3;
constexpr double kGamma = 0.9, kLambda = 0.8, kClip = 0.1, kEntropy = 0.05, kLr = 0.01, kValueWeight = 0.7;
const std::vector<int64_t> kHidden = {6, 5};

struct Variant {
  const char* name;
  bool continuous = false, masked = false, shared = false, penalty = false;
  double value_clip = 0, max_norm = 100;
  bool central = false;
};

/// tanh layers from the canonical order of parameters; one output layer for each of `heads`, joined.
struct Oracle {
  Leaves leaves;
  Oracle(const std::vector<float>& canonical, const std::vector<int64_t>& heads, int64_t in = kObs) {
    size_t at = 0;
    const auto take = [&](std::vector<int64_t> shape) {
      size_t n = 1;
      for (const int64_t d : shape) n *= static_cast<size_t>(d);
      leaves.push_back(tensor_of({canonical.begin() + static_cast<std::ptrdiff_t>(at),
                                  canonical.begin() + static_cast<std::ptrdiff_t>(at + n)},
                                 shape)
                           .requires_grad_(true));
      at += n;
    };
    for (const int64_t out : kHidden) {
      take({out, in});
      take({out});
      in = out;
    }
    for (const int64_t out : heads) {
      take({out, in});
      take({out});
    }
    BOOST_REQUIRE_EQUAL(at, canonical.size());
  }
  torch::Tensor operator()(torch::Tensor x) const {
    size_t i = 0;
    for (; i < 2 * kHidden.size(); i += 2) x = torch::tanh(torch::linear(x, leaves[i], leaves[i + 1]));
    std::vector<torch::Tensor> out;
    for (; i < leaves.size(); i += 2) out.push_back(torch::linear(x, leaves[i], leaves[i + 1]));
    return torch::cat(out, 1);
  }
};

void step(torch::optim::Adam& adam, const Leaves& leaves, const torch::Tensor& loss, double max_norm) {
  adam.zero_grad();
  loss.backward();
  torch::nn::utils::clip_grad_norm_(leaves, max_norm);
  adam.step();
}

/// Two lanes of twelve steps: continuous actions also beyond 1, an end, a truncation, cuts.
std::vector<Step> rollout(const Variant& variant) {
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  const auto draw = [&](size_t n) {
    std::vector<float> x(n);
    for (float& v : x) v = normal(random);
    return x;
  };
  std::vector<Step> steps;
  for (uint64_t lane = 0; lane < 2; ++lane) {
    std::vector<float> obs = draw(kObs);
    for (int t = 0; t < 12; ++t) {
      Step s{obs, {}, normal(random), draw(kObs), lane == 0 && t == 4, lane == 1 && t == 7, lane};
      s.mask = s.next_mask = {1, 1, 1};
      const auto taken = static_cast<size_t>(random() % 3);
      if (variant.masked) s.mask[(taken + 1 + random() % 2) % 3] = 0;
      s.action = variant.continuous ? std::vector<float>{1.5F * normal(random), 1.5F * normal(random)}
                                    : std::vector<float>{static_cast<float>(taken)};
      if (variant.central) s.state = draw(kState), s.next_state = draw(kState);
      if (variant.central && t > 0 && !steps.back().terminated && !steps.back().truncated)
        s.state = steps.back().next_state;
      steps.push_back(s);
      obs = s.terminated || s.truncated ? draw(kObs) : s.next_obs;
    }
  }
  return steps;
}

void compare(const Variant& variant) {
  BOOST_TEST_CONTEXT(variant.name) {
    const int64_t n_out = variant.continuous ? 2 : 3;
    PpoSetup setup;
    setup.obs = Space::box(kObs, -10, 10);
    setup.act = variant.continuous ? Space::box(2, -1, 1) : Space::discrete(3);
    setup.lanes = 2;
    setup.masked = variant.masked;
    if (variant.central) setup.state = Space::box(kState, -10, 10);
    boost::json::object options = {{"hidden_layers", boost::json::value_from(kHidden)},
                                   {"orthogonal", false},
                                   {"rollout_length", 12},
                                   {"batch_size", kRows},
                                   {"gamma", kGamma},
                                   {"gae_lambda", kLambda},
                                   {"ppo_ratio_clip", kClip},
                                   {"entropy_weight", kEntropy},
                                   {"actor_lr", kLr},
                                   {"critic_lr", 2 * kLr},
                                   {"actor_number_updates", kUpdates},
                                   {"critic_number_updates", kUpdates},
                                   {"max_grad_norm_actor", variant.max_norm},
                                   {"max_grad_norm_critic", variant.max_norm},
                                   {"shared_trunk", variant.shared},
                                   {"value_weight", kValueWeight},
                                   {"using_kl_div", variant.penalty},
                                   {"kl_beta", 2.0},
                                   {"initial_log_std", -0.3}};
    if (variant.value_clip > 0) options["value_clip"] = variant.value_clip;
    PpoRig rig(options, std::move(setup));
    BOOST_REQUIRE_MESSAGE(rig.status == SPAR_OK, rig.message);
    const char* actor_name = variant.shared ? "actor_critic" : "actor";
    const Oracle actor(rig.values(actor_name), variant.shared ? std::vector<int64_t>{n_out, 1} : std::vector{n_out});
    Leaves actor_leaves = actor.leaves;
    torch::Tensor log_std;
    if (variant.continuous) {
      log_std = tensor_of(rig.values("log_std"), {2}).requires_grad_(true);
      actor_leaves.push_back(log_std);
    }
    std::optional<Oracle> critic;
    if (!variant.shared) critic.emplace(rig.values("critic"), std::vector<int64_t>{1}, variant.central ? kState : kObs);

    const auto steps = rollout(variant);
    std::vector<float> obs, next_obs, states, next_states, actions, allowed;
    for (const Step& s : steps) {
      obs.insert(obs.end(), s.obs.begin(), s.obs.end());
      next_obs.insert(next_obs.end(), s.next_obs.begin(), s.next_obs.end());
      states.insert(states.end(), s.state.begin(), s.state.end());
      next_states.insert(next_states.end(), s.next_state.begin(), s.next_state.end());
      actions.insert(actions.end(), s.action.begin(), s.action.end());
      for (const uint8_t m : s.mask) allowed.push_back(m);
    }
    const torch::Tensor x = tensor_of(obs, {kRows, kObs}), next_x = tensor_of(next_obs, {kRows, kObs});
    const torch::Tensor seen = variant.central ? tensor_of(states, {kRows, kState}) : x,
                        next_seen = variant.central ? tensor_of(next_states, {kRows, kState}) : next_x;
    const torch::Tensor a = tensor_of(actions, {kRows, variant.continuous ? 2 : 1});
    const torch::Tensor mask = tensor_of(allowed, {kRows, 3});

    const auto value = [&](const torch::Tensor& of) {
      return variant.shared ? actor(of).select(1, n_out) : (*critic)(of).squeeze(1);
    };
    struct Judged {
      torch::Tensor log_prob, entropy;
    };
    const auto policy = [&]() -> Judged {
      const torch::Tensor out = actor(x).narrow(1, 0, n_out);
      if (variant.continuous) {
        const torch::Tensor z = (a - out) / log_std.exp();
        const double half_log_2pi = 0.5 * std::log(2 * M_PI);
        return {(-0.5 * z * z - log_std - half_log_2pi).sum(1), (0.5 + half_log_2pi + log_std).sum()};
      }
      const torch::Tensor logits = variant.masked ? out.masked_fill(mask == 0, -1e9) : out;
      const torch::Tensor log_p = torch::log_softmax(logits, 1);
      return {log_p.gather(1, a.to(torch::kLong)).squeeze(1), -(log_p.exp() * log_p).sum(1).mean()};
    };

    // A_t = sum_k (gamma lambda)^k delta_{t+k} up to the end of t's segment, by the definition.
    const torch::Tensor v = value(seen).detach(), next_v = value(next_seen).detach();
    std::vector<double> advantage(kRows, 0.0);
    for (int64_t t = 0; t < kRows; ++t) {
      double weight = 1;
      for (int64_t k = t; k < kRows; ++k) {
        const Step& s = steps[static_cast<size_t>(k)];
        const double bootstrap = s.terminated ? 0.0 : kGamma * next_v[k].item<double>();
        advantage[static_cast<size_t>(t)] += weight * (s.reward + bootstrap - v[k].item<double>());
        if (s.terminated || s.truncated || k % 12 == 11) break;
        weight *= kGamma * kLambda;
      }
    }
    const torch::Tensor raw = torch::tensor(at::ArrayRef<double>(advantage), torch::kFloat64);
    const torch::Tensor target = raw + v, adv = (raw - raw.mean()) / (raw.std(true) + 1e-8);
    const torch::Tensor old = policy().log_prob.detach();

    torch::optim::Adam actor_adam(actor_leaves, torch::optim::AdamOptions(kLr).eps(1e-8));
    const auto value_loss = [&] {
      const torch::Tensor now = value(seen), error = (now - target).pow(2);
      if (variant.value_clip == 0) return error.mean();
      const torch::Tensor held = v + (now - v).clamp(-variant.value_clip, variant.value_clip);
      return torch::max(error, (held - target).pow(2)).mean();
    };
    for (int k = 0; k < kUpdates; ++k) {
      const Judged now = policy();
      const torch::Tensor ratio = (now.log_prob - old).exp();
      torch::Tensor loss = variant.penalty ? (-ratio * adv + 2.0 * (ratio - 1 - (now.log_prob - old))).mean()
                                           : -torch::min(ratio * adv, ratio.clamp(1 - kClip, 1 + kClip) * adv).mean();
      loss = loss - kEntropy * now.entropy;
      if (variant.shared) loss = loss + kValueWeight * value_loss();
      step(actor_adam, actor_leaves, loss, variant.max_norm);
    }
    if (critic) {
      torch::optim::Adam critic_adam(critic->leaves, torch::optim::AdamOptions(2 * kLr).eps(1e-8));
      for (int k = 0; k < kUpdates; ++k) step(critic_adam, critic->leaves, value_loss(), variant.max_norm);
    }

    rig.remember(steps);
    rig.learn();
    BOOST_TEST(distance(rig.values(actor_name), flat(actor.leaves)) < 1e-5);
    if (critic) BOOST_TEST(distance(rig.values("critic"), flat(critic->leaves)) < 1e-5);
    if (variant.continuous) BOOST_TEST(distance(rig.values("log_std"), log_std) < 1e-5);
    if (!variant.penalty && !variant.shared)
      BOOST_TEST(rig.recorded().at("clip_fraction") > 0.0);  // the clip had a say
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(phase_equals_the_plain_computation) {
  compare({.name = "discrete"});
  compare({.name = "discrete, masked, small norm", .masked = true, .max_norm = 0.05});
  compare({.name = "continuous, clipped values", .continuous = true, .value_clip = 0.02, .max_norm = 0.5});
  compare({.name = "continuous, KL penalty", .continuous = true, .penalty = true});
  compare({.name = "shared trunk", .shared = true, .max_norm = 0.5});
  compare({.name = "central critic", .central = true});
  compare({.name = "central critic, continuous", .continuous = true, .central = true});
  compare({.name = "shared trunk, continuous", .continuous = true, .shared = true, .value_clip = 0.05});
}

BOOST_AUTO_TEST_SUITE_END()
