#include "pointer_tree.hpp"

#include <algorithm>

namespace spar::bench {

/// A best response of `player` in the making.
struct PointerTree::Response {
  size_t player;
  const Policy& other;
  std::vector<std::vector<std::pair<const Node*, double>>> nodes;  ///< of each infoset, with the others' reach
  std::vector<int> chosen;                                         ///< -1: not yet
};

PointerTree::PointerTree(game::Position& position) {
  position.root(0);
  root_ = build(position, 0);
}

std::unique_ptr<PointerTree::Node> PointerTree::build(game::Position& position, uint64_t depth) {
  auto node = std::make_unique<Node>();
  node->player = position.player(depth);
  if (node->player == SPAR_PLAYER_TERMINAL) {
    node->payoff = position.returns(depth)[0];
    return node;
  }
  std::vector<int64_t> moves;
  if (node->player == SPAR_PLAYER_CHANCE) {
    for (const auto& [outcome, probability] : position.chance_outcomes(depth)) {
      moves.push_back(outcome);
      node->probability.push_back(probability);
    }
  } else {
    const auto player = static_cast<size_t>(node->player);
    moves = position.legal_actions(depth, player);
    const auto [found, fresh] = index_[player].try_emplace(position.infoset(depth, player), actions_[player].size());
    if (fresh) actions_[player].push_back(moves.size());
    node->infoset = found->second;
  }
  for (const int64_t move : moves) {
    position.follow(depth, {move});
    node->children.push_back(build(position, depth + 1));
  }
  return node;
}

Policy PointerTree::uniform(size_t player) const {
  Policy out;
  for (const size_t n : actions_[player]) out.emplace_back(n, 1.0 / static_cast<double>(n));
  return out;
}

double PointerTree::value(const Policy& first, const Policy& second) const { return value(*root_, first, second); }

double PointerTree::value(const Node& node, const Policy& first, const Policy& second) const {
  if (node.player == SPAR_PLAYER_TERMINAL) return node.payoff;
  const std::vector<double>& weights = node.player == SPAR_PLAYER_CHANCE ? node.probability
                                       : node.player == 0                ? first[node.infoset]
                                                                         : second[node.infoset];
  double sum = 0;
  for (size_t i = 0; i < weights.size(); ++i)
    if (weights[i] > 0) sum += weights[i] * value(*node.children[i], first, second);
  return sum;
}

void PointerTree::reach(const Node& node, double weight, Response& response) const {
  if (node.player == SPAR_PLAYER_TERMINAL) return;
  if (node.player == static_cast<int32_t>(response.player)) {
    response.nodes[node.infoset].emplace_back(&node, weight);
    for (const auto& child : node.children) reach(*child, weight, response);
    return;
  }
  const auto& weights = node.player == SPAR_PLAYER_CHANCE ? node.probability : response.other[node.infoset];
  for (size_t i = 0; i < weights.size(); ++i) reach(*node.children[i], weight * weights[i], response);
}

size_t PointerTree::action(size_t infoset, Response& response) const {
  if (response.chosen[infoset] >= 0) return static_cast<size_t>(response.chosen[infoset]);
  std::vector<double> values(actions_[response.player][infoset]);
  for (const auto& [node, weight] : response.nodes[infoset])
    for (size_t i = 0; i < values.size(); ++i) values[i] += weight * value(*node->children[i], response);
  const double best = *std::ranges::max_element(values);
  size_t chosen = 0;
  while (values[chosen] < best - 1e-12) ++chosen;
  response.chosen[infoset] = static_cast<int>(chosen);
  return chosen;
}

double PointerTree::value(const Node& node, Response& response) const {
  if (node.player == SPAR_PLAYER_TERMINAL) return response.player == 0 ? node.payoff : -node.payoff;
  if (node.player == static_cast<int32_t>(response.player))
    return value(*node.children[action(node.infoset, response)], response);
  const auto& weights = node.player == SPAR_PLAYER_CHANCE ? node.probability : response.other[node.infoset];
  double sum = 0;
  for (size_t i = 0; i < weights.size(); ++i)
    if (weights[i] > 0) sum += weights[i] * value(*node.children[i], response);
  return sum;
}

std::pair<Policy, double> PointerTree::best_response(size_t player, const Policy& other) const {
  const size_t n = actions_[player].size();
  Response response{player, other, std::vector<std::vector<std::pair<const Node*, double>>>(n),
                    std::vector<int>(n, -1)};
  reach(*root_, 1, response);
  const double best = value(*root_, response);
  Policy policy;
  for (size_t i = 0; i < n; ++i) {
    policy.emplace_back(actions_[player][i], 0.0);
    policy[i][action(i, response)] = 1;
  }
  return {policy, best};
}

double PointerTree::nash_conv(const Policy& first, const Policy& second) const {
  return best_response(0, second).second + best_response(1, first).second;
}

void PointerTree::aggregate(const Node& node, size_t player, const std::vector<Policy>& population,
                            std::vector<double> reach, Policy& out) const {
  if (node.player != static_cast<int32_t>(player)) {
    for (const auto& child : node.children) aggregate(*child, player, population, reach, out);
    return;
  }
  for (size_t i = 0; i < node.children.size(); ++i) {
    std::vector<double> below = reach;
    double sum = 0;
    for (size_t k = 0; k < population.size(); ++k) sum += below[k] *= population[k][node.infoset][i];
    out[node.infoset][i] = sum;
    aggregate(*node.children[i], player, population, std::move(below), out);
  }
}

Policy PointerTree::aggregate(size_t player, const std::vector<Policy>& population,
                              const std::vector<double>& weights) const {
  Policy out = uniform(player);
  std::vector<Policy> mixed;
  std::vector<double> reach;
  for (size_t k = 0; k < population.size(); ++k) {
    if (weights[k] <= 0) continue;
    mixed.push_back(population[k]);
    reach.push_back(weights[k]);
  }
  aggregate(*root_, player, mixed, reach, out);
  for (auto& infoset : out) {
    double sum = 0;
    for (const double x : infoset) sum += x;
    for (double& x : infoset) x = sum > 0 ? x / sum : 1.0 / static_cast<double>(infoset.size());
  }
  return out;
}

double pointer_tree_psro(const PointerTree& tree, game::MetaSolver& solver, int iterations) {
  std::vector<Policy> populations[2] = {{tree.uniform(0)}, {tree.uniform(1)}};
  game::PayoffTable table(2);
  double nash_conv = 0;
  for (int i = 0; i <= iterations; ++i) {
    table.grow({populations[0].size(), populations[1].size()});
    table.fill([&](std::span<const size_t> index) {
      const double payoff = tree.value(populations[0][index[0]], populations[1][index[1]]);
      return std::vector<double>{payoff, -payoff};
    });
    const game::Mixture mixture = solver.solve(table);
    const Policy first = tree.aggregate(0, populations[0], mixture[0]);
    const Policy second = tree.aggregate(1, populations[1], mixture[1]);
    const auto against_second = tree.best_response(0, second), against_first = tree.best_response(1, first);
    nash_conv = against_second.second + against_first.second;
    populations[0].push_back(against_second.first);
    populations[1].push_back(against_first.first);
  }
  return nash_conv;
}

}  // namespace spar::bench
