// LibTorch's autograd and Adam, in double precision, as the oracle of whole updates of SAC.
#include <boost/test/unit_test.hpp>

#include "plugins/algorithms/continuous_rig.hpp"
#include "plugins/algorithms/sac/sac.hpp"
#include "support/libtorch.hpp"

BOOST_AUTO_TEST_SUITE(sac_update)

using namespace spar;
using namespace spar::test;

namespace {

constexpr int64_t kRows = 6, kObs = 3, kActions = 2;
constexpr int64_t kState = 5, kJoint = 7, kOwn = 3;  ///< of a central critic: widths, and where the own actions begin
constexpr double kTau = 0.05, kScale = 0.8, kHalfLog2Pi = 0.91893853320467274178;

/// Layers of 5 and 4 between `in` and `out`, `members` times, with the host's parameters.
Leaves leaves_of(const std::vector<float>& canonical, int64_t in, int64_t out, int members = 1) {
  Leaves leaves;
  auto at = canonical.begin();
  for (int member = 0; member < members; ++member) {
    int64_t from = in;
    for (const int64_t width : {int64_t{5}, int64_t{4}, out}) {
      for (const std::vector<int64_t>& shape : {std::vector<int64_t>{width, from}, {width}}) {
        const int64_t n = shape.size() == 2 ? width * from : width;
        leaves.push_back(tensor_of({at, at + n}, shape).requires_grad_(true));
        at += n;
      }
      from = width;
    }
  }
  BOOST_REQUIRE((at == canonical.end()));
  return leaves;
}

torch::Tensor mlp(const Leaves& leaves, torch::Tensor x, size_t member = 0) {
  for (size_t i = 6 * member; i < 6 * member + 6; i += 2) {
    x = torch::matmul(x, leaves[i].t()) + leaves[i + 1];
    if (i + 2 < 6 * member + 6) x = torch::relu(x);
  }
  return x;
}

/// Q_k(s, a), k = 0, 1.
torch::Tensor critic(const Leaves& leaves, const torch::Tensor& s, const torch::Tensor& a, size_t k) {
  return mlp(leaves, torch::cat({s, a}, 1), k).squeeze(1);
}

struct Sampled {
  torch::Tensor action, log_prob;
};
Sampled sample(const Leaves& actor, const torch::Tensor& s, const torch::Tensor& noise) {
  const torch::Tensor y = mlp(actor, s), mean = y.slice(1, 0, kActions), log_std = y.slice(1, kActions).clamp(-20, 2);
  const torch::Tensor squashed = torch::tanh(mean + log_std.exp() * noise);
  const torch::Tensor density = -0.5 * noise.square() - log_std - kHalfLog2Pi;  // of the Gaussian
  return {kScale * squashed, (density - torch::log(1 - squashed.square())).sum(1)};
}

/// `joint` with `own` in its place.
torch::Tensor with_own(const torch::Tensor& joint, const torch::Tensor& own) {
  return torch::cat({joint.slice(1, 0, kOwn), own, joint.slice(1, kOwn + kActions)}, 1);
}

void check_updates(bool central) {
  ContinuousSetup setup;
  setup.obs = Space::box(kObs, -1, 1);
  setup.act = Space::box(kActions, -2, 3);
  if (central) {
    setup.state = Space::box(kState, -1, 1);
    setup.joint_width = kJoint;
    setup.own_offset = kOwn;
  }
  ContinuousRig<sac::Sac> rig({{"hidden_layers", {5, 4}},
                               {"batch_size", kRows},
                               {"actor_lr", 2e-3},
                               {"critic_lr", 5e-3},
                               {"alpha_lr", 1e-2},
                               {"tau", kTau},
                               {"action_scale", kScale},
                               {"max_grad_norm_actor", 1e-2},
                               {"max_grad_norm_critic", 1e-2},
                               {"max_grad_norm_alpha", 1e-2}},
                              std::move(setup));
  BOOST_REQUIRE_MESSAGE(rig.status == SPAR_OK, rig.message);
  Philox random(7, "oracle");
  auto distant = rig.values("critic_target");  // a target that is no copy
  for (float& value : distant) value += static_cast<float>(0.2 * random.normal());
  rig.set_values("critic_target", distant);
  GivenTransitions& given = rig.context.given;
  const auto fill = [&](std::vector<float>& to, int64_t width) {
    for (int64_t i = 0; i < kRows * width; ++i) to.push_back(static_cast<float>(random.normal()));
  };
  fill(given.obs, kObs);
  fill(given.next_obs, kObs);
  fill(given.action, kActions);
  fill(given.reward, 1);
  if (central) {
    fill(given.state, kState);
    fill(given.next_state, kState);
    fill(given.joint_action, kJoint);
    fill(given.next_joint_action, kJoint);
  }
  given.discount = {0.9F, 0, 0.9F, 0.9F, 0.9F, 0};
  given.weight = {1, 0.5F, 0.25F, 0.75F, 0.6F, 0.9F};

  const Leaves actor = leaves_of(rig.values("actor"), kObs, 2 * kActions);
  const int64_t seen = central ? kState + kJoint : kObs + kActions;
  const Leaves critics = leaves_of(rig.values("critic"), seen, 1, 2);
  const Leaves target = leaves_of(rig.values("critic_target"), seen, 1, 2);
  const Leaves log_alpha = {tensor_of(rig.values("log_alpha"), {1}).requires_grad_(true)};
  torch::optim::Adam actor_adam(actor, torch::optim::AdamOptions(2e-3)),
      critic_adam(critics, torch::optim::AdamOptions(5e-3)), alpha_adam(log_alpha, torch::optim::AdamOptions(1e-2));
  const torch::Tensor s = tensor_of(given.obs, {kRows, kObs}), s_next = tensor_of(given.next_obs, {kRows, kObs}),
                      a = tensor_of(given.action, {kRows, kActions}), r = tensor_of(given.reward, {kRows}),
                      discount = tensor_of(given.discount, {kRows}), w = tensor_of(given.weight, {kRows});

  const torch::Tensor x = central ? tensor_of(given.state, {kRows, kState}) : s,
                      x_next = central ? tensor_of(given.next_state, {kRows, kState}) : s_next,
                      all = central ? tensor_of(given.joint_action, {kRows, kJoint}) : a;
  const auto team = [&](const std::vector<float>& others, const torch::Tensor& own) {
    return central ? with_own(tensor_of(others, {kRows, kJoint}), own) : own;
  };

  for (int update = 1; update <= 3; ++update) {
    std::vector<float> draws;
    for (int64_t i = 0; i < 2 * kRows * kActions; ++i) draws.push_back(static_cast<float>(random.normal()));
    given.normals.assign(draws.begin(), draws.end());
    rig.learn();
    const torch::Tensor noise = tensor_of(draws, {2, kRows, kActions});

    const torch::Tensor alpha = log_alpha[0].exp().detach();
    const Sampled next = sample(actor, s_next, noise[0]);
    const torch::Tensor all_next = team(given.next_joint_action, next.action);
    const torch::Tensor soft =
        torch::min(critic(target, x_next, all_next, 0), critic(target, x_next, all_next, 1)) - alpha * next.log_prob;
    const torch::Tensor y = (r + discount * soft).detach();
    const torch::Tensor q0 = critic(critics, x, all, 0), q1 = critic(critics, x, all, 1);
    const torch::Tensor errors = ((q0 - y).abs() + (q1 - y).abs()) / 2;
    clipped_step((w * (q0 - y).square()).mean() + (w * (q1 - y).square()).mean(), critics, critic_adam, 1e-2);

    const Sampled own = sample(actor, s, noise[1]);
    const torch::Tensor all_own = team(given.joint_action, own.action);
    const torch::Tensor least = torch::min(critic(critics, x, all_own, 0), critic(critics, x, all_own, 1));
    const torch::Tensor temperature = -(log_alpha[0] * (own.log_prob.detach() - kActions)).mean();
    clipped_step((alpha * own.log_prob - least).mean(), actor, actor_adam, 1e-2);
    clipped_step(temperature, log_alpha, alpha_adam, 1e-2);
    {
      const torch::NoGradGuard guard;
      for (size_t i = 0; i < target.size(); ++i) target[i].lerp_(critics[i], kTau);
    }
    const std::string when = " after update " + std::to_string(update);
    check_equal(rig.values("critic"), critics, "critic" + when);
    check_equal(rig.values("actor"), actor, "actor" + when);
    check_equal(rig.values("critic_target"), target, "critic_target" + when);
    check_equal(rig.values("log_alpha"), log_alpha, "log_alpha" + when);
    check_equal(given.priorities, {errors}, "priorities" + when);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(updates_are_those_of_autograd) { check_updates(false); }

/// The entropy of the own action alone belongs to the target.
BOOST_AUTO_TEST_CASE(updates_with_a_central_critic_are_those_of_autograd) { check_updates(true); }

BOOST_AUTO_TEST_SUITE_END()
