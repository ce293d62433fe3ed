// Exact solving the plain way, on a tree of nodes: what the flat sequence form is measured against.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/game/meta_solver.hpp"
#include "core/game/position.hpp"

namespace spar::bench {

/// By infoset of one player: one probability for each action.
using Policy = std::vector<std::vector<double>>;

/// Two players.
class PointerTree {
 public:
  explicit PointerTree(game::Position& position);

  Policy uniform(size_t player) const;
  /// Payoff of the first player, or of both against it.
  double value(const Policy& first, const Policy& second) const;
  /// The best response of `player` and its value.
  std::pair<Policy, double> best_response(size_t player, const Policy& other) const;
  double nash_conv(const Policy& first, const Policy& second) const;
  Policy aggregate(size_t player, const std::vector<Policy>& population, const std::vector<double>& weights) const;

 private:
  struct Node {
    int32_t player = 0;
    size_t infoset = 0;
    double payoff = 0;  ///< of the first player
    std::vector<double> probability;
    std::vector<std::unique_ptr<Node>> children;
  };
  struct Response;

  std::unique_ptr<Node> build(game::Position& position, uint64_t depth);
  double value(const Node& node, const Policy& first, const Policy& second) const;
  void reach(const Node& node, double weight, Response& response) const;
  double value(const Node& node, Response& response) const;
  size_t action(size_t infoset, Response& response) const;
  void aggregate(const Node& node, size_t player, const std::vector<Policy>& population, std::vector<double> reach,
                 Policy& out) const;

  std::map<std::string, size_t> index_[2];
  std::vector<size_t> actions_[2];
  std::unique_ptr<Node> root_;
};

/// NashConv after `iterations` iterations of PSRO from the uniform strategies.
double pointer_tree_psro(const PointerTree& tree, game::MetaSolver& solver, int iterations);

}  // namespace spar::bench
