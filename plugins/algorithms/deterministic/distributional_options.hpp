// What D3PG and D4PG add to the knobs of all deterministic actor-critics, with their documented defaults.
#pragma once

#include "shared_options.hpp"

namespace deterministic {

struct DistributionalOptions : Options {
  DistributionalOptions() {
    hidden_layers = {128, 128};
    tau = 0.02;
    max_grad_norm_actor = max_grad_norm_critic = 100;
    prioritized = true;
  }
  int64_t n_steps = 3;
  double v_min = -10;
  double v_max = 10;
  int64_t num_atoms = 51;
  double action_scale = 1;
};

/// Adds all knobs to the schema of `O`, which derives from DistributionalOptions.
template <class O>
void add_distributional_options(spar::Schema<O>& s) {
  add_options(s);
  s.integer("n_steps", &O::n_steps, spar::at_least(1), "length of the n-step return")
      .real("v_min", &O::v_min, spar::any_number(), "smallest return that the critic can express")
      .real("v_max", &O::v_max, spar::any_number(), "largest return that the critic can express")
      .integer("num_atoms", &O::num_atoms, spar::at_least(2), "atoms between v_min and v_max, both included")
      .real("action_scale", &O::action_scale, spar::above_up_to(0, 1),
            "multiplies the policy's output: the share of the box, around its middle, that it uses");
}

}  // namespace deterministic
