#include "core/train/strategy.hpp"

#include "core/train/fixture.hpp"

using namespace spar;
using namespace spar::test;

namespace {

const std::string kStrategy = "strategy `test.strategy`";

struct World {
  spar_agent_spec agents[2] = {};
  const spar_agent_spec* pointers[2] = {&agents[0], &agents[1]};
  spar_world world{};
  World() {
    agents[0].id = "left";
    agents[1].id = "right";
    world.struct_size = sizeof world;
    world.n_agents = 2;
    world.agents = pointers;
  }
};

std::string refusal(std::vector<ScriptedStrategy::Group> groups) {
  World world;
  ScriptedStrategy script;
  script.groups = std::move(groups);
  return error_of([&] { train::Strategy(scripted_host(), script.component(), script.config(), world.world, 1); });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(strategy)

BOOST_AUTO_TEST_CASE(plan_is_copied) {
  World world;
  ScriptedStrategy script;
  script.groups = {{"b", {1}}, {"a", {0}}};
  const train::Strategy strategy(scripted_host(), script.component(), script.config(), world.world, 1);
  BOOST_REQUIRE(strategy.groups().size() == 2u);
  BOOST_TEST(strategy.groups()[0].name == "b");
  BOOST_TEST(strategy.groups()[0].agents == std::vector<uint32_t>{1});
  BOOST_TEST(strategy.groups()[1].agents == std::vector<uint32_t>{0});
}

BOOST_AUTO_TEST_CASE(agents_may_be_joined_in_any_order) {
  World world;
  ScriptedStrategy script;
  for (const uint32_t join : {SPAR_JOIN_ROWS, SPAR_JOIN_JOINT}) {
    script.groups = {{"team", {1, 0}, join}};
    const train::Strategy strategy(scripted_host(), script.component(), script.config(), world.world, 1);
    BOOST_REQUIRE(strategy.groups().size() == 1u);
    BOOST_TEST(strategy.groups()[0].agents == (std::vector<uint32_t>{1, 0}), boost::test_tools::per_element());
    BOOST_TEST(strategy.groups()[0].join == join);
  }
  script.groups = {{"team", {1}, SPAR_JOIN_JOINT}, {"a", {0}}};  // one agent has nobody to be joined with
  const train::Strategy strategy(scripted_host(), script.component(), script.config(), world.world, 1);
  BOOST_TEST(strategy.groups()[0].join == uint32_t{SPAR_JOIN_NONE});
}

BOOST_AUTO_TEST_CASE(agents_with_central_critics_are_groups_of_their_own) {
  World world;
  ScriptedStrategy script;
  script.groups = {{"team", {1, 0}, SPAR_JOIN_CENTRAL}};
  const train::Strategy strategy(scripted_host(), script.component(), script.config(), world.world, 1);
  BOOST_REQUIRE(strategy.groups().size() == 2u);
  BOOST_TEST(strategy.groups()[0].name == "team/right");
  BOOST_TEST(strategy.groups()[1].name == "team/left");
  for (const auto& group : strategy.groups()) {
    BOOST_TEST(group.join == uint32_t{SPAR_JOIN_CENTRAL});
    BOOST_TEST(group.planned == 0u);
    BOOST_TEST(group.team == (std::vector<uint32_t>{1, 0}), boost::test_tools::per_element());
  }
  BOOST_TEST(strategy.members(0) == 2u);
  BOOST_TEST(strategy.members(1) == 0u);
  script.groups = {{"a", {0}, SPAR_JOIN_CENTRAL}, {"b", {1}}};  // one agent sees itself
  const train::Strategy alone(scripted_host(), script.component(), script.config(), world.world, 1);
  BOOST_TEST(alone.groups()[0].join == uint32_t{SPAR_JOIN_NONE});
  BOOST_TEST(alone.groups()[0].name == "a");
  BOOST_TEST(alone.groups()[1].planned == 1u);
  BOOST_TEST(alone.members(1) == 1u);
}

BOOST_AUTO_TEST_CASE(plans_that_this_host_does_not_offer_are_refused) {
  const std::string plans = "E0308 " + kStrategy + " plans the group `team` ";
  BOOST_TEST(refusal({{"team", {0}, SPAR_JOIN_NONE, 4}, {"b", {1}}}) ==
             plans +
                 "with several actors, which this host does not offer yet; expected one actor per group: parallel "
                 "actors are an algorithm's (num_workers of d4pg)");
  const std::string joins =
      "; expected SPAR_JOIN_ROWS, SPAR_JOIN_JOINT or SPAR_JOIN_CENTRAL, or one agent and SPAR_JOIN_NONE";
  BOOST_TEST(refusal({{"team", {0, 1}}}) == plans + "of 2 agents with `join` 0" + joins);
  BOOST_TEST(refusal({{"team", {0, 1}, 9}}) == plans + "of 2 agents with `join` 9" + joins);
  BOOST_TEST(refusal({{"team", {}}, {"b", {1}}}) == plans + "without agents, expected at least one");
}

BOOST_AUTO_TEST_CASE(actors_run_beside_all_learners_or_none) {
  World world;
  ScriptedStrategy script;
  script.groups = {{"a", {0}}, {"b", {1}}};
  const auto beside = [&] {
    return train::Strategy(scripted_host(), script.component(), script.config(), world.world, 1).beside();
  };
  BOOST_TEST(!beside());
  for (auto& group : script.groups) group.flags = SPAR_GROUP_BESIDE, group.max_staleness = 1;
  BOOST_TEST(beside());
  script.groups = {{"team", {0, 1}, SPAR_JOIN_ROWS, 1, 1, SPAR_GROUP_BESIDE, 1}};
  BOOST_TEST(error_of(beside) == "E0308 " + kStrategy +
                                     " plans that the actors of the group `team` run beside its learner, which this "
                                     "host does not offer for several agents; expected one");
  script.groups = {{"a", {0}, SPAR_JOIN_NONE, 1, 1, SPAR_GROUP_BESIDE, 1},
                   {"b", {1}, SPAR_JOIN_NONE, 1, 1, SPAR_GROUP_BESIDE, 0}};
  BOOST_TEST(error_of(beside) == "E0308 " + kStrategy +
                                     " plans that the actors of the group `b` run beside its learner and "
                                     "max_staleness 0, expected at least 1");
  script.groups[1].flags = 0;
  BOOST_TEST(error_of(beside) == "E0308 " + kStrategy +
                                     " plans that the actors of some groups run beside their learners and of others "
                                     "not, which this host does not offer; expected the same for all groups");
}

BOOST_AUTO_TEST_CASE(learners_of_a_group_say_how_their_updates_come_together) {
  World world;
  ScriptedStrategy script;
  script.groups = {{"a", {0}, SPAR_JOIN_NONE, 1, 3, 0, 0, SPAR_APPLY_BSP}, {"b", {1}}};
  {
    const train::Strategy strategy(scripted_host(), script.component(), script.config(), world.world, 1);
    BOOST_TEST(strategy.groups()[0].learners == 3u);
    BOOST_TEST(strategy.groups()[1].learners == 1u);
    BOOST_TEST((!strategy.decoupled() && !strategy.beside()));
  }
  script.groups = {{"a", {0}, SPAR_JOIN_NONE, 1, 2, SPAR_GROUP_BESIDE, 5, SPAR_APPLY_SSP, 2.5},
                   {"b", {1}, SPAR_JOIN_NONE, 1, 1, SPAR_GROUP_BESIDE, 0, SPAR_APPLY_ASP}};
  const train::Strategy strategy(scripted_host(), script.component(), script.config(), world.world, 1);
  BOOST_TEST((strategy.decoupled() && strategy.beside()));
  BOOST_TEST(strategy.groups()[0].apply == uint32_t{SPAR_APPLY_SSP});
  BOOST_TEST(strategy.groups()[0].max_staleness == 5u);
  BOOST_TEST(strategy.groups()[0].samples_per_insert == 2.5);
}

BOOST_AUTO_TEST_CASE(learners_that_contradict_their_group_are_refused) {
  const std::string plans = "E0308 " + kStrategy + " plans the group `a` ";
  const auto told = [&](ScriptedStrategy::Group group) {
    group.name = "a";
    if (group.agents.empty()) group.agents = {0};
    std::vector<ScriptedStrategy::Group> groups = {group};
    if (group.agents.size() == 1) groups.push_back({"b", {1}});
    const std::string text = refusal(groups);
    return text.starts_with(plans) ? text.substr(plans.size()) : text;
  };
  using Group = ScriptedStrategy::Group;
  BOOST_TEST(told(Group{.learners = 2}) ==
             "with 2 learners and SPAR_APPLY_LOCAL; expected SPAR_APPLY_BSP, SPAR_APPLY_ASP or SPAR_APPLY_SSP");
  BOOST_TEST(told(Group{.learners = 65, .apply = SPAR_APPLY_BSP}) == "with 65 learners, expected at most 64");
  BOOST_TEST(told(Group{.apply = 9}) ==
             "with `apply` 9; expected SPAR_APPLY_LOCAL, SPAR_APPLY_BSP, SPAR_APPLY_ASP or SPAR_APPLY_SSP");
  BOOST_TEST(told(Group{.agents = {0, 1}, .join = SPAR_JOIN_ROWS, .learners = 2, .apply = SPAR_APPLY_BSP}) ==
             "of 2 agents with several or asynchronous learners, which this host offers for one agent");
  BOOST_TEST(told(Group{.apply = SPAR_APPLY_ASP}) ==
             "with asynchronous learners and actors that take turns with them; expected SPAR_GROUP_BESIDE");
  BOOST_TEST(told(Group{.learners = 2, .flags = SPAR_GROUP_BESIDE, .max_staleness = 1, .apply = SPAR_APPLY_BSP}) ==
             "with actors beside several learners in step, which this host does not offer; expected SPAR_APPLY_ASP or "
             "SPAR_APPLY_SSP, or actors that take turns with them");
  BOOST_TEST(told(Group{.flags = SPAR_GROUP_BESIDE, .apply = SPAR_APPLY_ASP, .samples_per_insert = -1}) ==
             "with samples_per_insert -1.000000, expected a finite number of at least 0");
  BOOST_TEST(refusal({{"a", {0}, SPAR_JOIN_NONE, 1, 1, SPAR_GROUP_BESIDE, 1, SPAR_APPLY_ASP},
                      {"b", {1}, SPAR_JOIN_NONE, 1, 1, SPAR_GROUP_BESIDE, 1}}) ==
             "E0308 " + kStrategy +
                 " plans that some groups learn asynchronously and others not, which this host does not offer; "
                 "expected the same for all groups");
}

BOOST_AUTO_TEST_CASE(every_agent_has_exactly_one_group) {
  BOOST_TEST(refusal({{"a", {0}}, {"b", {0}}}) ==
             "E0308 " + kStrategy + " plans agent 0 twice or outside the world's 2 agents");
  BOOST_TEST(refusal({{"a", {0}}, {"b", {2}}}) ==
             "E0308 " + kStrategy + " plans agent 2 twice or outside the world's 2 agents");
  BOOST_TEST(refusal({{"team", {0, 0}, SPAR_JOIN_ROWS}, {"b", {1}}}) ==
             "E0308 " + kStrategy + " plans agent 0 twice or outside the world's 2 agents");
  BOOST_TEST(refusal({{"a", {0}}}) == "E0308 " + kStrategy + " leaves agent `right` without a group");
}

BOOST_AUTO_TEST_CASE(groups_of_the_experiment_reach_the_strategy) {
  World world;
  const spar_component& component = *detail::component<independent::Independent>();
  const config::ConfigView none(independent_options());
  const auto make = [&](std::vector<train::MappedGroup> groups) {
    return train::Strategy(scripted_host(), component, *none.get(), world.world, 1, std::move(groups)).groups();
  };
  const auto both = make({{"both", "", {0, 1}}});
  BOOST_REQUIRE(both.size() == 1u);
  BOOST_TEST(both[0].name == "both");
  BOOST_TEST(both[0].join == uint32_t{SPAR_JOIN_ROWS});
  BOOST_TEST(both[0].algorithm_slot == "");
  const auto own = make({{"b", "b", {1}}, {"a", "", {0}}});
  BOOST_REQUIRE(own.size() == 2u);
  BOOST_TEST(own[0].algorithm_slot == "b");
  BOOST_TEST(own[0].agents == std::vector<uint32_t>{1});
  BOOST_TEST(own[0].join == uint32_t{SPAR_JOIN_NONE});
  BOOST_TEST(own[1].algorithm_slot == "");
}

BOOST_AUTO_TEST_CASE(strategy_that_knows_no_groups_is_refused_where_there_are_some) {
  World world;
  ScriptedStrategy script;
  script.groups = {{"a", {0}}, {"b", {1}}};
  const auto make = [&](std::vector<train::MappedGroup> groups) {
    train::Strategy(scripted_host(), script.component(), script.config(), world.world, 1, std::move(groups));
  };
  make({});
  BOOST_TEST(error_of([&] {
               make({{"a", "", {0}}, {"b", "", {1}}});
             }) == "E0312 " + kStrategy + " knows no groups of agents (it does not offer spar.strategy.groups/1)");
  script.serves_groups = true;
  make({{"a", "", {0}}, {"b", "", {1}}});
}

BOOST_AUTO_TEST_CASE(nobody_is_trained_by_the_algorithm_of_another_group) {
  World world;
  ScriptedStrategy script;
  script.serves_groups = true;
  script.groups = {{"a", {0}}, {"b", {1}}};
  const auto make = [&](std::vector<train::MappedGroup> groups) {
    train::Strategy(scripted_host(), script.component(), script.config(), world.world, 1, std::move(groups));
  };
  BOOST_TEST(error_of([&] {
               make({{"a", "", {0}}, {"b", "b", {1}}});
             }) == "E0312 " + kStrategy +
                       " plans the group `b` with the algorithm of all, expected the algorithm of `b` for an agent of "
                       "the group `b`");
  script.groups[1].algorithm_slot = "b";
  make({{"a", "", {0}}, {"b", "b", {1}}});
  BOOST_TEST(error_of([&] { make({}); }) == "E0312 " + kStrategy +
                                                " plans the group `b` with the algorithm of `b`, which the experiment "
                                                "does not have");
}

BOOST_AUTO_TEST_CASE(failed_calls_name_the_call) {
  World world;
  ScriptedStrategy script;
  script.groups = {{"a", {0}}, {"b", {1}}};
  const auto make = [&] {
    return std::make_unique<train::Strategy>(scripted_host(), script.component(), script.config(), world.world, 1);
  };
  const auto strategy = make();
  script.fails_in = "next";
  BOOST_TEST(error_of([&] { strategy->next({}); }) == "E0701 " + kStrategy + " failed in next(): the script says so");
  script.fails_in = "plan";
  BOOST_TEST(error_of([&] { make(); }) == "E0701 " + kStrategy + " failed in plan(): the script says so");
  script.fails_in = "create";
  script.status = SPAR_E_INVALID;
  BOOST_TEST(error_of([&] { make(); }) == "E0702 " + kStrategy + ": the script says so");
}

BOOST_AUTO_TEST_CASE(state_of_the_plugin_is_kept) {
  World world;
  ScriptedStrategy script;
  script.groups = {{"a", {0}}, {"b", {1}}};
  script.state = "where I was";
  train::Strategy strategy(scripted_host(), script.component(), script.config(), world.world, 1);
  ByteWriter writer;
  strategy.save(writer);
  script.state.clear();
  const auto bytes = writer.take();
  ByteReader reader(bytes, "strategy");
  strategy.load(reader);
  reader.end();
  BOOST_TEST(script.state == "where I was");
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

struct Cadence {
  explicit Cadence(const spar_needs& wanted) : needs(wanted), strategy(Context(nullptr, nullptr), {}, world.world) {}
  spar_directive at(uint64_t env_steps, uint64_t rows, uint32_t group = 0) {
    spar_progress p{};
    p.struct_size = sizeof p;
    p.group = group;
    p.env_steps = env_steps;
    p.buffer_rows = rows;
    p.needs = &needs;
    spar_directive out{};
    strategy.next(p, out);
    return out;
  }
  World world;
  spar_needs needs;
  independent::Independent strategy;
};

spar_needs every(uint64_t learn_every, uint32_t updates, uint64_t warmup, uint64_t rows) {
  spar_needs needs{};
  needs.struct_size = sizeof needs;
  needs.buffer_kind = SPAR_BUF_REPLAY;
  needs.learn_every = learn_every;
  needs.updates = updates;
  needs.warmup = warmup;
  needs.rows_per_learn = rows;
  return needs;
}

void check(const spar_directive& found, uint32_t what, uint64_t amount) {
  BOOST_TEST(found.what == what);
  BOOST_TEST(found.amount == amount);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(independent_strategy)

BOOST_AUTO_TEST_CASE(learns_after_each_learn_every_transitions) {
  Cadence c(every(4, 2, 0, 1));
  check(c.at(0, 0), SPAR_DO_COLLECT, 4);
  check(c.at(4, 4), SPAR_DO_LEARN, 2);
  check(c.at(4, 4), SPAR_DO_COLLECT, 4);
  check(c.at(6, 6), SPAR_DO_COLLECT, 2);  // a duty came between
  check(c.at(8, 8), SPAR_DO_LEARN, 2);
  check(c.at(8, 8), SPAR_DO_COLLECT, 4);
}

BOOST_AUTO_TEST_CASE(first_phase_waits_for_the_warm_up) {
  Cadence c(every(4, 1, 10, 1));
  check(c.at(0, 0), SPAR_DO_COLLECT, 12);
  check(c.at(12, 12), SPAR_DO_LEARN, 1);
  check(c.at(12, 12), SPAR_DO_COLLECT, 4);
}

BOOST_AUTO_TEST_CASE(phases_that_many_copies_step_over_are_made_up_for) {
  Cadence c(every(4, 2, 0, 1));
  check(c.at(0, 0), SPAR_DO_COLLECT, 4);
  check(c.at(16, 16), SPAR_DO_LEARN, 8);
  check(c.at(16, 16), SPAR_DO_COLLECT, 4);
  check(c.at(30, 30), SPAR_DO_LEARN, 6);  // of 20, 24 and 28
  check(c.at(30, 30), SPAR_DO_COLLECT, 2);
}

BOOST_AUTO_TEST_CASE(phase_without_enough_rows_is_left_out) {
  Cadence c(every(4, 1, 0, 6));
  check(c.at(0, 0), SPAR_DO_COLLECT, 4);
  check(c.at(4, 4), SPAR_DO_COLLECT, 4);
  check(c.at(8, 8), SPAR_DO_LEARN, 1);
}

BOOST_AUTO_TEST_CASE(on_policy_learns_when_the_rollout_is_full) {
  spar_needs needs = every(1, 1, 0, 48);
  needs.buffer_kind = SPAR_BUF_ROLLOUT;
  Cadence c(needs);
  check(c.at(0, 0), SPAR_DO_COLLECT, 48);
  check(c.at(40, 40), SPAR_DO_COLLECT, 8);
  check(c.at(48, 48), SPAR_DO_LEARN, 1);
  check(c.at(48, 0), SPAR_DO_COLLECT, 48);
}

BOOST_AUTO_TEST_CASE(groups_keep_their_own_cadence_and_are_saved) {
  Cadence c(every(4, 1, 0, 1));
  check(c.at(4, 4, 0), SPAR_DO_LEARN, 1);
  check(c.at(4, 4, 0), SPAR_DO_COLLECT, 4);
  check(c.at(4, 4, 1), SPAR_DO_LEARN, 1);
  spar_plan plan{};
  c.strategy.plan(plan);
  BOOST_REQUIRE(plan.n_groups == 2u);
  BOOST_TEST(std::string(plan.groups[1]->name) == "right");
  BOOST_TEST(plan.groups[1]->agents[0] == 1u);
  // A group that was saved after its phase does not learn twice.
  const spar_component& component = *detail::component<independent::Independent>();
  const config::ConfigView none(independent_options());
  train::Strategy first(scripted_host(), component, *none.get(), c.world.world, 1);
  train::Strategy second(scripted_host(), component, *none.get(), c.world.world, 1);
  spar_progress p{};
  p.struct_size = sizeof p;
  p.env_steps = p.buffer_rows = 4;
  p.needs = &c.needs;
  check(first.next(p), SPAR_DO_LEARN, 1);
  ByteWriter writer;
  first.save(writer);
  const auto bytes = writer.take();
  ByteReader reader(bytes, "strategy");
  second.load(reader);
  reader.end();
  check(second.next(p), SPAR_DO_COLLECT, 4);
}

BOOST_AUTO_TEST_SUITE_END()
