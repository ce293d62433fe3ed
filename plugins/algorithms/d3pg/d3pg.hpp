// Distributed distributional deterministic policy gradient with one actor: DDPG with a categorical critic, n-step
// returns and prioritised replay (Barth-Maron et al. 2018, without the parallel actors).
#pragma once

#include "../deterministic/distributional.hpp"
#include "options.hpp"

namespace d3pg {

class D3pg : public deterministic::Distributional {
 public:
  static constexpr const char *id = "org.spar.d3pg", *version = "1.0.0",
                              *title = "Distributional deterministic policy gradient";
  static constexpr const char* doc =
      "Deterministic actor-critic for continuous actions with a categorical critic, n-step returns and prioritised "
      "replay; one actor.";
  static const spar::Schema<Options>& schema() { return d3pg::schema(); }

  D3pg(const spar::Context& ctx, const Options& options, const spar_algo_setup& setup)
      : Distributional(ctx, "D3PG", options, setup) {}
};

}  // namespace d3pg
