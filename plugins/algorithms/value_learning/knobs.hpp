// The knobs that DQN and Rainbow share: name, default, range, meaning. An algorithm derives its own options from these.
#pragma once

#include "../common/replay.hpp"
#include "../common/transforms.hpp"
#include "spar/network_options.hpp"
#include "spar/schema.hpp"

namespace value_learning {

struct Options : spar::NetworkOptions, common::ReplayOptions, common::TransformOptions {
  Options() {
    batch_size = 80;
    buffer_size = 100000;
  }
  std::vector<int64_t> hidden_layers = {64, 64};
  double lr = 3e-4;
  double gamma = 0.99;
  double tau = 0.002;
  int64_t target_update_every = 0;
  double max_grad_norm = 10;
  bool using_double_q = true;
  bool dueling = true;
  bool noisy = false;
  int64_t n_steps = 3;
  double epsilon_start = 1.0;
  double epsilon_end = 0.05;
  double epsilon_decay = 0.1;
};

/// A schema with the shared knobs of O, which derives from Options; the defaults are those of O{}.
template <class O>
spar::Schema<O> schema() {
  spar::Schema<O> s;
  s.integers("hidden_layers", &O::hidden_layers, spar::at_least(1), "widths of the hidden layers")
      .real("lr", &O::lr, spar::above(0), "Adam step size", SPAR_PARAM_LOG_SCALE)
      .real("gamma", &O::gamma, spar::above_up_to(0, 1), "discount of one step")
      .real("tau", &O::tau, spar::above_up_to(0, 1), "soft copy: target += tau * (online - target) after each update")
      .integer("target_update_every", &O::target_update_every, spar::at_least(0),
               "hard copy of the target every so many updates instead of tau; 0 = soft copy");
  common::add_replay_options(s);
  s.real("max_grad_norm", &O::max_grad_norm, spar::above(0), "largest global norm of the gradient")
      .boolean("using_double_q", &O::using_double_q, "the online network chooses the next action, the target values it")
      .boolean("dueling", &O::dueling, "Q = V + A - mean_a A from two heads")
      .boolean("noisy", &O::noisy, "factorised noisy layers explore; epsilon is 0 then")
      .integer("n_steps", &O::n_steps, spar::at_least(1), "length of the n-step return");
  common::add_priority_options(s, "alpha", "beta", "the error");
  s.real("epsilon_start", &O::epsilon_start, spar::between(0, 1),
         "probability of a random action at the start, without noisy layers")
      .real("epsilon_end", &O::epsilon_end, spar::between(0, 1), "probability of a random action after the decay")
      .real("epsilon_decay", &O::epsilon_decay, spar::between(0, 1),
            "fraction of the step budget in which epsilon falls");
  common::add_transform_options(s);
  spar::add_network_options(s);
  return s;
}

}  // namespace value_learning
