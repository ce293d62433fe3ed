// Every knob of SAC: name, default, range, meaning.
#pragma once

#include "../common/replay.hpp"
#include "../common/transforms.hpp"
#include "spar/network_options.hpp"
#include "spar/schema.hpp"

namespace sac {

struct Options : spar::NetworkOptions, common::ReplayOptions, common::TransformOptions {
  std::vector<int64_t> hidden_layers = {128, 128};
  std::optional<std::vector<int64_t>> actor_hidden_layers, critic_hidden_layers;
  double actor_lr = 3e-4;
  double critic_lr = 3e-4;
  double gamma = 0.99;
  double tau = 0.02;
  double max_grad_norm_actor = 10;
  double max_grad_norm_critic = 10;
  double action_scale = 1;
  double alpha = 0.2;
  std::optional<double> alpha_lr;
  double max_grad_norm_alpha = 1;
};

inline const spar::Schema<Options>& schema() {
  using O = Options;
  static const auto instance = [] {
    spar::Schema<O> s;
    s.integers("hidden_layers", &O::hidden_layers, spar::at_least(1), "widths of the hidden layers")
        .optional_integers("actor_hidden_layers", &O::actor_hidden_layers, spar::at_least(1),
                           "widths of the actor's hidden layers; left out: hidden_layers")
        .optional_integers("critic_hidden_layers", &O::critic_hidden_layers, spar::at_least(1),
                           "widths of the critics' hidden layers; left out: hidden_layers")
        .real("actor_lr", &O::actor_lr, spar::above(0), "Adam step size of the actor", SPAR_PARAM_LOG_SCALE)
        .real("critic_lr", &O::critic_lr, spar::above(0), "Adam step size of the critics", SPAR_PARAM_LOG_SCALE)
        .real("gamma", &O::gamma, spar::above_up_to(0, 1), "discount of one step")
        .real("tau", &O::tau, spar::above_up_to(0, 1),
              "soft copy: target += tau * (online - target) after each update");
    common::add_replay_options(s);
    s.real("max_grad_norm_actor", &O::max_grad_norm_actor, spar::above(0),
           "largest global norm of the actor's gradient")
        .real("max_grad_norm_critic", &O::max_grad_norm_critic, spar::above(0),
              "largest global norm of the gradient of both critics together")
        .real("action_scale", &O::action_scale, spar::above(0),
              "multiplies the policy's actions before they are clamped to [-1, 1]")
        .real("alpha", &O::alpha, spar::above(0), "temperature: weight of the entropy; where it is learnt, its start")
        .optional_real(
            "alpha_lr", &O::alpha_lr, spar::above(0),
            "Adam step size of log alpha, learnt towards an entropy of minus the number of action dimensions; "
            "left out: alpha stays as it is",
            SPAR_PARAM_LOG_SCALE)
        .real("max_grad_norm_alpha", &O::max_grad_norm_alpha, spar::above(0),
              "largest norm of the gradient of log alpha");
    common::add_priority_options(s, "priority_alpha", "priority_beta", "|error|");
    common::add_transform_options(s);
    spar::add_network_options(s);
    return s;
  }();
  return instance;
}

}  // namespace sac
