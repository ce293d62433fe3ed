// An environment, its learners and the worker, made of scripts.
#pragma once

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/rollout/joined.hpp"
#include "core/rollout/worker.hpp"
#include "core/train/budget.hpp"
#include "core/train/metrics.hpp"
#include "support/scripted.hpp"

namespace spar::test {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

inline std::unique_ptr<rollout::Environment> make_environment(const ScriptedEnvironment& script, uint64_t copies = 1,
                                                              rollout::Shards shards = {}) {
  return std::make_unique<rollout::Environment>(scripted_host(), script.component(), script.config(), copies, 1,
                                                "environment", shards);
}

/// Agents that one learner plays, named "learner/NAME".
struct Group {
  std::string name;
  std::vector<uint32_t> agents;
  rollout::Join how = rollout::Join::rows;
  bool central = false;  ///< each has a learner of its own, "learner/NAME/AGENT", with a central critic
};

struct Stage {
  /// opponents[i], if there is one, plays agents()[i]; the others learn, those of a group together.
  explicit Stage(const ScriptedEnvironment& world, ScriptedAlgorithm& script, uint64_t copies = 1,
                 const std::vector<rollout::Opponent*>& opponents = {}, const std::vector<Group>& groups = {},
                 bool actors_beside = false)
      : algorithm(script),
        beside(actors_beside),
        environment(make_environment(world, copies)),
        participants(environment->agents().size()) {
    for (const Group& group : groups) {
      if (group.central) {
        teams.push_back(std::make_unique<rollout::Central>(*environment, group.agents, 1));
        for (size_t k = 0; k < group.agents.size(); ++k) {
          const rollout::AgentPort& port = environment->agents()[group.agents[k]];
          add_learner(group.name + "/" + port.id, port, copies, &teams.back()->seat(k));
          participants[group.agents[k]] = {learners.back().get()};
        }
        continue;
      }
      joined.push_back(std::make_unique<rollout::Joined>(*environment, group.name, group.agents, group.how));
      add_learner(group.name, joined.back()->port(), copies * joined.back()->rows_per_copy());
      for (const uint32_t agent : group.agents)
        participants[agent] = {learners.back().get(), nullptr, joined.back().get()};
    }
    for (size_t agent = 0; agent < participants.size(); ++agent) {
      if (participants[agent].learner) continue;
      const rollout::AgentPort& port = environment->agents()[agent];
      if (agent < opponents.size() && opponents[agent]) {
        participants[agent] = {nullptr, opponents[agent]};
        continue;
      }
      add_learner(port.id, port, copies);
      participants[agent] = {learners.back().get()};
    }
    worker = std::make_unique<rollout::Worker>(*environment, participants, environment->time_limit(), 1, beside);
  }

  void add_learner(const std::string& name, const rollout::AgentPort& port, uint64_t lanes,
                   rollout::CentralSeat* central = nullptr) {
    rollout::LearnerSetup setup;
    setup.name = "learner/" + name;
    setup.host = &scripted_host();
    setup.component = &algorithm.component();
    setup.config = &algorithm.config();
    setup.agent = &port;
    setup.lanes = lanes;
    setup.max_rows = lanes;
    setup.root_seed = 1;
    setup.params = &params;
    setup.metrics = &metrics;
    setup.budget = &budget;
    setup.beside = beside;
    setup.central = central;
    learners.push_back(std::make_unique<rollout::Learner>(setup));
  }

  void start(uint64_t seed = 5) { worker->start(seed); }
  void steps(int n, uint64_t most = ~uint64_t{0}) {
    for (int i = 0; i < n; ++i) {
      env_steps += worker->step(env_steps, most);
      episodes.insert(episodes.end(), worker->finished().begin(), worker->finished().end());
    }
  }
  std::vector<Stored> memory(const std::string& agent = "agent_0") const {
    return stored(algorithm.contexts.at("learner/" + agent));
  }
  std::vector<std::byte> save() const {
    ByteWriter writer;
    worker->save(writer);
    for (const auto& learner : learners) learner->save(writer);
    return writer.take();
  }
  void load(const std::vector<std::byte>& bytes) {
    ByteReader reader(bytes, "stage");
    worker->load(reader);
    for (const auto& learner : learners) learner->load(reader);
    reader.end();
  }

  ScriptedAlgorithm& algorithm;
  bool beside;
  train::Budget budget{1'000};
  train::Metrics metrics;
  params::Store params;
  std::unique_ptr<rollout::Environment> environment;
  std::vector<std::unique_ptr<rollout::Joined>> joined;
  std::vector<std::unique_ptr<rollout::Central>> teams;
  std::vector<rollout::Participant> participants;
  std::vector<std::unique_ptr<rollout::Learner>> learners;
  std::unique_ptr<rollout::Worker> worker;
  std::vector<rollout::Episode> episodes;
  uint64_t env_steps = 0;
};

/// Rows equal but for rounding of the last place.
inline void check_rows(const std::vector<Stored>& found, const std::vector<Stored>& expected) {
  BOOST_REQUIRE_EQUAL(found.size(), expected.size());
  const auto near = [](float a, float b) { return std::abs(a - b) <= 1e-6F * std::max(1.0F, std::abs(b)); };
  for (size_t i = 0; i < found.size(); ++i) {
    const Stored &f = found[i], &e = expected[i];
    BOOST_TEST((near(f.obs, e.obs) && near(f.action, e.action) && near(f.reward, e.reward) &&
                near(f.discount, e.discount) && near(f.next_obs, e.next_obs) && f.terminated == e.terminated),
               "transition " << i << " is " << f << ", expected " << e);
  }
}

}  // namespace spar::test
