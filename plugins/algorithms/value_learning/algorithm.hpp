// What DQN and Rainbow share: an online network and its target, exploration by epsilon or by noisy layers, replay,
// action masks, and the optimiser's step. What a network's outputs mean is the algorithm's own.
#pragma once

#include <vector>

#include "knobs.hpp"
#include "masks.hpp"
#include "spar/algorithm.hpp"
#include "spar/network.hpp"
#include "spar/rl/view.hpp"

namespace value_learning {

inline constexpr double kSigma0 = 0.5;  ///< of noisy layers (Fortunato et al. 2018; Hessel et al. 2018, table 1)
inline constexpr uint32_t kForget = 0, kKeep = 1;  ///< activation slots

class Algorithm : public spar::Algorithm {
 public:
  static constexpr const char* kServices[] = {SPAR_SVC_NN, SPAR_SVC_BUFFER, SPAR_SVC_EXEC, SPAR_SVC_RNG};
  static constexpr uint32_t kFlags = SPAR_ALGO_DISCRETE | SPAR_ALGO_HOSTED_NETWORKS | SPAR_ALGO_HONOURS_MASK;

  void needs(spar_needs& out) const;
  void save(spar::StreamWriter& writer) const;
  void load(spar::StreamReader& reader);

 protected:
  using Tensor = spar::TensorView<float>;
  using Floats = std::vector<float>;

  /// Networks "q" and its copy "q_target" with `atoms` outputs for each action. `name`: for messages. Throws
  /// SPAR_E_INVALID or SPAR_E_UNSUPPORTED for spaces and options that cannot be served.
  Algorithm(const char* name, const spar::Context& ctx, const Options& options, const spar_algo_setup& setup,
            int64_t atoms);

  /// Outputs of the online network for acting: with new noise where it explores, of the means everywhere else.
  void forward_to_act(const spar_act& how, const spar_batch& obs, Floats& y);
  /// Writes argmax_a q(s, a) over the allowed actions, or a random one with probability epsilon. q [rows, n] may be
  /// changed.
  void choose(const spar_act& how, const spar_batch& obs, Floats& q, spar_batch& out);

  spar::Sample sample() const;
  /// Noisy layers: other noise for each update, and another for the target (Fortunato et al. 2018, section 3.1).
  void resample() const;
  /// The importance weights of a batch; ones if the memory is uniform.
  spar::rl::View<const float> weights_of(const spar_batch& batch) const;
  /// Adam on the clipped gradient, then the target: softly with every update, or a hard copy now and then. Returns the
  /// norm before clipping.
  double descend();

  size_t n_outputs() const { return static_cast<size_t>(n_actions_ * atoms_); }
  /// [rows, outputs] over memory of the algorithm.
  Tensor tensor(Floats& v, uint64_t rows) const { return {v.data(), static_cast<int64_t>(rows), n_actions_ * atoms_}; }

  spar::Context ctx_;
  Options options_;
  int64_t n_actions_, atoms_;
  spar::Network online_, target_;
  spar::Metric loss_metric_, q_metric_, norm_metric_;

 private:
  double epsilon() const;

  spar::Adam adam_;
  Floats ones_;  // [batch]
  uint64_t updates_ = 0;
  spar::Metric epsilon_metric_;
};

}  // namespace value_learning
