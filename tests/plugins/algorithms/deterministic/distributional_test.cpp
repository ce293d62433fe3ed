#include "plugins/algorithms/continuous_rig.hpp"
#include "plugins/algorithms/d3pg/d3pg.hpp"
#include "plugins/algorithms/d4pg/d4pg.hpp"

using namespace spar;
using namespace spar::test;

namespace {

using D3pgRig = ContinuousRig<d3pg::D3pg>;
using D4pgRig = ContinuousRig<d4pg::D4pg>;

const boost::json::object kFiveAtoms = {
    {"hidden_layers", boost::json::array{}}, {"batch_size", 1}, {"num_atoms", 5}, {"v_min", -2.0}, {"v_max", 2.0}};

/// A critic whose logits do not depend on the observation: weights of the action, then the biases.
std::vector<float> critic_of(const std::vector<double>& logits, const std::vector<float>& of_action = {}) {
  std::vector<float> values;
  for (size_t j = 0; j < logits.size(); ++j) {
    values.push_back(0);
    values.push_back(of_action.empty() ? 0 : of_action[j]);
  }
  for (const double logit : logits) values.push_back(static_cast<float>(logit));
  return values;
}

template <class Rig>
void give_rows(Rig& rig, size_t rows, float reward, float discount) {
  GivenTransitions& given = rig.context.given;
  given.obs = given.next_obs = given.action = std::vector<float>(rows, 0);
  given.reward.assign(rows, reward);
  given.discount.assign(rows, discount);
}

const boost::json::object kDocumented = {{"hidden_layers", {128, 128}},
                                         {"actor_hidden_layers", nullptr},
                                         {"critic_hidden_layers", nullptr},
                                         {"actor_lr", 3e-4},
                                         {"critic_lr", 3e-4},
                                         {"gamma", 0.99},
                                         {"tau", 0.02},
                                         {"batch_size", 64},
                                         {"buffer_size", 1'000'000},
                                         {"warm_up", 0},
                                         {"update_freq", 1},
                                         {"number_updates", 1},
                                         {"max_grad_norm_actor", 100},
                                         {"max_grad_norm_critic", 100},
                                         {"n_steps", 3},
                                         {"v_min", -10},
                                         {"v_max", 10},
                                         {"num_atoms", 51},
                                         {"action_scale", 1},
                                         {"prioritized", true},
                                         {"alpha", 0.5},
                                         {"beta", 0.4},
                                         {"priority_eps", 1e-6},
                                         {"noise", "gaussian"},
                                         {"noise_scale", 0.2},
                                         {"noise_sigma", 1.0},
                                         {"ou_theta", 0.15},
                                         {"ou_dt", 1.0},
                                         {"state_transform", ""},
                                         {"reward_transform", ""},
                                         {"network", "mlp"},
                                         {"network_file", ""},
                                         {"network_backend", "auto"},
                                         {"device", "auto"}};

}  // namespace

BOOST_AUTO_TEST_SUITE(distributional_update)

BOOST_AUTO_TEST_CASE(critic_descends_the_golden_cross_entropy_to_the_golden_projection) {
  const Json projection = golden("c51.projection"), golden_case = golden("c51.cross_entropy");
  const Json& in = golden_case.at("inputs");
  const Json& interior = projection.at("inputs").at("cases").at("a_interior");
  std::vector<double> log_p;
  for (const double p : numbers(projection.at("inputs").at("p"))) log_p.push_back(std::log(p));
  D3pgRig rig(kFiveAtoms);
  BOOST_REQUIRE_MESSAGE(rig.status == SPAR_OK, rig.message);
  rig.set_values("critic", critic_of(numbers(in.at("logits"))));
  rig.set_values("critic_target", critic_of(log_p));
  give_rows(rig, 1, static_cast<float>(number(interior.at("R"))), static_cast<float>(number(interior.at("discount"))));
  const Json& expected = golden_case.at("expected");
  BOOST_TEST(std::abs(rig.loss(false) - number(expected.at("loss"))) <= 1e-5);
  rig.learn();
  BOOST_TEST(std::abs(rig.metric("loss/critic") - number(expected.at("loss"))) <= 1e-5);
  BOOST_TEST(std::abs(rig.metric("q/mean") - number(expected.at("q"))) <= 1e-5);
  check_near(rig.context.given.priorities, {static_cast<float>(number(expected.at("loss")))});
  auto gradient = rig.values("critic", SPAR_NET_MOMENT1);
  gradient.erase(gradient.begin(), gradient.begin() + 10);  // weights of inputs that are 0
  for (float& g : gradient) g *= 10;
  check_near(gradient, floats(numbers(expected.at("grad"))));
}

BOOST_AUTO_TEST_CASE(actor_ascends_the_golden_expectation) {
  const Json golden_case = golden("d4pg.actor_value");
  const auto logits = numbers(golden_case.at("inputs").at("logits"));
  const auto expected = numbers(golden_case.at("expected").at("dloss_dlogits"));
  for (const double scale : {1.0, 0.5}) {
    for (size_t atom = 0; atom < logits.size(); ++atom) {
      // The action moves the logit of one atom, so the actor's gradient is that logit's.
      std::vector<float> of_action(logits.size(), 0);
      of_action[atom] = 1;
      auto options = with_option(kFiveAtoms, "critic_lr", 1e-12);
      options["action_scale"] = scale;
      D4pgRig rig(options);
      rig.set_values("actor", {0, 0});
      rig.set_values("critic", critic_of(logits, of_action));
      give_rows(rig, 1, 0, 0);
      BOOST_TEST(std::abs(rig.loss(true) - number(golden_case.at("expected").at("loss"))) <= 1e-5);
      rig.learn();
      BOOST_TEST(std::abs(rig.metric("loss/actor") - number(golden_case.at("expected").at("loss"))) <= 1e-5);
      check_near({10 * rig.values("actor", SPAR_NET_MOMENT1)[1]}, {static_cast<float>(scale * expected[atom])});
    }
  }
}

BOOST_AUTO_TEST_CASE(importance_weights_weigh_the_critic) {
  D3pgRig rig(with_option(kFiveAtoms, "batch_size", 2));
  rig.set_values("critic", critic_of({0, 0, 0, 0, 0}));
  give_rows(rig, 2, 0, 0);  // all mass of the target on one atom: log 5 each
  rig.context.given.weight = {0.5F, 1};
  rig.learn();
  BOOST_TEST(std::abs(rig.metric("loss/critic") - 0.75 * std::log(5.0)) < 1e-6);
  check_near(rig.context.given.priorities, {std::log(5.0F), std::log(5.0F)});
}

BOOST_AUTO_TEST_CASE(returns_beyond_the_support_are_told_once) {
  // 100 targets each time; 10,000 are looked at together.
  const auto warnings = [](size_t beyond, bool restarted) {
    const auto options = with_option(kFiveAtoms, "batch_size", 100);
    D3pgRig rig(options), later(options);
    for (D3pgRig* one : {&rig, &later}) {
      give_rows(*one, 100, 1, 0);
      for (size_t i = 0; i < beyond; ++i) one->context.given.reward[i] = i % 2 ? 2.5F : -2.5F;
    }
    for (int i = 0; i < 99; ++i) rig.learn();
    BOOST_TEST(rig.context.given.warnings.empty());
    BOOST_TEST(std::abs(rig.metric("target/clipped") - static_cast<double>(beyond) / 100) < 1e-12);
    D3pgRig& last = restarted ? later : rig;
    if (restarted) later.load(rig.save());
    for (int i = 0; i < 301; ++i) last.learn();
    return last.context.given.warnings;
  };
  BOOST_TEST(warnings(0, false).empty());
  BOOST_TEST(warnings(1, false).empty());  // 1 %
  for (const bool restarted : {false, true}) {
    const auto found = warnings(2, restarted);
    BOOST_REQUIRE(found.size() == 1u);
    BOOST_TEST(found[0] ==
               "2.0 % of the targets lie outside the support [-2, 2] and are clipped: widen v_min and v_max, or scale "
               "the rewards (reward_transform)");
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(distributional_act)

BOOST_AUTO_TEST_CASE(action_scale_keeps_to_a_share_of_the_box) {
  D3pgRig rig(with_option(kFiveAtoms, "action_scale", 0.5));
  rig.set_values("actor", {0, 100});
  check_near(rig.act(SPAR_MODE_GREEDY, {0}), {0.5F});
  rig.context.given.normals = {1};
  check_near(rig.act(SPAR_MODE_EXPLORE, {0}), {0.7F});  // the noise keeps its own scale
}

BOOST_AUTO_TEST_CASE(parallel_actors_differ_in_their_exploration) {
  const auto explored = [](uint32_t actor, uint32_t actors) {
    ContinuousSetup copy;
    copy.role = SPAR_ROLE_ACT;
    copy.actor = actor;
    copy.n_actors = actors;
    D4pgRig rig({{"hidden_layers", boost::json::array{}}}, std::move(copy));
    rig.set_values("actor", {0, 0});
    rig.context.given.normals = {1};
    return rig.act(SPAR_MODE_EXPLORE, {0}).at(0);
  };
  check_near({explored(0, 1), explored(0, 2), explored(1, 2), explored(3, 4)}, {0.2F, 0.1F, 0.2F, 0.2F});
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(distributional_options)

BOOST_AUTO_TEST_CASE(defaults_are_those_of_the_documented_table) {
  check_defaults<d3pg::D3pg>(kDocumented);
  check_defaults<d4pg::D4pg>(with_option(kDocumented, "num_workers", 1));
}

BOOST_AUTO_TEST_CASE(needs_follow_the_options) {
  D3pgRig one({{"n_steps", 5}});
  BOOST_TEST(one.needs().n_step == 5u);
  BOOST_TEST(one.needs().actors == 0u);
  BOOST_TEST(one.needs().buffer_kind == static_cast<uint32_t>(SPAR_BUF_PRIORITIZED));
  D4pgRig many({{"num_workers", 3}, {"prioritized", false}});
  BOOST_TEST(many.needs().actors == 3u);
  BOOST_TEST(many.needs().n_step == 3u);
  BOOST_TEST(many.needs().buffer_kind == static_cast<uint32_t>(SPAR_BUF_REPLAY));
}

BOOST_AUTO_TEST_CASE(support_upside_down_is_refused) {
  const D3pgRig rig({{"v_min", 5.0}, {"v_max", -5.0}});
  BOOST_TEST(rig.status == SPAR_E_INVALID);
  BOOST_TEST(rig.message == "v_min is 5.0, expected a number below v_max, which is -5.0");
  BOOST_TEST(rig.networks.size() == 0u);
}

BOOST_AUTO_TEST_CASE(spaces_that_do_not_fit_are_refused_by_the_algorithm_s_name) {
  ContinuousSetup setup;
  setup.act = Space::discrete(3);
  const D4pgRig rig({}, std::move(setup));
  BOOST_TEST(
      rig.message ==
      "D4PG needs a Box action space, found Discrete(3): choose an algorithm for discrete actions or a continuous "
      "environment");
}

BOOST_AUTO_TEST_SUITE_END()
