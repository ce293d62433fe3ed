// A league of scripts: in every step each of two agents wins as much as its action is larger than the other's. Who acts
// with which action depends on the name of the acting instance.
#pragma once

#include <boost/test/unit_test.hpp>
#include <functional>
#include <string>

#include "core/league/arena.hpp"
#include "spar/batch.hpp"
#include "support/scripted.hpp"

namespace spar::test {

struct LeagueScript {
  LeagueScript() {
    environment.agents = {ScriptedEnvironment::Agent{}, ScriptedEnvironment::Agent{}};
    environment.agents[1].id = "agent_1";
    environment.terminated = [](const Moment& m) { return m.t == 3; };
    environment.reward = [this](const Moment& m, size_t agent) {
      return static_cast<float>(environment.moves[agent][m.copy] - environment.moves[1 - agent][m.copy]);
    };
    algorithm.keep_in_networks();
    algorithm.act = [this](const spar_act&, const spar_batch& obs, spar_batch& out) {
      const auto action = column<int64_t>(out, "action");
      for (uint64_t i = 0; i < obs.rows; ++i) action(i) = strength(who(algorithm.acted.back()));
    };
    strategy.groups = {{"agent_0", {0}}, {"agent_1", {1}}};
    strategy.next = [](const spar_progress& progress) {
      spar_directive out{};
      out.struct_size = sizeof out;
      out.what = 2 * progress.learn_steps < progress.env_steps ? SPAR_DO_LEARN : SPAR_DO_COLLECT;
      out.amount = out.what == SPAR_DO_LEARN ? 1 : 2;
      return out;
    };
    experiment.scenario = "league";
    experiment.env.options = environment.options();
    experiment.env.count = 2;
    experiment.algorithm.options = algorithm.options();
    experiment.strategy.options = strategy.options();
    experiment.league.match_episodes = 4;
    experiment.solve.training.any = {{config::Condition::Measure::env_steps, 24, 1}};
    experiment.stop.any = {{config::Condition::Measure::iterations, 3, 1}};
  }
  LeagueScript(const LeagueScript&) = delete;
  LeagueScript& operator=(const LeagueScript&) = delete;

  /// The name of who acted, without the number of its acting copy.
  static std::string who(const ScriptedAlgorithm::Acted& acted) {
    return acted.by.substr(0, std::min(acted.by.find("/actor/"), acted.by.size()));
  }

  rollout::ComponentLoader load() {
    return [this](uint32_t kind, std::string_view) -> const spar_component& {
      if (kind == SPAR_KIND_ENV) return environment.component();
      return kind == SPAR_KIND_ALGO ? algorithm.component() : strategy.component();
    };
  }

  ScriptedEnvironment environment;
  ScriptedAlgorithm algorithm;
  ScriptedStrategy strategy;
  config::Experiment experiment;
  /// 0 .. 3 of "learner/main_0", "opponent/main_0/1", "match/main_0/1", ..
  std::function<int64_t(const std::string& by)> strength = [](const std::string&) { return int64_t{0}; };
};

}  // namespace spar::test
