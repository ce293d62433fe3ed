// The noise that a deterministic policy explores with: added to actions in [-1, 1] after the squash, then clamped.
#pragma once

#include <vector>

#include "shared_options.hpp"
#include "spar/algorithm.hpp"
#include "spar/rl/noise.hpp"

namespace deterministic {

class Exploration {
 public:
  /// Acting copy i of k explores with noise_scale (i + 1) / k, so that parallel actors differ and a single one has the
  /// documented scale. An Ornstein-Uhlenbeck process is one for each lane (environment copy) below setup.max_rows.
  Exploration(const Options& options, const spar_algo_setup& setup, int64_t n_actions);

  /// action: [rows, n_actions], in place. Throws SPAR_E_INVALID if a lane is out of range.
  void add_to(const spar::Matrix<float>& action, const spar_act& how, const spar_batch& obs, const spar::Context& ctx);

  void save(spar::StreamWriter& writer) const;
  void load(spar::StreamReader& reader);

 private:
  double scale_, variance_;
  std::vector<double> normals_;                         // [n_actions]
  std::vector<spar::rl::OrnsteinUhlenbeck> processes_;  // [lanes], before the scale; empty for independent draws
};

}  // namespace deterministic
