// What may not grow: the cost of a step with the length of the run, of a sample with the size of the memory, of a
// snapshot with the number of policies, of an iteration with cells that are known already.
#include <algorithm>
#include <cmath>

#include "core/base/memory.hpp"
#include "core/bench/bench.hpp"
#include "core/bench/stopwatch.hpp"
#include "core/bench/transitions.hpp"
#include "core/bench/whole_run.hpp"
#include "core/game/payoff_table.hpp"
#include "core/params/store.hpp"

namespace spar::bench {
namespace {

/// "1.5 M"
std::string millions(uint64_t n) {
  const std::string whole = std::to_string(n / 1'000'000), tenth = std::to_string(n / 100'000 % 10);
  return whole + (tenth == "0" ? "" : "." + tenth) + " M";
}

constexpr double kPart = 0.04;  // of a run: one checkpoint and twenty evaluations

/// Nanoseconds of a step in the fastest of five parts of a run, beginning at a share of it: the speed of a shared
/// machine changes between them.
double fastest_ns(const Pace& pace, double from) {
  double best = 1e30;
  for (int i = 0; i < 5; ++i, from += kPart)
    best = std::min(best, pace.seconds_per_step(&Pace::Mark::thread, from, from + kPart));
  return best * 1e9;
}

/// Everything that a run does while its policy stays what it is: learning with a step size that changes nothing,
/// metrics, evaluations, checkpoints and the profile.
void measure_length(Plugins& plugins, const Settings& settings, const Sink& sink) {
  const uint64_t steps = settings.brief ? 1'500'000 : 10'000'000;
  const double early = settings.brief ? 0.4 : 0.2;  // by then the profile has no room for more events
  const std::vector<std::string> assignments = {
      "env.id=CartPole-v1",
      "algorithm.id=dqn",
      "algorithm.hidden_layers=[16]",
      "algorithm.lr=1e-30",
      "algorithm.batch_size=16",
      "algorithm.buffer_size=10_000",
      "algorithm.warm_up=1_000",
      "algorithm.update_freq=16",
      "algorithm.epsilon_start=0.1",
      "algorithm.epsilon_end=0.1",
      "eval.every=" + std::to_string(steps / 500),
      "eval.episodes=5",
      "checkpoint.every=" + std::to_string(steps / 25),
      "stop={any=[{env_steps=" + std::to_string(steps) + "},{no_improvement=1_000_000},{eval_return=1e9,for=10}]}"};
  Pace pace;
  Profile profile;
  RunOptions options;
  options.observer = &pace;
  options.profile = &profile;
  whole_run(plugins, assignments, options);
  sink({.group = "growth",
        .name = "a step in the last fifth of " + millions(steps),
        .value = fastest_ns(pace, 0.8),
        .unit = "ns",
        .limit = fastest_ns(pace, early),
        .limit_name = "a step at the beginning, after warm-up",
        .budget = 1.05});
  sink({.group = "growth",
        .name = "memory of the process at its end",
        .value = static_cast<double>(pace.at(1).memory) / 1e6,
        .unit = "MB",
        .limit = static_cast<double>(pace.at(early).memory) / 1e6,
        .limit_name = "after warm-up",
        .budget = 1.02});
}

struct Memories {
  double bare = 0, uniform = 0, append = 0, prioritised = 0;  ///< microseconds of one call
};

Memories time_memories(uint64_t transitions, int times) {
  constexpr int kCalls = 20;
  constexpr uint64_t kAppended = 100'000;
  const auto us = [times](int calls, auto&& call) {
    return best_seconds(times,
                        [&] {
                          for (int i = 0; i < calls; ++i) call();
                        }) /
           calls * 1e6;
  };
  Memories out;
  {
    BareGather bare(transitions, kRows);
    out.bare = us(kCalls, [&] { bare.run(); });
  }
  {
    Buffer uniform(spec_of(SPAR_BUF_REPLAY, transitions, kFour), Philox(1, "bench/growth"));
    fill(uniform, transitions, 16);
    out.uniform = us(kCalls, [&] { sample(uniform, kRows); });
    out.append = us(1, [&] { fill(uniform, kAppended, 16); }) / static_cast<double>(kAppended);
  }
  Buffer prioritised(spec_of(SPAR_BUF_PRIORITIZED, transitions, kFour), Philox(1, "bench/growth"));
  fill(prioritised, transitions, 16);
  std::vector<float> p(kRows);
  Philox random(3, "bench/priorities");
  for (int i = 0; i < 4000; ++i) {
    for (float& x : p) x = static_cast<float>(std::abs(random.normal()));
    sample_and_update(prioritised, kRows, p);
  }
  out.prioritised = us(kCalls, [&] { sample_and_update(prioritised, kRows, p); });
  return out;
}

/// A larger memory is further away, and nobody can fetch its records faster than a bare gather does.
void measure_memories(const Settings& settings, const Sink& sink) {
  const uint64_t large = settings.brief ? 2'000'000 : 10'000'000, small = large / 10;
  const uint64_t needed = large * 128;  // records, masses and their sums, with room
  if (const uint64_t left = free_memory(); left < needed) {
    sink({.group = "growth",
          .name = "memories of " + millions(large) + ": left out, memory is short",
          .value = static_cast<double>(left) / 1e6,
          .unit = "MB free",
          .limit = static_cast<double>(needed) / 1e6,
          .limit_name = "what they need"});
    return;
  }
  const int times = settings.brief ? 20 : 100;
  const Memories few = time_memories(small, times), many = time_memories(large, times);
  const double distance = many.bare / few.bare;
  const auto put = [&](const std::string& name, double value, double at_few, double physics, std::string limit_name,
                       double budget) {
    sink({.group = "growth",
          .name = name,
          .value = value,
          .unit = "us",
          .limit = at_few * physics,
          .limit_name = std::move(limit_name),
          .budget = budget});
  };
  put("bare gather, 256 of " + millions(large), many.bare, few.bare, 1, "of " + millions(small), NAN);
  put("uniform, 256 of " + millions(large), many.uniform, many.bare, 1, "bare gather of as many", 1.15);
  put("append to " + millions(large), many.append, few.append, 1, "to " + millions(small), 1.1);
  put("prioritised sample and update, 256 of " + millions(large), many.prioritised, few.prioritised,
      distance * std::log2(static_cast<double>(large)) / std::log2(static_cast<double>(small)),
      "of " + millions(small) + ", slowed as the bare gather is, by log2 of the size", 1.15);
}

/// The newest parameters of one of several policies, published as a learner does and fetched as an actor does.
class Policies {
 public:
  explicit Policies(size_t n) {
    for (size_t i = 0; i < n; ++i) {
      key_ = "learner/policy_" + std::to_string(i);
      publish();
    }
  }

  void publish_and_fetch() {
    publish();
    const auto snapshot = store_.fetch(key_);
    std::memcpy(taken_.data(), snapshot->tensors[0].data.data(), kBytes);
  }

 private:
  static constexpr size_t kNumbers = 4'610, kBytes = kNumbers * sizeof(float);  // 4 x 64 x 64 x 2

  void publish() {
    store_.publish_into(key_, [this](std::vector<params::Tensor>& tensors) {
      if (tensors.empty()) {
        tensors.push_back({"actor", SPAR_DTYPE_FLOAT, 32, {kNumbers}, {}});
        tensors[0].data.resize(kBytes);
      }
      std::memcpy(tensors[0].data.data(), values_.data(), kBytes);
    });
  }

  params::Store store_;
  std::string key_;
  std::vector<float> values_ = std::vector<float>(kNumbers), taken_ = values_;
};

void measure_policies(const Settings& settings, const Sink& sink) {
  constexpr int kCalls = 1'000;
  Policies few(1), many(100);
  double few_us = 1e30, many_us = 1e30;
  const auto us = [](Policies& policies) {
    return best_seconds(1,
                        [&] {
                          for (int i = 0; i < kCalls; ++i) policies.publish_and_fetch();
                        }) /
           kCalls * 1e6;
  };
  for (int i = 0; i < (settings.brief ? 20 : 100); ++i) {
    few_us = std::min(few_us, us(few));
    many_us = std::min(many_us, us(many));
  }
  sink({.group = "growth",
        .name = "publish and fetch, 100 policies in the store",
        .value = many_us,
        .unit = "us",
        .limit = few_us,
        .limit_name = "1 policy in the store",
        .budget = 1.05});
}

/// The empirical game of two populations, one more strategy each.
void measure_payoffs(const Sink& sink) {
  constexpr size_t kStrategies = 100;
  game::PayoffTable table(2);
  uint64_t asked = 0;
  const auto play = [&](std::span<const size_t>) {
    ++asked;
    return std::vector<double>{1, -1};
  };
  table.grow({kStrategies - 1, kStrategies - 1});
  table.fill(play);
  asked = 0;
  table.grow({kStrategies, kStrategies});
  table.fill(play);
  sink({.group = "growth",
        .name = "payoffs that the 100th strategy of both players asks for",
        .value = static_cast<double>(asked),
        .unit = "cells",
        .limit = static_cast<double>(2 * kStrategies - 1),
        .limit_name = "cells that are missing",
        .budget = 1.0,
        .held = 1.0});
}

}  // namespace

void measure_growth(Plugins& plugins, const Settings& settings, const Sink& sink) {
  measure_length(plugins, settings, sink);
  measure_memories(settings, sink);
  measure_policies(settings, sink);
  measure_payoffs(sink);
}

}  // namespace spar::bench
