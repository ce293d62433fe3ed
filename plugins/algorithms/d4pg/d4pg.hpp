// Distributed distributional deterministic policy gradient (Barth-Maron et al., "Distributed distributional
// deterministic policy gradients", 2018): a categorical critic, n-step returns, prioritised replay, parallel actors.
#pragma once

#include "../deterministic/distributional.hpp"
#include "options.hpp"

namespace d4pg {

class D4pg : public deterministic::Distributional {
 public:
  static constexpr const char *id = "org.spar.d4pg", *version = "1.0.0",
                              *title = "Distributed distributional deterministic policy gradient";
  static constexpr const char* doc =
      "Deterministic actor-critic for continuous actions with a categorical critic, n-step returns, prioritised replay "
      "and parallel actors, each with its own copy of the policy and its own exploration.";
  static const spar::Schema<Options>& schema() { return d4pg::schema(); }

  D4pg(const spar::Context& ctx, const Options& options, const spar_algo_setup& setup)
      : Distributional(ctx, "D4PG", options, setup), num_workers_(options.num_workers) {}

  void needs(spar_needs& out) const {
    Distributional::needs(out);
    out.actors = static_cast<uint32_t>(num_workers_);
  }

 private:
  int64_t num_workers_;
};

}  // namespace d4pg
