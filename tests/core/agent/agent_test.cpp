#include "core/agent/agent.hpp"

#include "core/agent/fixture.hpp"

using namespace spar;
using namespace spar::test;

namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// The refusal of `call`, which must leave the agent as it was.
template <class Call>
std::string refused(Agent& agent, Call&& call) {
  const auto before = bytes_of(agent);
  const std::string text = thrown(call);
  BOOST_TEST((bytes_of(agent) == before), "the refused call changed the agent: " << text);
  return text;
}

std::string creation(const std::string& options, AgentSettings settings = {.steps = 100}) {
  return thrown([&] {
    Agent::create(agent_plugins(), "dqn", {Space::box(2, -1, 1), Space::discrete(2)}, options, settings);
  });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(agent_create)

BOOST_AUTO_TEST_CASE(options_have_the_messages_of_spar_train) {
  BOOST_TEST(creation("learning_rate = 1e-3") == "E0203 unknown key `learning_rate` for algorithm `dqn`");
  try {
    std::vector<std::string> warnings;
    AgentOptions("learning_rate = 1e-3").resolve(make_dqn().hparams().component, warnings);
    BOOST_FAIL("nothing was thrown");
  } catch (const Error& error) {
    BOOST_TEST(error.render().find("did you mean `lr`?") != std::string::npos, error.render());
    BOOST_TEST(error.render().find("options:1:1") != std::string::npos, error.render());
    BOOST_TEST(error.help() == "see: spar explain dqn");
  }
  BOOST_TEST(creation("lr = -1.0").substr(0, 5) == "E0205");
  BOOST_TEST(creation("lr = \"fast\"").substr(0, 5) == "E0204");
  BOOST_TEST(creation("{\"lr\": 1e-3, \"gama\": 0.9}").find("unknown key `gama` for algorithm `dqn`") !=
             std::string::npos);
  BOOST_TEST(creation("{\"lr\": 1e-3, \"lr\": 1e-4}") == "E0201 the options cannot be read: `lr` is there twice");
  BOOST_TEST(creation("{\"lr\": ").substr(0, 33) == "E0201 the options cannot be read:");
  BOOST_TEST(creation("lr = ").substr(0, 5) == "E0201");
}

BOOST_AUTO_TEST_CASE(toml_and_json_and_trees_say_the_same) {
  config::Table tree;
  tree.entries.push_back({"lr", {}, {0.25, {}, {}}});
  const Spaces spaces{Space::box(2, -1, 1), Space::discrete(2)};
  const auto made = [&](const AgentOptions& options) {
    return options_json(Agent::create(agent_plugins(), "org.spar.dqn", spaces, options, {.steps = 10}).hparams());
  };
  const std::string expected = made("lr = 0.25");
  BOOST_TEST(expected.find("\"lr\":2.5E-1") != std::string::npos, expected);
  BOOST_TEST(made("{\"lr\": 0.25}") == expected);
  BOOST_TEST(made(tree) == expected);
  BOOST_TEST(made(expected) == expected);  // all of them, and back
}

BOOST_AUTO_TEST_CASE(what_cannot_be_made_says_why) {
  const Spaces spaces{Space::box(2, -1, 1), Space::discrete(2)};
  BOOST_TEST(thrown([&] { Agent::create(agent_plugins(), "dqm", spaces); }) ==
             "E0110 no algorithm `dqm` is known; the nearest is `dqn`");
  try {
    Agent::create(agent_plugins(), "dqn", spaces);  // schedules without a budget
    BOOST_FAIL("nothing was thrown");
  } catch (const Error& error) {
    BOOST_TEST(error.code() == "E0702");
    BOOST_TEST(error.help() == "schedules are a share of the setting `steps`, which was left out");
  }
  BOOST_TEST(creation("", {.steps = 10, .copies = 0}) == "E1001 Agent::create(): copies is 0, expected at least 1");
  BOOST_TEST(thrown([&] {
               Agent::create(agent_plugins(), "dqn", {Space::box(2, -1, 1), Space::box(2, -1, 1)}, "", {.steps = 10});
             }).find("DQN needs a Discrete action space, found Box(2)") != std::string::npos);
}

#ifdef SPAR_HAVE_TORCH
BOOST_AUTO_TEST_CASE(device_is_what_the_backend_was_asked_for) {
  BOOST_TEST(make_dqn({"network_backend=\"torch\""}).device() == "auto");
  BOOST_TEST(make_dqn({"network_backend=\"torch\"", "device=\"cpu\""}).device() == "cpu");
  BOOST_TEST(make_dqn({"device=\"cpu\""}).device() == "cpu");
}
#endif

BOOST_AUTO_TEST_CASE(properties_tell_what_it_was_made_of) {
  const Agent dqn = make_dqn(), steady = make_steady();
  BOOST_TEST(dqn.algorithm() == "org.spar.dqn");
  BOOST_TEST(dqn.device() == "cpu");
  BOOST_TEST(dqn.action_space().n() == 3);
  BOOST_TEST(dqn.obs_space().width() == 2u);
  BOOST_TEST((dqn.action_min() == std::vector<double>{0} && dqn.action_max() == std::vector<double>{2}));
  BOOST_TEST((steady.action_min() == std::vector<double>{-1, 0} && steady.action_max() == std::vector<double>{3, 10}));
  BOOST_TEST(std::get<int64_t>(dqn.hparams().find("batch_size")->data) == 8);
  BOOST_TEST(dqn.settings().steps.value() == 1'000u);
  BOOST_TEST(!dqn.alpha().has_value());  // DQN's alpha is the exponent of the priorities
  BOOST_TEST(dqn.loss().empty());
  const auto model = dqn.model();
  BOOST_REQUIRE(model.size() == 2u);
  BOOST_TEST((model[0].name == "q" && model[1].name == "q_target"));
  BOOST_TEST(model[0].parameters == (2 * 8 + 8) + (8 + 1) + (3 * 8 + 3));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(agent_act)

BOOST_AUTO_TEST_CASE(greedy_changes_nothing) {
  Agent dqn = make_dqn(), steady = make_steady(), rollout = make_steady("rollout = true"), table = make_qtable();
  for (Agent* agent : {&dqn, &steady, &rollout, &table}) {
    drive(*agent, 0, 45);
    const auto before = bytes_of(*agent);
    Space space = agent->obs_space();
    for (uint64_t t = 0; t < 5; ++t) agent->act(observe(t, space.width()), {.mode = Mode::greedy});
    BOOST_TEST((bytes_of(*agent) == before));
    agent->act(observe(0, space.width()));
    BOOST_TEST((bytes_of(*agent) != before));  // exploring draws
  }
}

BOOST_AUTO_TEST_CASE(epsilon_takes_the_place_of_the_schedule) {
  Agent agent = make_dqn({"state_transform=\"\""});  // whose statistics would grow with each look
  std::vector<int64_t> seen(3, 0);
  for (uint64_t t = 0; t < 40; ++t) {
    const int64_t best = agent.act(observe(t, 2), {.mode = Mode::greedy}).discrete[0];
    BOOST_TEST(agent.act(observe(t, 2), {.epsilon = 0}).discrete[0] == best);
    ++seen[static_cast<size_t>(agent.act(observe(t, 2), {.epsilon = 1}).discrete[0])];
  }
  BOOST_TEST((seen[0] > 0 && seen[1] > 0 && seen[2] > 0));
  BOOST_TEST(thrown([&] { agent.act(observe(0, 2), {.epsilon = 1.5}); }) ==
             "E1001 act(): epsilon is 1.500000, expected a probability");
}

BOOST_AUTO_TEST_CASE(actions_are_in_the_units_of_the_environment) {
  Agent agent = make_steady();
  bool low = false, high = false;
  for (uint64_t t = 0; t < 100; ++t) {
    const Actions actions = agent.act(observe(t, 2));
    BOOST_REQUIRE(actions.box.size() == 2u);
    BOOST_TEST((actions.box[0] >= -1 && actions.box[0] <= 3 && actions.box[1] >= 0 && actions.box[1] <= 10));
    low |= actions.box[0] == -1;
    high |= actions.box[1] == 10;
  }
  BOOST_TEST((low && high));  // noise beyond [-1, 1] is clamped
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_refused_with_both_shapes) {
  Agent agent = make_dqn();
  const auto act = [&](const Numbers& obs, ActOptions options = {}) {
    return refused(agent, [&] { agent.act(obs, options); });
  };
  BOOST_TEST(act(std::vector<float>{1, 2, 3}) == "E1001 act(): `obs` has the shape [1, 3], expected [1, 2]");
  BOOST_TEST(act(std::vector<float>{}) == "E1001 act(): `obs` has the shape [0, 2], expected [1, 2]");
  BOOST_TEST(act(std::vector<int64_t>{1, 2}) == "E1001 act(): `obs` is i64, expected f32");
  BOOST_TEST(act(std::vector<float>{1, kNaN}) == "E1001 act(): `obs` is NaN in row 0, expected finite numbers");
  BOOST_TEST(act(std::vector<float>{1, 2, 3, 4}) ==
             "E1001 act(): `obs` has 2 rows, expected at most 1, one for each copy");
  BOOST_TEST(act(std::vector<float>{1, 2, 3, 4}, {.mode = Mode::greedy}) ==
             "E1001 act(): `obs` has 2 rows, expected at most 1, the setting max_rows");
}

BOOST_AUTO_TEST_CASE(greedy_takes_as_many_rows_as_max_rows) {
  Agent agent = make_dqn({}, {.steps = 100, .max_rows = 3});
  std::vector<float> all;
  std::vector<int64_t> one_by_one;
  for (uint64_t t = 0; t < 3; ++t) {
    for (const float x : observe(t, 2)) all.push_back(x);
    one_by_one.push_back(agent.act(observe(t, 2), {.mode = Mode::greedy}).discrete[0]);
  }
  const Actions actions = agent.act(all, {.mode = Mode::greedy});
  BOOST_TEST(std::vector<int64_t>(actions.discrete.begin(), actions.discrete.end()) == one_by_one,
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(agent_step)

BOOST_AUTO_TEST_CASE(learning_happens_when_it_is_due) {
  Agent agent = make_dqn({"update_freq=4", "number_updates=2"});
  std::vector<uint64_t> made;
  for (uint64_t t = 0; t < 20; ++t) {
    const std::vector<float> obs = observe(t, 2), next = observe(t + 1, 2);
    const int64_t action = agent.act(obs).discrete[0];
    made.push_back(agent.step({.obs = obs, .action = std::span(&action, 1), .reward = 1, .next_obs = next}));
  }
  // The warm-up of 10 is over at 12, the next multiple of 4.
  BOOST_TEST(made == (std::vector<uint64_t>{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 2}),
             boost::test_tools::per_element());
  BOOST_TEST(agent.updates() == 6u);
  BOOST_TEST(agent.env_steps() == 20u);
  BOOST_TEST(agent.buffer_rows() == 18u);  // two windows of three steps are open
  BOOST_TEST(agent.loss().count("loss/q") == 1u);
}

BOOST_AUTO_TEST_CASE(what_does_not_fit_is_refused_and_not_stored) {
  Agent agent = make_dqn(), steady = make_steady();
  const std::vector<float> good = {1, 2};
  const std::vector<int64_t> action = {1};
  const auto step = [&](const Numbers& obs, const Numbers& a, float reward, const Numbers& next) {
    return refused(agent, [&] { agent.step({.obs = obs, .action = a, .reward = reward, .next_obs = next}); });
  };
  BOOST_TEST(step(std::vector<float>{1}, action, 0, good) ==
             "E1001 step(): `obs` has the shape [1, 1], expected [1, 2]");
  BOOST_TEST(step(good, action, 0, std::vector<float>{1, kNaN}) ==
             "E1001 step(): `next_obs` is NaN in row 0, expected finite numbers");
  BOOST_TEST(step(good, action, HUGE_VALF, good) ==
             "E1001 step(): `reward` is infinite in row 0, expected finite numbers");
  BOOST_TEST(step(good, std::vector<int64_t>{3}, 0, good) ==
             "E1001 step(): `action` is 3 in row 0, which is outside Discrete(3)");
  BOOST_TEST(step(good, good, 0, good) == "E1001 step(): `action` is f32, expected i64");
  BOOST_TEST(refused(steady, [&] {
               steady.step({.obs = good, .action = std::vector<float>{0, 11}, .reward = 0, .next_obs = good});
             }) == "E1001 step(): `action` is 11.000000 in row 0, which is outside Box(2)");
  BOOST_TEST(agent.env_steps() == 0u);
}

BOOST_AUTO_TEST_CASE(copies_step_together) {
  Agent agent = make_dqn({}, {.steps = 100, .copies = 2});
  const std::vector<float> obs = {1, 2, 3, 4}, reward = {1, 2};
  const std::vector<uint8_t> terminated = {0, 1};
  const Actions actions = agent.act(obs);
  agent.step(Transitions{obs, actions, reward, obs, terminated, {}});
  BOOST_TEST(agent.env_steps() == 2u);
  BOOST_TEST(agent.buffer_rows() == 1u);  // the second copy's episode closed its window
  BOOST_TEST(refused(agent, [&] {
               agent.step({.obs = observe(0, 2), .action = actions, .reward = 1, .next_obs = observe(1, 2)});
             }) == "E1001 step(): `obs` has the shape [1, 2], expected [2, 2]");
}

BOOST_AUTO_TEST_CASE(a_phase_can_be_forced) {
  Agent agent = make_dqn({"warm_up=50", "number_updates=3"});
  drive(agent, 0, 6);
  BOOST_TEST(refused(agent, [&] { agent.train(); }) ==
             "E1003 train(): the memory holds 4 transitions, expected at least 8");
  drive(agent, 6, 14);
  BOOST_TEST(agent.updates() == 0u);
  BOOST_TEST(agent.train() == 3u);
  BOOST_TEST(agent.updates() == 3u);

  Agent rollout = make_steady("rollout = true\nbatch = 16");
  drive(rollout, 0, 5);
  BOOST_TEST(rollout.train() == 1u);
  BOOST_TEST(rollout.buffer_rows() == 0u);
  drive(rollout, 5, 15);
  BOOST_TEST(rollout.updates() == 1u);
  drive(rollout, 20, 1);  // sixteen steps after the rollout began anew
  BOOST_TEST(rollout.updates() == 2u);
}

BOOST_AUTO_TEST_CASE(table_of_somebody_else_learns_in_a_loop_of_its_own) {
  // Eight cells; the last one ends the walk.
  Agent agent = Agent::create(agent_plugins(), "org.example.qtable", {Space::box({0}, {1}), Space::discrete(2)});
  const auto seen = [](int cell) { return std::vector<float>{static_cast<float>(cell) / 7}; };
  int cell = 0;
  for (int t = 0; t < 4'000; ++t) {
    const std::vector<float> obs = seen(cell);
    const int64_t action = agent.act(obs).discrete[0];
    cell = std::max(0, cell + (action == 1 ? 1 : -1));
    agent.step(
        {.obs = obs, .action = std::span(&action, 1), .reward = -1, .next_obs = seen(cell), .terminated = cell == 7});
    if (cell == 7) cell = 0;
  }
  for (int c = 0; c < 7; ++c) BOOST_TEST(agent.act(seen(c), {.mode = Mode::greedy}).discrete[0] == 1);
}

BOOST_AUTO_TEST_CASE(a_loss_that_is_not_finite_stops_the_agent_until_a_good_state_is_loaded) {
  Agent agent = make_dqn({"lr=1e38"});
  drive(agent, 0, 9);
  const AgentState good = agent.get_state();
  std::string text;
  for (uint64_t t = 9; t < 60 && text.empty(); ++t) {
    text = thrown([&] { drive(agent, t, 1); });
    if (text == "nothing was thrown") text.clear();
  }
  BOOST_TEST(text.starts_with("E0302 the metric `loss/q` became "), text);
  BOOST_TEST(text.find(" at step ") != std::string::npos, text);
  BOOST_TEST(text.ends_with("; no state of this agent was saved to a file"), text);
  BOOST_TEST(thrown([&] { drive(agent, 100, 1); }) == text);
  BOOST_TEST(thrown([&] { agent.get_state(); }) == text);
  BOOST_TEST(thrown([&] { agent.learn(dqn_batch()); }) == text);
  agent.load_state(good);
  drive(agent, 9, 1);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(agent_report)

BOOST_AUTO_TEST_CASE(metrics_go_to_the_sink_once) {
  Agent agent = make_dqn();
  drive(agent, 0, 30);
  std::map<std::string, double> values;
  uint64_t step = 0;
  const MetricsSink sink = [&](uint64_t at, const std::vector<train::Metrics::Value>& all) {
    step = at;
    values.clear();
    for (const auto& [name, value] : all) values[std::string(name)] = value;
  };
  agent.log_metrics(sink, 30);
  BOOST_TEST(step == 30u);
  for (const char* name : {"loss/q", "q/mean", "grad_norm/q", "epsilon", "episode/return"})
    BOOST_TEST(values.count(name) == 1u, name);
  BOOST_TEST(values.at("episode/length") == 7);
  BOOST_TEST(agent.loss().at("loss/q") >= 0);
  agent.log_metrics(sink, 31);
  BOOST_TEST(values.empty());
  agent.log_metrics(sink, 32, true);
  BOOST_TEST(values.at("count/env_steps") == 30);
  BOOST_TEST(values.at("count/episodes") == 4);
  BOOST_TEST(values.at("norm/q") > 0);
}

BOOST_AUTO_TEST_SUITE_END()
