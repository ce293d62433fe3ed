// LibTorch's autograd and Adam, in double precision, as the oracle of whole updates of DDPG and D3PG (D4PG's are the
// same lines).
#include <boost/test/unit_test.hpp>

#include "plugins/algorithms/continuous_rig.hpp"
#include "plugins/algorithms/d3pg/d3pg.hpp"
#include "plugins/algorithms/ddpg/ddpg.hpp"
#include "support/libtorch.hpp"

BOOST_AUTO_TEST_SUITE(deterministic_update)

using namespace spar;
using namespace spar::test;

namespace {

constexpr int64_t kRows = 6, kObs = 3, kActions = 2, kAtoms = 7;
constexpr int64_t kState = 5, kJoint = 7, kOwn = 3;  ///< of a central critic: widths, and where the own actions begin
constexpr double kTau = 0.05, kLow = -3, kHigh = 2;

/// Layers of 5 and 4 between `in` and `out`, with the host's parameters.
struct Mlp {
  Leaves leaves;
  bool squash;

  Mlp(const std::vector<float>& canonical, int64_t in, int64_t out, bool tanh) : squash(tanh) {
    auto at = canonical.begin();
    const auto take = [&](std::vector<int64_t> shape, int64_t n) {
      leaves.push_back(tensor_of({at, at + n}, std::move(shape)).requires_grad_(true));
      at += n;
    };
    for (const int64_t width : {int64_t{5}, int64_t{4}, out}) {
      take({width, in}, width * in);
      take({width}, width);
      in = width;
    }
    BOOST_REQUIRE((at == canonical.end()));
  }
  torch::Tensor operator()(torch::Tensor x) const {
    for (size_t i = 0; i < leaves.size(); i += 2) {
      x = torch::matmul(x, leaves[i].t()) + leaves[i + 1];
      if (i + 2 < leaves.size()) x = torch::relu(x);
    }
    return squash ? torch::tanh(x) : x;
  }
  torch::Tensor operator()(const torch::Tensor& s, const torch::Tensor& a) const {
    return (*this)(torch::cat({s, a}, 1));
  }

  void follow(const Mlp& source) {
    const torch::NoGradGuard guard;
    for (size_t i = 0; i < leaves.size(); ++i) leaves[i].lerp_(source.leaves[i], kTau);
  }
};

/// -1/B sum w sum_j Phi(..)_j log p_j, the projection by overlapping triangles.
torch::Tensor distributional_loss(const torch::Tensor& logits, const torch::Tensor& next_logits,
                                  const torch::Tensor& reward, const torch::Tensor& discount,
                                  const torch::Tensor& weight, const torch::Tensor& z) {
  const double delta = (kHigh - kLow) / (kAtoms - 1);
  const torch::Tensor moved = (reward.unsqueeze(1) + discount.unsqueeze(1) * z).clamp(kLow, kHigh);
  const torch::Tensor share = (1 - (moved.unsqueeze(2) - z).abs() / delta).clamp(0, 1);  // [B, from, to]
  const torch::Tensor m = (torch::softmax(next_logits, 1).unsqueeze(2) * share).sum(1).detach();
  return -(weight * (m * torch::log_softmax(logits, 1)).sum(1)).mean();
}

/// `joint` with `own` in its place.
torch::Tensor with_own(const torch::Tensor& joint, const torch::Tensor& own) {
  return torch::cat({joint.slice(1, 0, kOwn), own, joint.slice(1, kOwn + kActions)}, 1);
}

template <class Algorithm>
void check_updates(bool distributional, bool central) {
  const double max_norm = central ? 1e-4 : 1e-3;  // of the actor's gradient, which is larger
  boost::json::object options = {{"hidden_layers", {5, 4}},
                                 {"batch_size", kRows},
                                 {"prioritized", true},
                                 {"actor_lr", 2e-3},
                                 {"critic_lr", 5e-3},
                                 {"tau", kTau},
                                 {"max_grad_norm_actor", max_norm},
                                 {"max_grad_norm_critic", 1e-2}};
  if (distributional) {
    options["num_atoms"] = kAtoms;
    options["v_min"] = kLow;
    options["v_max"] = kHigh;
  }
  ContinuousSetup setup;
  setup.obs = Space::box(kObs, -1, 1);
  setup.act = Space::box(kActions, -2, 3);
  if (central) {
    setup.state = Space::box(kState, -1, 1);
    setup.joint_width = kJoint;
    setup.own_offset = kOwn;
  }
  ContinuousRig<Algorithm> rig(options, std::move(setup));
  BOOST_REQUIRE_MESSAGE(rig.status == SPAR_OK, rig.message);
  // Targets that are no copies.
  Philox random(7, "oracle");
  for (const char* name : {"actor_target", "critic_target"}) {
    auto values = rig.values(name);
    for (float& value : values) value += static_cast<float>(0.2 * random.normal());
    rig.set_values(name, values);
  }
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
  given.discount = {0.9F, 0, 0.81F, 0.729F, 0.9F, 0};
  given.weight = {1, 0.5F, 0.25F, 0.75F, 0.6F, 0.9F};

  const int64_t out = distributional ? kAtoms : 1;
  Mlp actor(rig.values("actor"), kObs, kActions, true), actor_target(rig.values("actor_target"), kObs, kActions, true);
  const int64_t seen = central ? kState + kJoint : kObs + kActions;
  Mlp critic(rig.values("critic"), seen, out, false), critic_target(rig.values("critic_target"), seen, out, false);
  torch::optim::Adam actor_adam(actor.leaves, torch::optim::AdamOptions(2e-3)),
      critic_adam(critic.leaves, torch::optim::AdamOptions(5e-3));
  const torch::Tensor s = tensor_of(given.obs, {kRows, kObs}), s_next = tensor_of(given.next_obs, {kRows, kObs}),
                      a = tensor_of(given.action, {kRows, kActions}), r = tensor_of(given.reward, {kRows}),
                      discount = tensor_of(given.discount, {kRows}), w = tensor_of(given.weight, {kRows});
  const torch::Tensor x = central ? tensor_of(given.state, {kRows, kState}) : s,
                      x_next = central ? tensor_of(given.next_state, {kRows, kState}) : s_next,
                      all = central ? tensor_of(given.joint_action, {kRows, kJoint}) : a;
  const auto team = [&](const std::vector<float>& others, const torch::Tensor& own) {
    return central ? with_own(tensor_of(others, {kRows, kJoint}), own) : own;
  };
  const torch::Tensor z = torch::linspace(kLow, kHigh, kAtoms, torch::kFloat64);

  for (int update = 1; update <= 3; ++update) {
    rig.learn();
    const torch::Tensor next = critic_target(x_next, team(given.next_joint_action, actor_target(s_next))).detach();
    const torch::Tensor value = critic(x, all);
    clipped_step(distributional ? distributional_loss(value, next, r, discount, w, z)
                                : (w * (value.squeeze(1) - (r + discount * next.squeeze(1))).square()).mean(),
                 critic.leaves, critic_adam, 1e-2);
    const torch::Tensor own = critic(x, team(given.joint_action, actor(s)));
    clipped_step(distributional ? -(torch::softmax(own, 1) * z).sum(1).mean() : -own.mean(), actor.leaves, actor_adam,
                 max_norm);
    actor_target.follow(actor);
    critic_target.follow(critic);
    const std::string when = " after update " + std::to_string(update);
    check_equal(rig.values("critic"), critic.leaves, "critic" + when);
    check_equal(rig.values("actor"), actor.leaves, "actor" + when);
    check_equal(rig.values("critic_target"), critic_target.leaves, "critic_target" + when);
    check_equal(rig.values("actor_target"), actor_target.leaves, "actor_target" + when);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(updates_of_ddpg_are_those_of_autograd) { check_updates<ddpg::Ddpg>(false, false); }

BOOST_AUTO_TEST_CASE(updates_of_d3pg_are_those_of_autograd) { check_updates<d3pg::D3pg>(true, false); }

BOOST_AUTO_TEST_CASE(updates_with_a_central_critic_are_those_of_autograd) {
  check_updates<ddpg::Ddpg>(false, true);
  check_updates<d3pg::D3pg>(true, true);
}

BOOST_AUTO_TEST_SUITE_END()
