// The tree of a game, walked through the environment's tree extension. Depth d of the walk lies in copy d.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/plugin/context.hpp"
#include "core/rollout/environment.hpp"
#include "spar/abi.h"

namespace spar::game {

/// An instance of an environment for nothing but its tree. One thread.
class Position {
 public:
  /// Throws E0701 or E0702 if the plugin refuses, E1101 if the environment offers no tree or no copies of its state,
  /// E0705 if an agent's actions are not discrete.
  Position(const spar_host& host, const spar_component& component, const spar_config& config);
  ~Position();
  Position(const Position&) = delete;
  Position& operator=(const Position&) = delete;

  const std::string& name() const { return name_; }  ///< "environment `org.spar.games/kuhn_poker`"
  size_t players() const { return world_.n_agents; }
  std::string player_name(size_t player) const { return world_.agents[player]->id; }
  int64_t actions(size_t player) const { return world_.agents[player]->act->n; }

  void root(uint64_t depth);
  int32_t player(uint64_t depth) const { return tree_->current_player(self_, depth); }
  std::vector<int64_t> legal_actions(uint64_t depth, size_t player) const;
  std::vector<std::pair<int64_t, double>> chance_outcomes(uint64_t depth) const;
  /// The position that follows `depth` becomes depth + 1. Throws E1102 beyond kDeepest.
  void follow(uint64_t depth, const std::vector<int64_t>& actions);
  std::vector<double> returns(uint64_t depth) const;
  std::string infoset(uint64_t depth, size_t player) const;

  /// Columns for what each player sees, a row for each depth. Throws E0703 or E0705 if they cannot be served, which
  /// only matters to those who want to see them.
  std::vector<rollout::AgentPort> make_ports() const;
  /// Fills row `depth` of every port's `out` with what its player sees: the columns of AgentPort::observed.
  void observe(uint64_t depth, const std::vector<rollout::AgentPort>& ports);

  static constexpr uint64_t kDeepest = 255;

 private:
  std::string name_;
  spar_ctx context_;
  const spar_env_vtbl* table_;
  spar_env* self_ = nullptr;
  spar_world world_{};
  const spar_ext_env_tree* tree_ = nullptr;
  const spar_ext_env_state* state_ = nullptr;
};

}  // namespace spar::game
