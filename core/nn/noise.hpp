// Factorised noise of noisy layers (Fortunato et al., "Noisy networks for exploration", 2018, section 3):
// y = (W + sigma_W * eps_W) x + b + sigma_b * eps_b with eps_W = f(eps_out) f(eps_in)^T, eps_b = f(eps_out),
// f(x) = sgn(x) sqrt|x| and eps_in, eps_out standard normal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/nn/aligned.hpp"
#include "core/nn/kernels.hpp"
#include "core/nn/layout.hpp"
#include "core/rng/philox.hpp"

namespace spar::nn {

class Noise {
 public:
  /// Allocates what every call will need and draws the first noise.
  Noise(const Layout& layout, size_t members, Philox random);

  /// New eps_in and eps_out for all layers.
  void draw(const Layout& layout);
  /// `drawn` in canonical order; it need not be aligned.
  void set(const Layout& layout, const void* drawn);
  void restore(const Philox::State& generator) { random_.restore(generator); }

  /// Standard normal numbers in canonical order: member, layer, eps_in [in], eps_out [out].
  std::span<const float> drawn() const { return drawn_; }
  const Philox::State& generator() const { return random_.state(); }

  /// Forms the noisy weights and biases of all members out of `values` (whose version is given), unless it has; not
  /// those of joined heads, which are formed as they are joined.
  void apply(const Kernels& kernel, const Layout& layout, const Floats& values, uint64_t version);
  /// f of the noise of one member, by Layer::noise.
  const float* shaped(const Layout& layout, size_t member) const {
    return shaped_.data() + member * layout.member_noise;
  }
  /// Noisy weights and biases of one member; a layer lies where its means lie in the member's parameters.
  const float* weights(const Layout& layout, size_t member) const { return weights_.data() + member * layout.sigma; }

  /// Room for the gradient of one layer's noisy weights, laid out like weights().
  float* gradient() { return gradient_.data(); }
  /// From the gradient of the noisy weights of `layer` to `parameters`, the member's gradients of means and sigmas. To
  /// be added it lies in gradient(), to be stored where the means have theirs.
  void spread_gradient(const Kernels& kernel, const Layout& layout, const Layer& layer, size_t member,
                       float* parameters, Into into) const;

 private:
  void shape(const Layout& layout);

  size_t members_;
  Philox random_;
  std::vector<float> drawn_;
  Floats shaped_;  ///< f of drawn_, padded with zeros: by member and Layer::noise
  Floats weights_;
  uint64_t version_ = 0;  ///< of the values that weights_ were formed from; 0: none
  Floats gradient_;
};

}  // namespace spar::nn
