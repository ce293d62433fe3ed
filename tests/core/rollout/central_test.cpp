#include "core/rollout/central.hpp"

#include "core/rollout/fixture.hpp"
#include "core/rollout/sampling.hpp"
#include "spar/environment.hpp"
#include "spar/plugin.hpp"

using namespace spar;
using namespace spar::test;

namespace {

const std::string kTrioWorld = "environment `test.scripted/World-v0`";
const Group kTrio{"team", {0, 1, 2}, rollout::Join::rows, true};

/// Three agents of different widths, the second with discrete actions. Agent k sees the number of the moment + 200 k
/// + 50 j; an episode takes 3 steps, every other one is cut after 4.
struct Trio : ScriptedEnvironment {
  Trio() {
    agents.resize(3);
    for (size_t k = 0; k < 3; ++k) agents[k].id = "agent_" + std::to_string(k);
    agents[0].obs = Space::box(2, -1e9, 1e9);
    agents[0].act = Space::box(1, -1, 1);
    agents[2].obs = Space::box(3, -1e9, 1e9);
    agents[2].act = Space::box(2, -1, 1);
    time_limit = 4;
    observe = [](const Moment& m, size_t agent, size_t, size_t j) { return seen(number_of(m), agent, j); };
    terminated = [](const Moment& m) { return m.t == 3 && m.episode % 2 == 0; };
  }
  static float seen(float moment, size_t agent, size_t j) {
    return moment + 200.0F * static_cast<float>(agent) + 50.0F * static_cast<float>(j);
  }
};

/// What the algorithm answers to an observation that begins with `x`, exploring or by its target policy.
float box_answer(float x, size_t j, bool target) {
  return std::fmod(x, 97.0F) / 97.0F - (target ? 0.5F : 0.0F) + 0.01F * static_cast<float>(j);
}
int64_t discrete_answer(float x, bool target) { return static_cast<int64_t>(x + (target ? 1 : 0)) % 4; }

struct Answering : ScriptedAlgorithm {
  explicit Answering(uint32_t kind = SPAR_BUF_PRIORITIZED, uint32_t n_step = 1)
      : ScriptedAlgorithm(SPAR_ALGO_DISCRETE | SPAR_ALGO_CONTINUOUS | SPAR_ALGO_CENTRAL_CRITIC) {
    needs.buffer_kind = kind;
    needs.capacity = 20;
    needs.n_step = n_step;
    needs.priority_alpha = 0.5;
    needs.priority_eps = 1e-6;
    act = [](const spar_act& how, const spar_batch& obs, spar_batch& out) {
      const bool target = how.mode == SPAR_MODE_TARGET;
      const auto x = column<float>(obs, "obs");
      const spar_column* action = find_column(out, "action");
      for (uint64_t i = 0; i < obs.rows; ++i) {
        if (action->t.code == SPAR_DTYPE_INT) {
          static_cast<int64_t*>(action->t.data)[i] = discrete_answer(x(i), target);
          continue;
        }
        const auto a = column<float>(out, "action");
        for (uint64_t j = 0; j < a.width; ++j) a(i, j) = box_answer(x(i), j, target);
      }
    };
  }
};

spar_ctx* context_of(ScriptedAlgorithm& script, size_t member) {
  return script.contexts.at("learner/team/agent_" + std::to_string(member));
}

/// A sample as the algorithm of a member gets it; it goes back at the end.
struct Drawn {
  Drawn(ScriptedAlgorithm& script, size_t member, uint64_t rows) : ctx(context_of(script, member)) {
    batch.struct_size = sizeof batch;
    const spar_query query{sizeof(spar_query), 0, rows, 0.4};
    spar_error error = fresh_error();
    status = rollout::sampling_service().sample(ctx, &query, &batch, &error);
    message = error.message;
  }
  ~Drawn() { rollout::sampling_service().release(ctx, &batch); }
  Matrix<float> column(const char* name) const { return spar::column<float>(batch, name); }

  spar_ctx* ctx;
  spar_batch batch{};
  spar_status status;
  std::string message;
};

/// The numbers that agents 0, 1 and 2 see at a moment, one after the other.
std::vector<float> all_see(float moment) {
  std::vector<float> out;
  for (const auto& [agent, width] : {std::pair<size_t, size_t>{0, 2}, {1, 1}, {2, 3}})
    for (size_t j = 0; j < width; ++j) out.push_back(Trio::seen(moment, agent, j));
  return out;
}

/// What they do there: one number, four for a one-hot action, two. The place of `own` is 0 if it is given.
std::vector<float> all_do(float moment, bool target, int own = -1) {
  std::vector<float> out(7, 0.0F);
  if (own != 0) out[0] = box_answer(Trio::seen(moment, 0, 0), 0, target);
  if (own != 1) out[static_cast<size_t>(1 + discrete_answer(Trio::seen(moment, 1, 0), target))] = 1;
  for (size_t j = 0; j < 2 && own != 2; ++j) out[5 + j] = box_answer(Trio::seen(moment, 2, 0), j, target);
  return out;
}

std::vector<float> row_of(const Matrix<float>& m, uint64_t i) { return {m.row(i), m.row(i) + m.width}; }

/// Every row of a member's samples tells of one moment of the world.
void check_sample(ScriptedAlgorithm& script, size_t member, bool replay, uint64_t rows) {
  const Drawn drawn(script, member, rows);
  BOOST_REQUIRE_MESSAGE(drawn.status == SPAR_OK, drawn.message);
  const float own = Trio::seen(0, member, 0);
  const auto obs = drawn.column("obs"), next_obs = drawn.column("next_obs"), state = drawn.column("state"),
             next_state = drawn.column("next_state");
  BOOST_TEST((find_column(drawn.batch, "joint_action") != nullptr) == replay);
  BOOST_TEST((find_column(drawn.batch, "next_joint_action") != nullptr) == replay);
  for (uint64_t i = 0; i < drawn.batch.rows; ++i) {
    const float now = obs(i) - own, next = next_obs(i) - own;
    BOOST_TEST(row_of(state, i) == all_see(now), boost::test_tools::per_element());
    BOOST_TEST(row_of(next_state, i) == all_see(next), boost::test_tools::per_element());
    if (!replay) continue;
    BOOST_TEST(row_of(drawn.column("joint_action"), i) == all_do(now, false), boost::test_tools::per_element());
    BOOST_TEST(row_of(drawn.column("next_joint_action"), i) == all_do(next, true, static_cast<int>(member)),
               boost::test_tools::per_element());
  }
}

std::string central_refusal(ScriptedEnvironment& world) {
  Answering script;
  return error_of([&] { Stage(world, script, 1, {}, {kTrio}).start(); });
}

/// Two agents who see a number each; the state is both, the actions taken so far, and the number of the step.
struct Watched : spar::Environment {
  static constexpr const char *id = "test.watched", *version = "1.0.0", *title = "Two agents with a central state";
  struct State {
    float left, right, steps;
  };
  using Action = int64_t;
  World world() const {
    World out(
        {{"left", Space::box(1, -9, 9), Space::discrete(5)}, {"right", Space::box(1, -9, 9), Space::discrete(5)}});
    out.state = Space::box(3, -9, 99);
    return out;
  }
  void reset(State& s, NumpyRandom& random) const {
    s = {static_cast<float>(random.integers(5)), static_cast<float>(random.integers(5)), 0};
  }
  void step(State& s, const Action* actions, Outcome* /*outcomes*/, NumpyRandom& /*random*/) const {
    s = {s.left + static_cast<float>(actions[0]), s.right + static_cast<float>(actions[1]), s.steps + 1};
  }
  void observe(const State& s, size_t agent, float* obs) const { obs[0] = agent == 0 ? s.left : s.right; }
  void central_state(const State& s, float* to) const { to[0] = s.left, to[1] = s.right, to[2] = s.steps; }
};

/// Says that there is a state and does not fill it.
struct Forgetful : Watched {
  void central_state() const {}
};

}  // namespace

BOOST_AUTO_TEST_SUITE(rollout_central)

BOOST_AUTO_TEST_CASE(state_of_an_environment_in_cpp_is_filled_where_it_is_asked_for) {
  const spar_config nothing{sizeof(spar_config), 0, nullptr};
  for (const uint64_t shards : {1, 2}) {
    rollout::Environment environment(scripted_host(), *detail::component<Watched>(), nothing, 3, 1, "environment",
                                     {shards, nullptr});
    BOOST_REQUIRE(environment.central_space() != nullptr);
    BOOST_TEST(environment.central_space()->name() == "Box(3)");
    environment.reset(nullptr, nullptr);
    BOOST_TEST(environment.central_state() == nullptr);  // nobody asked
    environment.show_central_state();
    const auto check_states = [&](float steps) {
      const auto* state = reinterpret_cast<const float*>(environment.central_state());
      for (uint64_t copy = 0; copy < 3; ++copy) {
        for (const size_t agent : {0, 1})
          BOOST_TEST(state[3 * copy + agent] == environment.agents()[agent].out->data<float>(0)[copy]);
        BOOST_TEST(state[3 * copy + 2] == steps);
      }
    };
    environment.reset(nullptr, nullptr);
    check_states(0);
    for (const size_t agent : {0, 1})
      for (uint64_t copy = 0; copy < 3; ++copy)
        environment.agents()[agent].in->data<int64_t>(0)[copy] = static_cast<int64_t>(copy + agent);
    environment.step();
    check_states(1);
  }
  BOOST_TEST(error_of([&] {
               rollout::Environment(scripted_host(), *detail::component<Forgetful>(), nothing, 1, 1, "environment");
             }) == "E0702 environment `test.watched`: a central state needs both World::state and central_state()");
}

BOOST_AUTO_TEST_CASE(rows_of_all_members_are_those_of_the_same_moments) {
  for (const uint32_t kind : {SPAR_BUF_REPLAY, SPAR_BUF_PRIORITIZED})
    for (const uint32_t n_step : {1U, 3U}) {
      Trio world;
      Answering script(kind, n_step);
      Stage stage(world, script, 2, {}, {kTrio});
      stage.start();
      uint64_t most = 2;
      for (int phase = 0; phase < 12; ++phase) {  // 20 places are filled again and again
        stage.steps(3, most);
        most = most == 2 ? 1 : 2;  // copies that do not count are left out for all
        for (size_t member = 0; member < 3; ++member) check_sample(script, member, true, 8);
      }
      BOOST_TEST(stage.learners[0]->buffer()->inserted() > 40u);
    }
}

BOOST_AUTO_TEST_CASE(agents_that_move_together_now_and_then_have_the_same_decisions) {
  Trio world;
  for (auto& agent : world.agents) agent.columns = {"acting"};
  world.acts = [](const Moment& m, size_t) { return m.t % 2 == 0; };
  Answering script(SPAR_BUF_REPLAY, 2);
  Stage stage(world, script, 2, {}, {kTrio});
  stage.start();
  for (int phase = 0; phase < 6; ++phase) {
    stage.steps(5);
    for (size_t member = 0; member < 3; ++member) check_sample(script, member, true, 8);
  }
}

BOOST_AUTO_TEST_CASE(samples_that_are_out_together_do_not_meet) {
  Trio world;
  Answering script;
  Stage stage(world, script, 2, {}, {kTrio});
  stage.start();
  stage.steps(8);
  const Drawn first(script, 1, 5);
  const std::vector<float> before = row_of(first.column("next_joint_action"), 4);
  check_sample(script, 1, true, 7);
  BOOST_TEST(row_of(first.column("next_joint_action"), 4) == before, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(large_samples_are_asked_about_in_pieces) {
  Trio world;
  Answering script(SPAR_BUF_REPLAY);
  Stage stage(world, script, 2, {}, {kTrio});
  stage.start();
  stage.steps(8);
  script.acted.clear();
  check_sample(script, 0, true, 2 * rollout::kTargetsTogether + 1);
  std::vector<uint64_t> rows;
  for (const auto& acted : script.acted) {
    BOOST_TEST(acted.mode == uint32_t{SPAR_MODE_TARGET});
    BOOST_TEST(acted.by != "learner/team/agent_0");  // that one is just learning
    rows.push_back(acted.rows);
  }
  const uint64_t most = rollout::kTargetsTogether;
  BOOST_TEST(rows == (std::vector<uint64_t>{most, most, 1, most, most, 1}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(rollout_has_the_states_alone_and_is_kept_until_all_have_learnt) {
  Trio world;
  Answering script(SPAR_BUF_ROLLOUT);
  Stage stage(world, script, 2, {}, {kTrio});
  std::vector<uint64_t> sizes;
  script.learn = [&](spar_ctx*, const spar_host*, uint64_t) {
    for (const auto& learner : stage.learners) sizes.push_back(learner->buffer_rows());
    check_sample(script, (sizes.size() / 3 - 1) % 3, false, 0);
  };
  stage.start();
  for (int phase = 0; phase < 2; ++phase) {
    stage.steps(5);
    stage.teams[0]->learn(1);
    for (const auto& learner : stage.learners) BOOST_TEST(learner->buffer_rows() == 0u);
  }
  BOOST_TEST(sizes == std::vector<uint64_t>(18, 10), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(state_of_the_environment_takes_the_place_of_the_observations) {
  for (const uint32_t kind : {SPAR_BUF_REPLAY, SPAR_BUF_ROLLOUT}) {
    Trio world;
    world.state = Space::box(2, -1e9, 1e9);
    world.central = [](const Moment& m, size_t j) { return -number_of(m) - static_cast<float>(j); };
    Answering script(kind, kind == SPAR_BUF_REPLAY ? 2 : 1);
    Stage stage(world, script, 2, {}, {kTrio});
    BOOST_TEST(script.made[2].state_width == 2u);
    stage.start();
    stage.steps(9);
    // Saved and loaded with what the episodes that go on have begun with.
    const auto saved = stage.save();
    stage.load(saved);
    stage.steps(9);
    for (size_t member = 0; member < 3; ++member) {
      const Drawn drawn(script, member, kind == SPAR_BUF_REPLAY ? 8 : 0);
      BOOST_REQUIRE_MESSAGE(drawn.status == SPAR_OK, drawn.message);
      const auto obs = drawn.column("obs"), next_obs = drawn.column("next_obs"), state = drawn.column("state"),
                 next_state = drawn.column("next_state");
      const float own = Trio::seen(0, member, 0);
      for (uint64_t i = 0; i < drawn.batch.rows; ++i)
        for (uint64_t j = 0; j < 2; ++j) {
          BOOST_TEST(state(i, j) == own - obs(i) - static_cast<float>(j));
          BOOST_TEST(next_state(i, j) == own - next_obs(i) - static_cast<float>(j));
        }
      if (kind == SPAR_BUF_REPLAY)
        BOOST_TEST(row_of(drawn.column("joint_action"), 0) == all_do(obs(0) - own, false),
                   boost::test_tools::per_element());
    }
  }
}

BOOST_AUTO_TEST_CASE(observations_of_others_are_transformed_as_their_own_learners_see_them) {
  Trio world;
  Answering script;
  script.needs.state_transform = "scale(0.5)";
  Stage stage(world, script, 1, {}, {kTrio});
  stage.start();
  stage.steps(4);
  script.acted.clear();
  const Drawn drawn(script, 0, 3);
  BOOST_REQUIRE_MESSAGE(drawn.status == SPAR_OK, drawn.message);
  for (uint64_t i = 0; i < 3; ++i) {
    std::vector<float> expected = all_see(2 * drawn.column("obs")(i));
    for (float& x : expected) x /= 2;
    BOOST_TEST(row_of(drawn.column("state"), i) == expected, boost::test_tools::per_element());
    BOOST_TEST(script.acted[0].obs[i] == drawn.column("next_state")(i, 2));
  }
}

BOOST_AUTO_TEST_CASE(target_policies_draw_from_the_stream_of_who_asks_and_change_nothing) {
  Trio world;
  Answering script;
  Stage stage(world, script, 1, {}, {kTrio});
  stage.start();
  stage.steps(6);
  const auto bytes_of = [&](size_t member) {
    ByteWriter writer;
    stage.learners[member]->save(writer);
    return writer.take();
  };
  const auto others = std::pair(bytes_of(0), bytes_of(1));
  Philox expected = stage.teams[0]->seat(2).random();
  const auto answer = script.act;
  script.act = [&](const spar_act& how, const spar_batch& obs, spar_batch& out) {
    answer(how, obs, out);
    if (script.acted.back().by != "learner/team/agent_0") return;
    column<float>(out, "action")(0) = static_cast<float>(context_of(script, 0)->random.normal());
  };
  const Drawn drawn(script, 2, 4);
  BOOST_REQUIRE_MESSAGE(drawn.status == SPAR_OK, drawn.message);
  BOOST_TEST(drawn.column("next_joint_action")(0, 0) == static_cast<float>(expected.normal()));
  BOOST_TEST((std::pair(bytes_of(0), bytes_of(1)) == others));
  BOOST_TEST(stage.teams[0]->seat(2).random().normal() == expected.normal());
}

BOOST_AUTO_TEST_CASE(target_policies_are_told_what_is_allowed_next) {
  Trio world;
  world.agents[1].columns = {"action_mask"};
  Answering script;
  script.honour_masks();
  const auto answer = script.act;
  script.act = [&](const spar_act& how, const spar_batch& obs, spar_batch& out) {
    answer(how, obs, out);
    const spar_column* action = find_column(out, "action");
    if (action->t.code == SPAR_DTYPE_INT) std::fill_n(static_cast<int64_t*>(action->t.data), obs.rows, 0);
  };
  world.time_limit = 3;
  world.allows = [](const Moment& m, size_t, size_t action) { return action == 0 || action == m.t; };
  Stage stage(world, script, 1, {}, {kTrio});
  stage.start();
  stage.steps(6);
  script.acted.clear();
  const Drawn drawn(script, 0, 6);
  BOOST_REQUIRE_MESSAGE(drawn.status == SPAR_OK, drawn.message);
  BOOST_REQUIRE(script.acted[0].by == "learner/team/agent_1");
  BOOST_REQUIRE(script.acted[0].mask.size() == 6u * 4u);
  for (size_t i = 0; i < 6; ++i) {
    const auto t = static_cast<size_t>(drawn.column("next_obs")(i)) % 100;
    for (size_t a = 0; a < 4; ++a) BOOST_TEST(script.acted[0].mask[4 * i + a] == (a == 0 || a == t));
  }
}

BOOST_AUTO_TEST_CASE(stream_of_a_seat_is_saved_with_its_learner) {
  Trio world;
  Answering script;
  Stage stage(world, script, 1, {}, {kTrio});
  stage.start();
  stage.steps(2);
  rollout::CentralSeat& seat = stage.teams[0]->seat(1);
  const auto saved = stage.save();
  const double expected = seat.random().normal();
  stage.load(saved);
  BOOST_TEST(seat.random().normal() == expected);
}

BOOST_AUTO_TEST_CASE(algorithm_is_told_the_widths_and_where_its_own_action_lies) {
  Trio world;
  Answering script;
  Stage stage(world, script, 1, {}, {kTrio});
  BOOST_REQUIRE(script.made.size() == 3u);
  for (const auto& [member, offset] : {std::pair<size_t, uint64_t>{0, 0}, {1, 1}, {2, 5}}) {
    BOOST_TEST(script.made[member].state_width == 6u);
    BOOST_TEST(script.made[member].joint_width == 7u);
    BOOST_TEST(script.made[member].own_offset == offset);
  }
}

BOOST_AUTO_TEST_CASE(what_a_central_critic_cannot_see_is_refused) {
  Trio some;
  some.agents[1].columns = {"acting"};
  BOOST_TEST(
      central_refusal(some) ==
      "E0310 " + kTrioWorld +
          ": of the agents `agent_0` and `agent_1` only one says when it moves, which a central critic cannot see; "
          "expected the column `acting` of all or of none");
  Trio turns;
  for (auto& agent : turns.agents) agent.columns = {"acting"};
  turns.acts = [](const Moment& m, size_t agent) { return m.t % 3 == agent; };
  BOOST_TEST(
      central_refusal(turns) ==
      "E0310 " + kTrioWorld +
          ": the agents `agent_0` and `agent_1` take turns, which a central critic cannot see; expected agents that "
          "always move together");
  turns.state = Space::box(1, -9, 9);
  BOOST_TEST(
      central_refusal(turns) ==
      "E0310 " + kTrioWorld +
          ": agent `agent_0` says when it moves and there is a central state, which a central critic cannot see; "
          "expected one of the two");
  Trio images;
  images.agents[2].obs = Space::image(2, 2, 1);
  BOOST_TEST(central_refusal(images) ==
             "E0310 " + kTrioWorld +
                 ": agent `agent_2` has observations Box(2x2x1), which a central critic cannot see; expected a Box of "
                 "float32 for every agent");
  Trio state;
  state.state = Space::discrete(3);
  BOOST_TEST(central_refusal(state) ==
             "E0310 " + kTrioWorld +
                 ": its central state is Discrete(3), which a central critic cannot see; expected a Box of float32");
}

BOOST_AUTO_TEST_CASE(algorithm_without_a_central_critic_is_refused) {
  Trio world;
  ScriptedAlgorithm script;
  BOOST_TEST(error_of([&] { Stage stage(world, script, 1, {}, {kTrio}); }) ==
             "E0705 algorithm `test.scripted` has no central critic, which the strategy asks for");
}

BOOST_AUTO_TEST_CASE(memories_that_are_not_made_alike_are_refused) {
  Trio world;
  Answering script;
  Stage stage(world, script);
  rollout::Central team(*stage.environment, {2, 0}, 1);
  const auto add = [&](size_t member, const std::string& name, uint32_t agent) {
    stage.add_learner(name, stage.environment->agents()[agent], 1, &team.seat(member));
  };
  add(1, "b", 0);  // learners come in the order of agents, whatever that of the team
  script.needs.n_step = 2;
  BOOST_TEST(error_of([&] { add(0, "a", 2); }) ==
             "E0808 the memories of `learner/b` and `learner/a` are not made alike, as central critics need them");
}

BOOST_AUTO_TEST_CASE(memories_that_do_not_hold_the_same_steps_are_refused) {
  Trio world;
  Answering script(SPAR_BUF_REPLAY, 3);
  Stage stage(world, script, 1, {}, {kTrio});
  stage.start();
  stage.steps(5);
  stage.learners[1]->cut();
  stage.steps(2);
  const Drawn drawn(script, 0, 4);
  BOOST_TEST(drawn.status == SPAR_E_INTERNAL);
  BOOST_TEST(drawn.message ==
             "the memories of `learner/team/agent_0` and `learner/team/agent_1` do not hold the same "
             "steps: 7 of 7 and 6 of 6");
  BOOST_TEST(drawn.batch.token == nullptr);  // nothing is lent
}

BOOST_AUTO_TEST_SUITE_END()
