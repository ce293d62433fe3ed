// Every knob of PPO: name, default, range, meaning.
#pragma once

#include "../common/transforms.hpp"
#include "spar/network_options.hpp"
#include "spar/schema.hpp"

namespace ppo {

struct Options : spar::NetworkOptions, common::TransformOptions {
  std::vector<int64_t> hidden_layers = {128, 128};
  std::optional<std::vector<int64_t>> actor_hidden_layers, critic_hidden_layers;
  bool shared_trunk = false;
  std::string activation = "tanh";
  bool orthogonal = true;
  double initial_log_std = 0;
  double actor_lr = 3e-4;
  double critic_lr = 1e-3;
  std::string lr_schedule = "constant";
  double gamma = 0.99;
  int64_t rollout_length = 48;
  std::optional<int64_t> batch_size;
  int64_t num_epochs = 1;
  int64_t actor_number_updates = 10;
  int64_t critic_number_updates = 10;
  double max_grad_norm_actor = 100;
  double max_grad_norm_critic = 100;
  bool using_gae = true;
  double gae_lambda = 0.96;
  double ppo_ratio_clip = 0.25;
  bool using_kl_div = false;
  double kl_beta = 1;
  std::optional<double> target_kl;
  double entropy_weight = 0.005;
  std::optional<double> value_clip;
  double value_weight = 0.5;
};

inline const spar::Schema<Options>& schema() {
  using O = Options;
  static const auto instance = [] {
    spar::Schema<O> s;
    s.integers("hidden_layers", &O::hidden_layers, spar::at_least(1), "widths of the hidden layers")
        .optional_integers("actor_hidden_layers", &O::actor_hidden_layers, spar::at_least(1),
                           "of the policy; left out: hidden_layers (shared_trunk: of its head, none)")
        .optional_integers("critic_hidden_layers", &O::critic_hidden_layers, spar::at_least(1),
                           "of the value function; left out: hidden_layers (shared_trunk: of its head, none)")
        .boolean("shared_trunk", &O::shared_trunk, "policy and value function share hidden_layers and every step")
        .text("activation", &O::activation, {"tanh", "relu"}, "of the hidden layers")
        .boolean("orthogonal", &O::orthogonal,
                 "orthogonal initialisation: gain sqrt(2), 0.01 for the policy's output, 1 for the value")
        .real("initial_log_std", &O::initial_log_std, spar::between(-10, 2),
              "log standard deviation of continuous actions at the start, in units of [-1, 1]")
        .real("actor_lr", &O::actor_lr, spar::above(0), "Adam step size of the policy", SPAR_PARAM_LOG_SCALE)
        .real("critic_lr", &O::critic_lr, spar::above(0),
              "Adam step size of the value function (shared_trunk: of no use)", SPAR_PARAM_LOG_SCALE)
        .text("lr_schedule", &O::lr_schedule, {"constant", "linear"}, "linear: both fall to 0 at the end of the budget")
        .real("gamma", &O::gamma, spar::above_up_to(0, 1), "discount of one step")
        .integer("rollout_length", &O::rollout_length, spar::at_least(1),
                 "steps of every environment copy in one learning phase")
        .optional_integer("batch_size", &O::batch_size, spar::at_least(1),
                          "transitions in one minibatch; left out: rollout_length")
        .integer("num_epochs", &O::num_epochs, spar::at_least(1), "passes over the rollout in one learning phase")
        .integer("actor_number_updates", &O::actor_number_updates, spar::at_least(1), "policy steps on each minibatch")
        .integer("critic_number_updates", &O::critic_number_updates, spar::at_least(1), "value steps on each minibatch")
        .real("max_grad_norm_actor", &O::max_grad_norm_actor, spar::above(0),
              "largest global norm of the policy's gradient")
        .real("max_grad_norm_critic", &O::max_grad_norm_critic, spar::above(0),
              "largest global norm of the value function's gradient (shared_trunk: of no use)")
        .boolean("using_gae", &O::using_gae, "generalised advantages; false: discounted returns minus V (lambda = 1)")
        .real("gae_lambda", &O::gae_lambda, spar::between(0, 1), "decay of the advantages' trace")
        .real("ppo_ratio_clip", &O::ppo_ratio_clip, spar::above(0), "largest |pi / pi_old - 1| that still pays")
        .boolean("using_kl_div", &O::using_kl_div, "a penalty on KL(pi_old || pi) instead of the clipped ratio")
        .real("kl_beta", &O::kl_beta, spar::above(0),
              "weight of that penalty at the start; doubled or halved after each phase where target_kl is set")
        .optional_real("target_kl", &O::target_kl, spar::above(0),
                       "no more policy steps in a phase once KL > 1.5 target_kl; left out: no limit")
        .real("entropy_weight", &O::entropy_weight, spar::at_least(0), "weight of the entropy bonus")
        .optional_real("value_clip", &O::value_clip, spar::above(0),
                       "how far a value may move in one phase and still pay; left out: any way")
        .real("value_weight", &O::value_weight, spar::above(0),
              "weight of the value loss beside the policy's (shared_trunk)");
    common::add_transform_options(s);
    spar::add_network_options(s);
    return s;
  }();
  return instance;
}

}  // namespace ppo
