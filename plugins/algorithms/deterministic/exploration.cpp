#include "exploration.hpp"

#include <algorithm>
#include <cmath>

namespace deterministic {

Exploration::Exploration(const Options& options, const spar_algo_setup& setup, int64_t n_actions)
    : scale_(options.noise_scale * (setup.actor + 1.0) / std::max(1U, setup.n_actors)),
      variance_(options.noise_sigma),
      normals_(static_cast<size_t>(n_actions)) {
  if (options.noise != "ou") return;
  const spar::rl::OrnsteinUhlenbeck::Options process{options.ou_theta, std::sqrt(variance_), 0, options.ou_dt};
  processes_.assign(setup.max_rows, spar::rl::OrnsteinUhlenbeck(normals_.size(), process));
}

void Exploration::add_to(const spar::Matrix<float>& action, const spar_act& how, const spar_batch& obs,
                         const spar::Context& ctx) {
  const double scale = std::isnan(how.epsilon) ? scale_ : how.epsilon;
  const auto first = spar::optional_column<uint8_t>(obs, "first");
  for (uint64_t i = 0; i < action.rows; ++i) {
    float* a = action.row(i);
    for (double& normal : normals_) normal = ctx.normal();
    if (processes_.empty()) {
      for (size_t j = 0; j < normals_.size(); ++j) a[j] = spar::rl::gaussian_noise(a[j], scale, variance_, normals_[j]);
      continue;
    }
    const uint64_t lane = obs.index ? obs.index[i] : i;
    if (lane >= processes_.size()) {
      throw spar::StatusError(SPAR_E_INVALID, "row " + std::to_string(i) + " belongs to lane " + std::to_string(lane) +
                                                  ", expected one below max_rows, which is " +
                                                  std::to_string(processes_.size()));
    }
    if (first.data && first(i)) processes_[lane].reset();
    const auto& x = processes_[lane].step(normals_);
    for (size_t j = 0; j < normals_.size(); ++j)
      a[j] = spar::rl::clamp_action(static_cast<float>(static_cast<double>(a[j]) + scale * x[j]));
  }
}

void Exploration::save(spar::StreamWriter& writer) const {
  writer.put<uint64_t>(processes_.size());
  for (const auto& process : processes_) writer.array(process.value());
}

void Exploration::load(spar::StreamReader& reader) {
  const auto lanes = reader.get<uint64_t>();
  if (lanes != processes_.size()) {
    throw spar::StatusError(SPAR_E_INVALID, "the saved state holds the noise of " + std::to_string(lanes) +
                                                " lanes, expected " + std::to_string(processes_.size()));
  }
  std::vector<double> x(normals_.size());
  for (auto& process : processes_) {
    reader.array(x);
    process.restore(x);
  }
}

}  // namespace deterministic
