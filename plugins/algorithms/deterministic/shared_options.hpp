// The knobs that all deterministic actor-critics have, each with the same meaning; the defaults that differ are set by
// the algorithm's own options.
#pragma once

#include "spar/network_options.hpp"
#include "spar/schema.hpp"

namespace deterministic {

struct Options : spar::NetworkOptions {
  std::vector<int64_t> hidden_layers = {64, 64};
  std::optional<std::vector<int64_t>> actor_hidden_layers, critic_hidden_layers;
  double actor_lr = 3e-4;
  double critic_lr = 3e-4;
  double gamma = 0.99;
  double tau = 0.002;
  int64_t batch_size = 64;
  int64_t buffer_size = 1000000;
  int64_t warm_up = 0;
  int64_t update_freq = 1;
  int64_t number_updates = 1;
  double max_grad_norm_actor = 10;
  double max_grad_norm_critic = 10;
  bool prioritized = false;
  double alpha = 0.5;
  double beta = 0.4;
  double priority_eps = 1e-6;
  std::string noise = "gaussian";
  double noise_scale = 0.2;
  double noise_sigma = 1.0;
  double ou_theta = 0.15;
  double ou_dt = 1.0;
  std::string state_transform;
  std::string reward_transform;
};

/// Adds the knobs above to the schema of `O`, which derives from Options.
template <class O>
void add_options(spar::Schema<O>& s) {
  s.integers("hidden_layers", &O::hidden_layers, spar::at_least(1), "widths of the hidden layers of both networks")
      .optional_integers("actor_hidden_layers", &O::actor_hidden_layers, spar::at_least(1),
                         "widths of the actor's hidden layers; left out: hidden_layers")
      .optional_integers("critic_hidden_layers", &O::critic_hidden_layers, spar::at_least(1),
                         "widths of the critic's hidden layers; left out: hidden_layers")
      .real("actor_lr", &O::actor_lr, spar::above(0), "Adam step size of the actor", SPAR_PARAM_LOG_SCALE)
      .real("critic_lr", &O::critic_lr, spar::above(0), "Adam step size of the critic", SPAR_PARAM_LOG_SCALE)
      .real("gamma", &O::gamma, spar::above_up_to(0, 1), "discount of one step")
      .real("tau", &O::tau, spar::above_up_to(0, 1), "soft copy: target += tau * (online - target) after each update")
      .integer("batch_size", &O::batch_size, spar::at_least(1), "transitions in one update")
      .integer("buffer_size", &O::buffer_size, spar::at_least(1), "transitions that the replay memory holds")
      .integer("warm_up", &O::warm_up, spar::at_least(0), "transitions of uniform actions before the first update")
      .integer("update_freq", &O::update_freq, spar::at_least(1), "transitions between two learning phases")
      .integer("number_updates", &O::number_updates, spar::at_least(1), "updates in one learning phase")
      .real("max_grad_norm_actor", &O::max_grad_norm_actor, spar::above(0),
            "largest global norm of the actor's gradient")
      .real("max_grad_norm_critic", &O::max_grad_norm_critic, spar::above(0),
            "largest global norm of the critic's gradient")
      .boolean("prioritized", &O::prioritized, "prioritised replay; false = uniform")
      .real("alpha", &O::alpha, spar::between(0, 1), "exponent of the priorities")
      .real("beta", &O::beta, spar::between(0, 1),
            "exponent of the importance weights at the start; 1 at the end of the budget")
      .real("priority_eps", &O::priority_eps, spar::above(0), "added to |error|, so that nothing is lost for ever")
      .text("noise", &O::noise, {"gaussian", "ou"},
            "exploration: independent Gaussian draws, or an Ornstein-Uhlenbeck process that starts anew each episode")
      .real("noise_scale", &O::noise_scale, spar::at_least(0),
            "multiplies the noise, which is added to actions in units of [-1, 1]")
      .real("noise_sigma", &O::noise_sigma, spar::at_least(0), "variance of the Gaussian draws")
      .real("ou_theta", &O::ou_theta, spar::between(0, 1), "Ornstein-Uhlenbeck: pull back to 0 in one unit of time")
      .real("ou_dt", &O::ou_dt, spar::above_up_to(0, 1), "Ornstein-Uhlenbeck: time of one step")
      .text("state_transform", &O::state_transform, {}, "of observations: scale(x), clip(x) or normalise")
      .text("reward_transform", &O::reward_transform, {}, "of rewards: scale(x), clip(x) or normalise");
  spar::add_network_options(s);
}

}  // namespace deterministic
