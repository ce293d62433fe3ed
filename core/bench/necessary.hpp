// What an update cannot do without: the floating-point operations of its matrix products, a multiply-add counting two.
#pragma once

#include <cstddef>
#include <vector>

namespace spar::bench {

/// A fully connected network by the widths of its layers, input first.
struct Mlp {
  std::vector<double> widths;

  double weights() const {
    double sum = 0;
    for (size_t i = 1; i < widths.size(); ++i) sum += widths[i - 1] * widths[i];
    return sum;
  }
  double first_layer() const { return widths[0] * widths[1]; }

  double forward(double rows) const { return 2 * rows * weights(); }
  /// Gradients of all weights, and of the activations of all layers but the input.
  double backward(double rows) const { return 2 * rows * (2 * weights() - first_layer()); }
  /// Gradients of the activations down to `columns` of the input; none of the weights.
  double backward_to(double rows, double columns) const {
    return 2 * rows * (weights() - first_layer() + columns * widths[1]);
  }
};

/// Double Q-learning: two networks value the next observation, one the current; one is learnt. Dueling heads count as
/// two layers, though joined ones (core/nn/joined.hpp) need fewer products.
inline double dqn_flops(const Mlp& q, double rows) { return 3 * q.forward(rows) + q.backward(rows); }

/// Deterministic policy gradient with one critic (DDPG, D3PG, D4PG): the target action and its value, the critic's
/// step, and the policy's step through the critic.
inline double ddpg_flops(const Mlp& actor, const Mlp& critic, double rows, double actions) {
  return actor.forward(rows) + critic.forward(rows) + critic.forward(rows) + critic.backward(rows) +
         actor.forward(rows) + critic.forward(rows) + critic.backward_to(rows, actions) + actor.backward(rows);
}

/// Soft actor-critic with two critics.
inline double sac_flops(const Mlp& actor, const Mlp& critic, double rows, double actions) {
  return actor.forward(rows) + 2 * critic.forward(rows) + 2 * critic.forward(rows) + 2 * critic.backward(rows) +
         actor.forward(rows) + 2 * critic.forward(rows) + 2 * critic.backward_to(rows, actions) + actor.backward(rows);
}

/// One learning phase of PPO on `rows` transitions of one lane: values and probabilities of all of them and the value
/// of the last observation, then `epochs` passes of one step each on both networks.
inline double ppo_flops(const Mlp& actor, const Mlp& critic, double rows, double epochs) {
  const double appraisal = actor.forward(rows) + critic.forward(rows + 1);
  return appraisal +
         epochs * (actor.forward(rows) + actor.backward(rows) + critic.forward(rows) + critic.backward(rows));
}

}  // namespace spar::bench
