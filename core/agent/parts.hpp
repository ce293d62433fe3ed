// The inside of an agent: a learner of the engine and what a run would hold around it. For the files of this folder.
#pragma once

#include "core/agent/recipe.hpp"
#include "core/params/store.hpp"
#include "core/rng/philox.hpp"
#include "core/rollout/learner.hpp"
#include "core/train/budget.hpp"
#include "core/train/metrics.hpp"
#include "core/train/strategy.hpp"

namespace spar {

struct Agent::Parts {
  Parts(Plugins& plugins, Recipe recipe);

  size_t action_bytes() const { return action_type.width() * action_type.bits / 8; }

  /// Learns what is due; returns how many updates were made.
  uint64_t follow();
  void learn(uint64_t times);
  /// Throws E0302 if a metric, or with `networks` a parameter, is not finite any more.
  void check_good(bool networks = false) const;
  /// Throws E1001 unless there is a good mask exactly where the spaces are masked.
  void check_mask_of(std::string_view what, const Numbers& mask, uint64_t rows, const uint8_t* over = nullptr) const;

  void save(AgentState& state) const;
  void load(const AgentState& state);

  Plugins& plugins;
  Recipe recipe;
  spar_agent_spec spec;
  rollout::AgentPort port;  ///< `in`: the last actions in the environment's units
  ColumnType obs_type, action_type, mask_type;
  train::Budget budget;
  Crew crew;
  train::Metrics metrics;
  params::Store store;
  std::unique_ptr<rollout::Learner> learner;
  std::unique_ptr<train::Strategy> strategy;
  Philox warm_up;  ///< the stream of a run's rollout worker

  uint64_t env_steps = 0, updates = 0, episodes = 0;
  uint64_t pending = 0;                ///< transitions until the strategy is asked again
  std::vector<double> returns;         ///< of the running episode of each copy
  std::vector<uint64_t> lengths;       ///< its steps so far
  std::vector<double> recent_returns;  ///< of the last episodes: what strategies are told
  std::vector<uint8_t> first;          ///< does the copy's next step start an episode?
  uint64_t chosen_rows = 0;            ///< rows of the last exploring act()
  std::vector<std::byte> chosen;       ///< its actions in the algorithm's units, [copies]
  std::vector<std::byte> handed_out;   ///< .. and as the embedder got them
  std::filesystem::path last_file;     ///< that this agent was saved to or loaded from

  std::vector<uint64_t> lanes;     ///< 0, 1, ..
  rollout::Batch seen, actions;    ///< of one act()
  std::vector<std::byte> acted;    ///< actions of one step in the algorithm's units
  std::vector<uint8_t> no, ended;  ///< of one step
  rollout::StepView view;
  uint32_t return_metric = 0, length_metric = 0;
};

}  // namespace spar
