#include <map>

#include "core/train/fixture.hpp"

using namespace spar;
using namespace spar::test;
using train::Ending;
using train::Interruption;

namespace {

/// LEARN and PUSH after every `every` transitions, then COLLECT again.
struct LearnAndPush {
  uint64_t every;
  int state = 0;
  spar_directive operator()(const spar_progress& p) {
    spar_directive d{sizeof(spar_directive), SPAR_DO_COLLECT, every};
    if (p.env_steps == 0) return d;
    state = (state + 1) % 3;
    if (state == 1) d = {sizeof d, SPAR_DO_LEARN, 1};
    if (state == 2) d = {sizeof d, SPAR_DO_PUSH, 0};
    return d;
  }
};

void record(spar_ctx* ctx, const char* name, uint64_t step, double value) {
  ctx->metrics->record(ctx->metrics->define(name, SPAR_METRIC_MEAN, ""), step, value);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(training_loop)

BOOST_AUTO_TEST_CASE(duties_are_done_at_fixed_steps) {
  ScriptedRun run;
  run.stop_when(Measure::env_steps, 1'000);  // a metrics line every 100 steps
  run.experiment.eval.every = 250;
  run.experiment.checkpoint.every_steps = 300;
  const auto result = run.run();
  BOOST_TEST((result.ending == Ending::completed));
  BOOST_TEST(result.reason == "env_steps");
  BOOST_TEST(run.diary.logs == (Steps{100, 200, 300, 400, 500, 600, 700, 800, 900, 1000}),
             boost::test_tools::per_element());
  Steps evaluated;
  for (const auto& evaluation : run.diary.evaluations) evaluated.push_back(evaluation.step);
  BOOST_TEST(evaluated == (Steps{250, 500, 750, 1000}), boost::test_tools::per_element());
  // At the start, the first evaluation (the best so far), every 300 steps, and the end.
  BOOST_TEST(run.diary.saves == (Steps{0, 250, 300, 600, 900, 1000}), boost::test_tools::per_element());
  BOOST_TEST(run.diary.best == (Steps{250}), boost::test_tools::per_element());
  BOOST_TEST(run.training->counters.env_steps == 1'000u);
  BOOST_TEST(run.training->counters.updates == 1'000u);
  BOOST_TEST(run.training->counters.episodes == 100u);
}

BOOST_AUTO_TEST_CASE(duties_follow_the_first_step_beyond_when_copies_do_not_divide) {
  ScriptedRun run;
  run.stop_when(Measure::env_steps, 301);
  run.experiment.env.count = 3;
  run.experiment.eval.every = 250;
  run.run();
  // No episode ended in the last step, so there is nothing to tell of it.
  BOOST_TEST(run.diary.logs == (Steps{102, 201, 300}), boost::test_tools::per_element());
  BOOST_REQUIRE(run.diary.evaluations.size() == 2u);
  BOOST_TEST(run.diary.evaluations[0].step == 252u);
  BOOST_TEST(run.diary.evaluations[1].step == 301u);
  BOOST_TEST(run.training->counters.env_steps == 301u);
  BOOST_TEST(run.training->learners[0]->buffer_rows() == 301u);
}

BOOST_AUTO_TEST_CASE(each_measure_ends_a_run_under_its_own_name) {
  const std::tuple<Measure, double, const char*, uint64_t> cases[] = {
      {Measure::env_steps, 57, "env_steps", 57},
      {Measure::train_steps, 42, "train_steps", 42},
      {Measure::episodes, 4, "episodes", 40},
      {Measure::eval_return, 10, "eval_return", 30},
      {Measure::no_improvement, 2, "no_improvement", 90}};
  for (const auto& [measure, value, reason, step] : cases) {
    ScriptedRun run;
    run.stop_when(measure, value);
    run.experiment.eval.every = 30;
    const auto result = run.run();
    BOOST_TEST(result.reason == reason);
    BOOST_TEST(run.training->counters.env_steps == step);
    BOOST_TEST(run.diary.evaluations.back().step == step);  // the result belongs to the last parameters
    BOOST_TEST(run.diary.saves.back() == step);
  }
}

BOOST_AUTO_TEST_CASE(conditions_of_all_wait_for_each_other) {
  ScriptedRun run;
  run.experiment.stop.all = {{Measure::env_steps, 50, 1}, {Measure::episodes, 20, 1}};
  run.experiment.eval.every = 1'000;
  const auto result = run.run();
  BOOST_TEST(result.reason == "all");
  BOOST_TEST(run.training->counters.env_steps == 200u);
}

BOOST_AUTO_TEST_CASE(strategy_may_end_the_run) {
  ScriptedRun run;
  run.stop_when(Measure::env_steps, 1'000);
  ScriptedStrategy strategy;
  strategy.next = [](const spar_progress& p) {
    return spar_directive{sizeof(spar_directive),
                          static_cast<uint32_t>(p.env_steps < 12 ? SPAR_DO_COLLECT : SPAR_DO_STOP), 6};
  };
  run.build(&strategy);
  const auto result = run.run();
  BOOST_TEST(result.reason == "strategy");
  BOOST_TEST(run.training->counters.env_steps == 12u);
  BOOST_TEST(run.diary.evaluations.size() == 1u);
}

BOOST_AUTO_TEST_CASE(strategy_hears_where_its_group_stands) {
  ScriptedRun run;
  run.stop_when(Measure::env_steps, 40);
  ScriptedStrategy strategy;
  std::vector<spar_progress> heard;
  LearnAndPush plan{20};
  strategy.next = [&](const spar_progress& p) {
    heard.push_back(p);
    return plan(p);
  };
  run.build(&strategy);
  run.run();
  BOOST_REQUIRE(heard.size() == 7u);  // at 0; then LEARN, PUSH and COLLECT at 20 and at 40
  BOOST_TEST(heard[0].buffer_rows == 0u);
  BOOST_TEST(heard[1].env_steps == 20u);
  BOOST_TEST(heard[1].buffer_rows == 20u);
  BOOST_TEST(heard[1].mean_return == 10.0);
  BOOST_TEST(heard[2].learn_steps == 1u);
  BOOST_TEST(heard[2].param_version == 0u);
  BOOST_TEST(heard[3].param_version == 1u);
  BOOST_TEST(heard[6].param_version == 2u);
  BOOST_TEST(heard[6].learn_steps == 2u);
  BOOST_TEST(heard[0].needs->gamma == 0.9);
  BOOST_TEST(run.training->params.version("agent_0") == 2u);
}

BOOST_AUTO_TEST_CASE(unknown_directive_is_an_error_of_the_strategy) {
  ScriptedRun run;
  run.stop_when(Measure::env_steps, 40);
  ScriptedStrategy strategy;
  strategy.next = [](const spar_progress&) { return spar_directive{sizeof(spar_directive), 77, 1}; };
  run.build(&strategy);
  BOOST_TEST(error_of([&] { run.run(); }) == "E0309 the strategy gave the group `agent_0` the unknown directive 77");
}

BOOST_AUTO_TEST_CASE(loss_that_is_not_finite_stops_before_anything_is_published_or_saved) {
  for (const double bad : {std::nan(""), HUGE_VAL}) {
    ScriptedRun run;
    run.stop_when(Measure::env_steps, 1'000);
    run.experiment.checkpoint.every_steps = 20;
    run.experiment.eval.every = 10'000;
    ScriptedStrategy strategy;
    strategy.next = LearnAndPush{10};
    run.script.learn = [bad](spar_ctx* ctx, const spar_host*, uint64_t step) {
      record(ctx, "loss/q", step, step < 30 ? 0.5 : bad);
    };
    run.build(&strategy);
    const std::string word = std::isnan(bad) ? "NaN" : "infinite";
    BOOST_TEST(error_of([&] { run.run(); }) ==
               "E0302 the metric `loss/q` became " + word + " at step 30; the last good checkpoint is 000000020.ckpt");
    BOOST_TEST(run.training->params.version("agent_0") == 2u);  // of steps 10 and 20
    BOOST_TEST(run.diary.saves == (Steps{0, 20}), boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(loss_that_is_not_finite_is_named_even_if_the_update_was_refused_for_it) {
  ScriptedRun run;
  run.stop_when(Measure::env_steps, 1'000);
  bool recorded = true;
  run.script.learn = [&](spar_ctx* ctx, const spar_host*, uint64_t step) {
    if (recorded) record(ctx, "loss/q", step, std::nan(""));
    throw StatusError(SPAR_E_STATE, "the gradient norm is not finite");
  };
  BOOST_TEST(error_of([&] { run.run(); }) ==
             "E0302 the metric `loss/q` became NaN at step 1; the last good checkpoint is 000000000.ckpt");
  recorded = false;
  ScriptedRun other;
  other.stop_when(Measure::env_steps, 1'000);
  other.script.learn = run.script.learn;
  BOOST_TEST(error_of([&] { other.run(); }) ==
             "E0701 algorithm `test.scripted` failed in learn(): the gradient norm is not finite");
}

BOOST_AUTO_TEST_CASE(number_that_is_not_finite_while_acting_stops_as_well) {
  ScriptedRun run;
  run.stop_when(Measure::env_steps, 1'000);
  run.script.needs.rows_per_learn = 900;  // nothing is learnt meanwhile
  spar_ctx* ctx = nullptr;
  run.script.act = [&](const spar_act& how, const spar_batch&, spar_batch& out) {
    column<int64_t>(out, "action")(0) = 0;
    if (how.mode == SPAR_MODE_EXPLORE && how.step == 7) record(ctx, "entropy", how.step, std::nan(""));
  };
  run.build();
  ctx = run.script.contexts.at("learner/agent_0");
  BOOST_TEST(error_of([&] { run.run(); }) ==
             "E0302 the metric `entropy` became NaN at step 7; the last good checkpoint is 000000000.ckpt");
}

// A phase is due after every step. Its learner counts phases in a network; what the acting copy finds there is noted.
BOOST_AUTO_TEST_CASE(actors_beside_the_learner_act_by_parameters_that_are_one_phase_old) {
  ScriptedRun run;
  run.overlap = true;
  run.script.keep_in_networks();
  run.stop_when(Measure::env_steps, 60);
  run.experiment.eval.every = 20;
  const spar_net_spec spec{sizeof(spar_net_spec), 1, nullptr, 0, 1, 1, 1, "{\"value\":[0.0]}"};
  const train::Training& training = run.build();
  rollout::Learner& learner = *training.learners[0];
  BOOST_REQUIRE(learner.actors().size() == 1u);
  learner.networks().create(1, "learner", "phases", spec);
  nn::Network& seen = learner.actors()[0]->networks().create(1, "actor", "phases", spec);
  float phases = 0;
  run.script.learn = [&phases](spar_ctx* ctx, const spar_host*, uint64_t) {
    ++phases;
    ctx->networks->find("phases")->write(SPAR_NET_VALUES, &phases, sizeof phases);
  };
  std::map<uint64_t, float> acted_on;
  run.script.act = [&](const spar_act& how, const spar_batch&, spar_batch& out) {
    spar::column<int64_t>(out, "action").data[0] = 0;
    if (how.mode != SPAR_MODE_EXPLORE) return;
    float phase = -1;
    seen.read(SPAR_NET_VALUES, &phase, sizeof phase);
    acted_on[how.step] = phase;
  };
  run.run();
  BOOST_TEST(phases == 60.0F);
  BOOST_REQUIRE(acted_on.size() == 60u);
  BOOST_TEST(acted_on[0] == 0.0F);
  BOOST_TEST(acted_on[1] == 1.0F);  // nothing was asked for before: they take turns
  for (uint64_t step = 2; step < 60; ++step) {
    const bool evaluates = step % 20 == 0;  // looks at what was learnt, so they take turns
    BOOST_TEST(acted_on[step] == static_cast<float>(evaluates ? step : step - 1), "at step " << step);
  }
}

BOOST_AUTO_TEST_CASE(network_that_is_not_finite_is_not_saved_though_no_metric_shows_it) {
  ScriptedRun run;
  run.stop_when(Measure::env_steps, 1'000);
  run.experiment.checkpoint.every_steps = 20;
  run.experiment.eval.every = 10'000;
  run.script.learn = [](spar_ctx* ctx, const spar_host*, uint64_t step) {
    const spar_net_spec spec{sizeof(spar_net_spec), 1, nullptr, 0, 1, 1, 1, "{\"value\":[0.0]}"};
    nn::Network* network = ctx->networks->find("w");
    if (!network) network = &ctx->networks->create(1, "learner", "w", spec);
    const float value = step < 30 ? 0.5F : HUGE_VALF;
    network->write(SPAR_NET_VALUES, &value, sizeof value);
  };
  BOOST_TEST(error_of([&] { run.run(); }) ==
             "E0302 the network `w` of `learner/agent_0` is not finite at step 40; the last good checkpoint is "
             "000000020.ckpt");
}

BOOST_AUTO_TEST_CASE(error_before_the_first_checkpoint_says_so) {
  ScriptedRun run;
  run.stop_when(Measure::env_steps, 1'000);
  ScriptedStrategy strategy;
  strategy.next = [](const spar_progress&) { return spar_directive{sizeof(spar_directive), SPAR_DO_LEARN, 1}; };
  run.script.learn = [](spar_ctx* ctx, const spar_host*, uint64_t step) { record(ctx, "loss/q", step, std::nan("")); };
  run.build(&strategy);
  BOOST_TEST(error_of([&] { run.run(); }) ==
             "E0302 the metric `loss/q` became NaN at step 0; there is no checkpoint yet");
}

BOOST_AUTO_TEST_CASE(interruptions_save_or_not_and_say_which) {
  const std::tuple<Interruption, Ending, const char*, bool> cases[] = {
      {Interruption::save_and_stop, Ending::stopped, "interrupted", true},
      {Interruption::preempt, Ending::preempted, "preempted", true},
      {Interruption::abandon, Ending::abandoned, "interrupted", false}};
  for (const auto& [interruption, ending, reason, saves] : cases) {
    ScriptedRun run;
    run.stop_when(Measure::env_steps, 1'000);
    run.diary.interrupt = [&, what = interruption] {
      return run.training->counters.env_steps == 17 ? what : Interruption::none;
    };
    const auto result = run.run();
    BOOST_TEST((result.ending == ending));
    BOOST_TEST(result.reason == reason);
    BOOST_TEST(run.training->counters.env_steps == 17u);
    BOOST_TEST(run.diary.saves.back() == (saves ? 17u : 0u));
    BOOST_TEST(run.diary.asked == 18u);  // before every step
  }
}

BOOST_AUTO_TEST_CASE(a_run_without_a_budget_has_no_progress) {
  ScriptedRun run;
  run.stop_when(Measure::episodes, 3);
  double progress = 0;
  run.script.learn = [&](spar_ctx* ctx, const spar_host*, uint64_t) { progress = ctx->budget->progress(); };
  run.run();
  BOOST_TEST(std::isnan(progress));
}

BOOST_AUTO_TEST_CASE(schedules_see_the_share_of_the_budget_that_is_done) {
  ScriptedRun run;
  run.stop_when(Measure::env_steps, 200);
  std::map<uint64_t, double> progress;
  run.script.learn = [&](spar_ctx* ctx, const spar_host*, uint64_t step) { progress[step] = ctx->budget->progress(); };
  run.run();
  BOOST_TEST(progress.at(50) == 0.25);
  BOOST_TEST(progress.at(200) == 1.0);
}

BOOST_AUTO_TEST_CASE(checkpoint_of_a_plugin_that_cannot_be_saved_tells_why) {
  ScriptedRun run;
  run.stop_when(Measure::env_steps, 200);
  BOOST_TEST(run.build().why_not_resumable() == "");
  run.world.saves = false;
  run.training.reset();
  BOOST_TEST(run.build().why_not_resumable() ==
             "environment `test.scripted/World-v0` does not offer spar.env.state/1: its episodes cannot be saved");
  // It goes on all the same, with fresh episodes.
  run.training->start();
  const auto saved = run.training->snapshot("{}");
  BOOST_TEST(saved.find("worker") == nullptr);
  run.training->restore(saved);
  BOOST_TEST(run.world.resets.back().seeds.at(0) == run.experiment.seed);
}

BOOST_AUTO_TEST_CASE(window_does_not_go_on_in_the_fresh_episode_of_a_resumed_run) {
  ScriptedRun run;
  run.stop_when(Measure::env_steps, 200);
  run.world.saves = false;
  run.script.needs.n_step = 3;
  run.script.needs.reward_transform = "normalise";
  train::Training& training = run.build();
  training.start();
  for (int i = 0; i < 4; ++i) training.worker->step(static_cast<uint64_t>(i), 1);
  spar_ctx* ctx = run.script.contexts.at("learner/agent_0");
  BOOST_TEST(stored(ctx).size() == 2u);  // two windows are open
  training.restore(training.snapshot("{}"));
  for (int i = 4; i < 7; ++i) training.worker->step(static_cast<uint64_t>(i), 1);
  const auto rows = stored(ctx);
  BOOST_REQUIRE(rows.size() == 3u);
  BOOST_TEST(rows[1].obs == 1001.0F);
  BOOST_TEST(rows[2].obs == 2000.0F);
  BOOST_TEST(rows[2].next_obs == 2003.0F);
}

BOOST_AUTO_TEST_CASE(seeds_of_evaluations_never_repeat_and_are_not_those_of_training) {
  ScriptedRun run;
  run.stop_when(Measure::env_steps, 90);
  run.experiment.eval.every = 30;
  run.experiment.eval.episodes = 2;
  run.run();
  std::vector<uint64_t> seeds;
  for (const auto& reset : run.world.resets)
    for (const uint64_t seed : reset.seeds)
      if (seed != run.experiment.seed) seeds.push_back(seed);
  const uint64_t first = (uint64_t{1} << 40) + (run.experiment.seed << 20);
  std::sort(seeds.begin(), seeds.end());
  seeds.erase(std::unique(seeds.begin(), seeds.end()), seeds.end());
  BOOST_TEST(seeds == (Steps{first, first + 1, first + 2, first + 3, first + 4, first + 5}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
