// The knobs that all deterministic actor-critics have, each with the same meaning; the defaults that differ are set by
// the algorithm's own options.
#pragma once

#include "../common/replay.hpp"
#include "../common/transforms.hpp"
#include "spar/network_options.hpp"
#include "spar/schema.hpp"

namespace deterministic {

struct Options : spar::NetworkOptions, common::ReplayOptions, common::TransformOptions {
  Options() { prioritized = false; }
  std::vector<int64_t> hidden_layers = {64, 64};
  std::optional<std::vector<int64_t>> actor_hidden_layers, critic_hidden_layers;
  double actor_lr = 3e-4;
  double critic_lr = 3e-4;
  double gamma = 0.99;
  double tau = 0.002;
  double max_grad_norm_actor = 10;
  double max_grad_norm_critic = 10;
  std::string noise = "gaussian";
  double noise_scale = 0.2;
  double noise_sigma = 1.0;
  double ou_theta = 0.15;
  double ou_dt = 1.0;
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
      .real("tau", &O::tau, spar::above_up_to(0, 1), "soft copy: target += tau * (online - target) after each update");
  common::add_replay_options(s);
  s.real("max_grad_norm_actor", &O::max_grad_norm_actor, spar::above(0), "largest global norm of the actor's gradient")
      .real("max_grad_norm_critic", &O::max_grad_norm_critic, spar::above(0),
            "largest global norm of the critic's gradient");
  common::add_priority_options(s, "alpha", "beta", "|error|");
  s.text("noise", &O::noise, {"gaussian", "ou"},
         "exploration: independent Gaussian draws, or an Ornstein-Uhlenbeck process that starts anew each episode")
      .real("noise_scale", &O::noise_scale, spar::at_least(0),
            "multiplies the noise, which is added to actions in units of [-1, 1]")
      .real("noise_sigma", &O::noise_sigma, spar::at_least(0), "variance of the Gaussian draws")
      .real("ou_theta", &O::ou_theta, spar::between(0, 1), "Ornstein-Uhlenbeck: pull back to 0 in one unit of time")
      .real("ou_dt", &O::ou_dt, spar::above_up_to(0, 1), "Ornstein-Uhlenbeck: time of one step");
  common::add_transform_options(s);
  spar::add_network_options(s);
}

}  // namespace deterministic
