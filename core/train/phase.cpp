#include "core/train/phase.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/train/follow.hpp"
#include "core/train/stopping.hpp"

namespace spar::train {

uint32_t group_alone(const Strategy& strategy, uint32_t agent, const std::string& who, const std::string& alone,
                     const std::string& help) {
  refuse_beside(strategy, who);
  refuse_workers(strategy, who);
  for (const auto& planned : strategy.groups()) {
    if (planned.agents.size() == 1 && planned.team.empty()) continue;
    throw Error("E0308", Exit::usage,
                strategy.label() + " plans that several players learn together in the group `" + planned.name +
                    "`, and " + alone)
        .help(help);
  }
  uint32_t group = 0;
  while (strategy.groups()[group].agents[0] != agent) ++group;  // the plan covers every agent
  return group;
}

/// Does what the strategy says until it wants data; returns how many transitions, 0 = it wants to stop.
uint64_t TrainingPhase::follow() {
  const std::string& name = strategy.groups()[group].name;
  const auto standing = [&] {
    return standing_of(group, learner, practice.env_steps, practice.train_steps, params.version(name),
                       practice.recent_returns);
  };
  const auto learn = [&](uint64_t times) {
    for (; times > 0; --times, ++practice.train_steps) {
      try {
        learner.learn(practice.env_steps);
      } catch (const Error&) {
        check_finite();  // a loss that is not finite says more than the gradient norm that was refused for it
        throw;
      }
    }
    check_finite();
    learner.refresh_actors();
    if (learnt) learnt();
  };
  return train::follow(strategy, name, standing, learn, [&] { params.publish(name, learner.named_tensors()); });
}

/// Transitions, never more than a condition of `any` allows.
void TrainingPhase::collect(uint64_t wanted, uint64_t begun) {
  for (uint64_t left = wanted; left > 0;) {
    const uint64_t most = transitions_left(until, practice.env_steps - begun);
    if (most == 0) return;
    const uint64_t done = worker.step(practice.env_steps, most);
    for (const rollout::Episode& episode : worker.finished()) {
      if (finished) finished(episode);
      if (episode.agent != agent) continue;
      ++practice.episodes;
      remember_return(practice.recent_returns, episode.episode_return);
    }
    practice.env_steps += done;
    budget.advance_to(practice.env_steps);
    left -= std::min(left, done);
  }
}

bool TrainingPhase::run(uint64_t first_seed, const std::function<bool()>& cancelled) {
  const uint64_t env_steps = practice.env_steps, train_steps = practice.train_steps, episodes = practice.episodes;
  worker.start(first_seed);
  for (;;) {
    const uint64_t wanted = follow();
    Situation situation;
    situation.env_steps = practice.env_steps - env_steps;
    situation.train_steps = practice.train_steps - train_steps;
    situation.episodes = practice.episodes - episodes;
    if (wanted == 0 || fired(until, situation) || (enough && enough())) break;
    if (cancelled && cancelled()) return false;
    collect(wanted, env_steps);
  }
  if (const nn::Network* broken = learner.networks().not_finite())
    throw Error("E0302", Exit::failed, "the network `" + broken->name() + "` is not finite");
  return true;
}

void TrainingPhase::check_finite() const {
  if (metrics.broken()) throw Error("E0302", Exit::failed, metrics.broken_text());
}

}  // namespace spar::train
