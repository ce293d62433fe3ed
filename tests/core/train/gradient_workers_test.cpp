// Gradient workers of scripts: whose updates are made, who fails, who waits.
#include "core/rollout/gradient_workers.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include "core/nn/service.hpp"
#include "core/rollout/sampling.hpp"
#include "core/train/fixture.hpp"

using namespace spar;
using namespace spar::test;

namespace {

const std::vector<uint32_t> kModes = {SPAR_APPLY_BSP, SPAR_APPLY_ASP, SPAR_APPLY_SSP};

/// 0, 1, ..
size_t number_of(const spar_ctx* ctx) { return static_cast<size_t>(ctx->name.back() - '1'); }

nn::Network& the_number(spar_ctx* ctx) { return *ctx->networks->find("w"); }

float value_of(const nn::Network& network) {
  float value = 0;
  network.read(SPAR_NET_VALUES, &value, sizeof value);
  return value;
}

/// A run of an algorithm that has one number, and a strategy that gives it workers.
struct Descent : ScriptedRun {
  explicit Descent(uint32_t apply, uint32_t learners = 2) {
    script.keep_in_networks();
    script.create = [](spar_ctx* ctx) {
      const spar_net_spec spec{sizeof(spar_net_spec), 1, nullptr, 0, 1, 1, 1, "{\"value\":[0.0]}"};
      ctx->networks->create(1, ctx->name, "w", spec);
    };
    script.learn = [this](spar_ctx* ctx, const spar_host*, uint64_t step) { learn(ctx, step); };
    auto& group = strategy.groups[0];
    group.learners = learners;
    group.apply = apply;
    if (apply != SPAR_APPLY_BSP) group.flags = SPAR_GROUP_BESIDE, group.max_staleness = 1;
    strategy.next = [apply, phase = uint64_t{0}](const spar_progress& p) mutable {
      const auto say = [](uint32_t what, uint64_t amount) {
        return spar_directive{sizeof(spar_directive), what, amount};
      };
      if (apply != SPAR_APPLY_BSP)
        return p.worker == 0 || p.buffer_rows == 0 ? say(SPAR_DO_COLLECT, 1) : say(SPAR_DO_LEARN, 1);
      if (p.buffer_rows > 0 && std::exchange(phase, p.env_steps) != p.env_steps) return say(SPAR_DO_LEARN, 1);
      return say(SPAR_DO_COLLECT, 1);
    };
    experiment.eval.every = 1'000'000;
    stop_when(Measure::env_steps, 60);
  }

  void learn(spar_ctx* ctx, uint64_t step) {
    spar_batch batch{};
    batch.struct_size = sizeof batch;
    const spar_query query{sizeof(spar_query), 0, 1, 0};
    spar_error error{};
    error.struct_size = sizeof error;
    spar::check(rollout::sampling_service().sample(ctx, &query, &batch, &error), error);
    rollout::sampling_service().release(ctx, &batch);
    if (before) before(ctx, step);
    const float g = gradient(number_of(ctx));
    the_number(ctx).write(SPAR_NET_GRADIENTS, &g, sizeof g);
    spar_net* nets[] = {handle_of(the_number(ctx))};
    spar_update update{};
    update.struct_size = sizeof update;
    update.n_nets = 1;
    update.nets = nets;
    update.lr = 0.01;
    update.beta1 = update.beta2 = 0.9;
    update.eps = 1e-8;
    double norm = 0;
    spar::check(nn::nn_service().update(ctx, &update, &norm, &error), error);
    const std::scoped_lock lock(mutex);
    norms.push_back(norm);
    if (after) after(ctx);
  }

  std::string failure() {
    build(&strategy);
    const auto begin = std::chrono::steady_clock::now();
    std::string told = error_of([&] { run(); });
    BOOST_TEST((std::chrono::steady_clock::now() - begin < std::chrono::seconds(5)));
    return told;
  }

  ScriptedStrategy strategy;
  std::function<void(spar_ctx*, uint64_t)> before;  ///< the update; may throw
  std::function<void(spar_ctx*)> after;             ///< one at a time
  std::function<float(size_t)> gradient = [](size_t worker) { return worker == 0 ? 1.0F : 3.0F; };
  std::mutex mutex;
  std::vector<double> norms;
  std::atomic<bool> world_fails{false};
};

}  // namespace

BOOST_AUTO_TEST_SUITE(gradient_workers)

BOOST_AUTO_TEST_CASE(each_has_an_instance_and_streams_of_its_own_and_the_memory_of_the_learner) {
  Descent run(SPAR_APPLY_BSP, 3);
  run.build(&run.strategy);
  BOOST_REQUIRE(run.script.made.size() == 4u);
  const spar_ctx* learner = run.script.contexts.at("learner/agent_0");
  for (size_t i = 1; i <= 3; ++i) {
    BOOST_TEST(run.script.made[i].name == "learner/agent_0/worker/" + std::to_string(i));
    BOOST_TEST(run.script.made[i].role == static_cast<uint32_t>(SPAR_ROLE_TRAIN));
    const spar_ctx* worker = run.script.contexts.at(run.script.made[i].name);
    BOOST_TEST(worker->buffer == learner->buffer);
    BOOST_TEST(worker->networks != learner->networks);
    BOOST_TEST(worker->metrics != learner->metrics);
  }
}

BOOST_AUTO_TEST_CASE(round_in_step_is_one_update_by_the_mean_gradient) {
  Descent run(SPAR_APPLY_BSP);
  run.build(&run.strategy);
  run.run();
  const train::Training& t = *run.training;
  BOOST_TEST(t.counters.env_steps == 60u);
  BOOST_TEST(t.counters.updates == 60u);  // one after each transition
  BOOST_TEST(run.norms.size() == 120u);
  BOOST_TEST(run.script.learnt.size() == 120u);
  BOOST_TEST(std::all_of(run.norms.begin(), run.norms.end(), [](double norm) { return norm == 2; }));
  const float learnt = value_of(*t.learners[0]->networks().find("w"));
  BOOST_TEST(learnt < -0.5F);
  for (size_t i = 0; i < 2; ++i) BOOST_TEST(value_of(*(*t.learners[0]->workers())[i].networks().find("w")) == learnt);
}

BOOST_AUTO_TEST_CASE(asynchronous_workers_make_an_update_of_each_gradient) {
  for (const uint32_t apply : {SPAR_APPLY_ASP, SPAR_APPLY_SSP}) {
    Descent run(apply);
    run.build(&run.strategy);
    run.run();
    const train::Training& t = *run.training;
    BOOST_TEST(t.counters.env_steps == 60u);
    BOOST_TEST(t.counters.updates == run.norms.size());
    // One row for each transition, give or take 16 updates.
    BOOST_TEST(t.counters.updates >= 43u);
    BOOST_TEST(t.counters.updates <= 75u);
    uint64_t steps = 0;
    t.learners[0]->networks().find("w")->read(SPAR_NET_STEPS, &steps, sizeof steps);
    BOOST_TEST(steps == t.counters.updates);
    BOOST_TEST(t.learners[0]->workers()->sampled() == t.counters.updates);
    BOOST_TEST(std::all_of(run.norms.begin(), run.norms.end(), [](double norm) { return norm == 1 || norm == 3; }));
  }
}

BOOST_AUTO_TEST_CASE(no_worker_is_farther_ahead_of_the_slowest_than_it_may) {
  for (const uint32_t apply : {SPAR_APPLY_ASP, SPAR_APPLY_SSP}) {
    Descent run(apply);
    run.threads = 3;
    run.strategy.groups[0].max_staleness = 2;
    std::vector<uint64_t> updates(2, 0);
    uint64_t most = 0;
    run.before = [](const spar_ctx* ctx, uint64_t) {
      if (number_of(ctx) == 1) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    run.after = [&](const spar_ctx* ctx) {
      ++updates[number_of(ctx)];
      most = std::max(most, updates[0] - std::min(updates[0], updates[1]));
    };
    run.build(&run.strategy);
    run.run();
    if (apply == SPAR_APPLY_SSP)
      BOOST_TEST(most <= 3u);  // two ahead, and the update that it made then
    else
      BOOST_TEST(most > 3u);
  }
}

BOOST_AUTO_TEST_CASE(worker_that_fails_ends_the_others_and_the_run_by_its_own_words) {
  for (const uint32_t apply : kModes) {
    Descent run(apply, 3);
    run.before = [](const spar_ctx* ctx, uint64_t step) {
      if (number_of(ctx) == 1 && step >= 20) throw StatusError(SPAR_E_INTERNAL, "the second one is tired");
    };
    BOOST_TEST(run.failure() == "E0701 algorithm `test.scripted` failed in learn(): the second one is tired");
  }
}

BOOST_AUTO_TEST_CASE(loss_that_is_not_finite_is_told_whoever_has_it) {
  for (const uint32_t apply : kModes) {
    Descent run(apply);
    run.before = [](spar_ctx* ctx, uint64_t step) {
      const uint32_t loss = ctx->metrics->define("loss/w", SPAR_METRIC_MEAN, "");
      ctx->metrics->record(loss, step, number_of(ctx) == 1 && step >= 20 ? std::nan("") : 1.0);
    };
    const std::string told = run.failure();
    BOOST_TEST(told.starts_with("E0302 the metric `loss/w` became NaN at step "), told);
  }
}

BOOST_AUTO_TEST_CASE(environment_that_fails_ends_the_workers) {
  Descent run(SPAR_APPLY_ASP);
  run.before = [&run](const spar_ctx*, uint64_t step) {
    if (step >= 20) run.world_fails = true;
  };
  run.world.reward = [&run](const Moment&, size_t) { return run.world_fails ? std::nanf("") : 1.0F; };
  const std::string told = run.failure();
  BOOST_TEST(told.starts_with("E0704 environment"), told);
}

BOOST_AUTO_TEST_CASE(workers_in_step_that_do_not_make_the_same_updates_are_told) {
  Descent run(SPAR_APPLY_BSP);
  run.script.learn = [&run](spar_ctx* ctx, const spar_host*, uint64_t step) {
    if (number_of(ctx) == 0 || step < 20) run.learn(ctx, step);
  };
  BOOST_TEST(run.failure() ==
             "E0315 the gradient workers of one learner do not go the same way: one updates the network `w`, another "
             "has learnt");
}

BOOST_AUTO_TEST_CASE(evaluations_and_the_end_come_at_exact_steps_and_see_all_that_was_learnt) {
  Descent run(SPAR_APPLY_ASP);
  run.experiment.eval.every = 20;
  run.experiment.env.count = 3;
  run.build(&run.strategy);
  run.run();
  BOOST_REQUIRE(run.diary.evaluations.size() == 3u);
  BOOST_TEST(run.diary.evaluations[0].step == 21u);  // the first multiple of three copies
  BOOST_TEST(run.diary.evaluations[2].step == 60u);
  BOOST_TEST(run.training->counters.env_steps == 60u);
}

BOOST_AUTO_TEST_CASE(strategy_tells_each_worker_what_is_next) {
  Descent run(SPAR_APPLY_ASP);
  std::vector<uint64_t> asked(3, 0);
  run.strategy.next = [&](const spar_progress& p) {
    const uint64_t turn = asked[p.worker]++;
    if (p.worker == 0) return spar_directive{sizeof(spar_directive), SPAR_DO_COLLECT, 1'000};
    if (p.buffer_rows < 10) return spar_directive{sizeof(spar_directive), SPAR_DO_COLLECT, 5};
    const uint32_t what[] = {SPAR_DO_LEARN, SPAR_DO_PUSH, SPAR_DO_PULL, SPAR_DO_LEARN};
    if (p.worker == 2 && p.learn_steps >= 6) return spar_directive{sizeof(spar_directive), SPAR_DO_STOP, 0};
    return spar_directive{sizeof(spar_directive), what[turn % 4], 1};
  };
  run.experiment.stop.any[0].value = 100'000;
  run.build(&run.strategy);
  const auto result = run.run();
  BOOST_TEST(result.reason == "strategy");
  BOOST_TEST(run.training->params.version("agent_0") > 0u);
  BOOST_TEST(run.training->counters.updates >= 6u);  // the second worker's; the first may have had no turn
}

BOOST_AUTO_TEST_CASE(unknown_directives_and_learning_actors_are_told) {
  Descent odd(SPAR_APPLY_ASP), busy(SPAR_APPLY_ASP);
  odd.strategy.next = [](const spar_progress& p) {
    return spar_directive{sizeof(spar_directive), p.worker == 0 ? uint32_t{SPAR_DO_COLLECT} : 77U, 5};
  };
  BOOST_TEST(odd.failure() == "E0309 the strategy gave a worker of the group `agent_0` the unknown directive 77");
  busy.strategy.next = [](const spar_progress&) { return spar_directive{sizeof(spar_directive), SPAR_DO_LEARN, 1}; };
  BOOST_TEST(busy.failure() ==
             "E0309 the strategy lets the actors of the group `agent_0` learn, which has gradient workers of its own "
             "speed for that");
}

BOOST_AUTO_TEST_CASE(algorithms_that_cannot_share_are_refused) {
  const auto refusal = [](Descent& run) { return error_of([&] { run.build(&run.strategy); }); };
  for (const uint32_t apply : {SPAR_APPLY_BSP, SPAR_APPLY_ASP}) {
    Descent on_policy(apply);
    on_policy.script.needs.buffer_kind = SPAR_BUF_ROLLOUT;
    BOOST_TEST(refusal(on_policy) ==
               "E0308 several learners cannot share what they learn: algorithm `test.scripted` learns from what its "
               "newest policy did, not from a replay memory");
    Descent without(apply);
    without.script.needs.buffer_kind = SPAR_BUF_NONE;
    BOOST_TEST(refusal(without) ==
               "E0308 several learners cannot share what they learn: algorithm `test.scripted` has no memory that they "
               "could draw from");
  }
  ScriptedRun own;
  ScriptedStrategy strategy;
  strategy.groups[0].learners = 2;
  strategy.groups[0].apply = SPAR_APPLY_BSP;
  BOOST_TEST(error_of([&] { own.build(&strategy); }) ==
             "E0308 several learners cannot share what they learn: algorithm `test.scripted` keeps what it learns "
             "outside the host's networks (SPAR_ALGO_HOSTED_NETWORKS is not set)");
  BOOST_TEST(own.script.alive == 0);
}

BOOST_AUTO_TEST_CASE(asynchronous_run_goes_on_from_all_of_its_state) {
  Descent first(SPAR_APPLY_ASP), second(SPAR_APPLY_ASP);
  first.build(&first.strategy);
  first.run();
  const auto saved = first.training->snapshot("{}");
  BOOST_TEST(first.training->why_not_resumable() ==
             "strategy `test.strategy` lets actors and learners go each at its own speed, which is another one every "
             "time");
  second.experiment.stop.any[0].value = 120;
  train::Training& t = second.build(&second.strategy);
  t.restore(saved);
  BOOST_TEST(t.parameters_sha256() == first.training->parameters_sha256());
  second.go_on();
  BOOST_TEST(t.counters.env_steps == 120u);
  BOOST_TEST(t.counters.updates == first.training->counters.updates + second.norms.size());
  BOOST_TEST(t.counters.updates >= 103u);  // the limiter goes on with its counts
  BOOST_TEST(t.counters.updates <= 135u);
}

BOOST_AUTO_TEST_SUITE_END()
