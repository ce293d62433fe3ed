// Every knob of SAC: name, default, range, meaning.
#pragma once

#include "spar/network_options.hpp"
#include "spar/schema.hpp"

namespace sac {

struct Options : spar::NetworkOptions {
  std::vector<int64_t> hidden_layers = {128, 128};
  std::optional<std::vector<int64_t>> actor_hidden_layers, critic_hidden_layers;
  double actor_lr = 3e-4;
  double critic_lr = 3e-4;
  double gamma = 0.99;
  double tau = 0.02;
  int64_t batch_size = 64;
  int64_t buffer_size = 1000000;
  int64_t warm_up = 0;
  int64_t update_freq = 1;
  int64_t number_updates = 1;
  double max_grad_norm_actor = 10;
  double max_grad_norm_critic = 10;
  double action_scale = 1;
  double alpha = 0.2;
  std::optional<double> alpha_lr;
  double max_grad_norm_alpha = 1;
  bool prioritized = true;
  double priority_alpha = 0.5;
  double priority_beta = 0.4;
  double priority_eps = 1e-6;
  std::string state_transform;
  std::string reward_transform;
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
        .real("tau", &O::tau, spar::above_up_to(0, 1), "soft copy: target += tau * (online - target) after each update")
        .integer("batch_size", &O::batch_size, spar::at_least(1), "transitions in one update")
        .integer("buffer_size", &O::buffer_size, spar::at_least(1), "transitions that the replay memory holds")
        .integer("warm_up", &O::warm_up, spar::at_least(0), "transitions of uniform actions before the first update")
        .integer("update_freq", &O::update_freq, spar::at_least(1), "transitions between two learning phases")
        .integer("number_updates", &O::number_updates, spar::at_least(1), "updates in one learning phase")
        .real("max_grad_norm_actor", &O::max_grad_norm_actor, spar::above(0),
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
              "largest norm of the gradient of log alpha")
        .boolean("prioritized", &O::prioritized, "prioritised replay; false = uniform")
        .real("priority_alpha", &O::priority_alpha, spar::between(0, 1), "exponent of the priorities")
        .real("priority_beta", &O::priority_beta, spar::between(0, 1),
              "exponent of the importance weights at the start; 1 at the end of the budget")
        .real("priority_eps", &O::priority_eps, spar::above(0), "added to |error|, so that nothing is lost for ever")
        .text("state_transform", &O::state_transform, {}, "of observations: scale(x), clip(x) or normalise")
        .text("reward_transform", &O::reward_transform, {}, "of rewards: scale(x), clip(x) or normalise");
    spar::add_network_options(s);
    return s;
  }();
  return instance;
}

}  // namespace sac
