// Dueling heads as one layer. V + A - mean_a A (Wang et al., "Dueling network architectures for deep reinforcement
// learning", 2016, eq. 9) is linear in what both heads see, so instead of their outputs, for every row of a batch,
// their weights can be joined, once for every change of them: the products of a batch have no columns for the values
// then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/nn/aligned.hpp"
#include "core/nn/kernels.hpp"
#include "core/nn/layout.hpp"
#include "core/nn/noise.hpp"

namespace spar::nn {

class Joined {
 public:
  /// For a layout with a joined layer. Allocates what every call will need.
  Joined(const Layout& layout, size_t atoms, size_t members);

  /// Forms the joined weights and biases of `member` out of its parameters, perturbed if there is noise, unless it has
  /// those of `version`.
  void apply(const Kernels& kernel, const Layout& layout, size_t member, const float* parameters, const Noise* noise,
             uint64_t version);
  /// Of one member, the joined layer at its offsets.
  const float* weights(const Layout& layout, size_t member) const {
    return weights_.data() + member * layout.member_joined;
  }

  /// Room for the gradient of the joined layer of one member, laid out like weights().
  float* gradient() { return gradient_.data(); }
  /// From there to the gradients of both heads, where they lie in a member's block `to`: stored or added.
  void part_gradient(const Kernels& kernel, const Layout& layout, float* to, Into into);

 private:
  size_t atoms_, actions_;
  Floats weights_, gradient_;
  std::vector<uint64_t> versions_;        ///< by member
  Floats values_, advantages_, outputs_;  ///< some rows of weights, made whole
};

}  // namespace spar::nn
