// Where the parameters and activations of a network lie, and the way from there to the canonical order and back.
//
// A member of the ensemble is one block of floats; a layer in it is a weight block followed by a bias block, each a
// multiple of 16 floats. The sigmas of noisy layers follow in a second half of the block, each at the place of its
// mean. Canonical order, the one of read, write, checkpoints and hashes: member, layer, weight [out, in], bias [out];
// the trunk first, then each head. A noisy layer goes on with the sigmas of its weight and of its bias.
#pragma once

#include <cstddef>
#include <vector>

#include "core/nn/kernels.hpp"
#include "core/nn/spec.hpp"

namespace spar::nn {

struct Layer {
  size_t in, out;
  size_t in_stride, out_stride;  ///< of the rows of its input and output
  bool dots;                     ///< weight in dots, not in panels; output rows are compact
  size_t weight, bias;           ///< offsets in the member's block of parameters
  size_t transposed;             ///< offset in the member's block of transposed weights; unused by dots
  size_t index;                  ///< in canonical order
  size_t rows;                   ///< offset of its output in the member's block of activations
  bool last;                     ///< output layer of its branch: no activation function
  size_t noise;  ///< offset in the member's block of noise: [padded in] of eps_in, [padded out] of eps_out
  bool joined;   ///< weight and bias lie in the member's block of joined weights, see Layout::joined
};

struct Layout {
  explicit Layout(const Spec& spec);

  size_t input_stride = 0;
  std::vector<Layer> trunk;
  std::vector<std::vector<Layer>> heads;
  /// Dueling heads of one layer each, with outputs that are worth it: the one layer that gives V + A - mean_a A at
  /// once. Its weights are no parameters but made of theirs (core/nn/joined.hpp). Else empty.
  std::vector<std::vector<Layer>> joined;
  size_t parameters = 0;         ///< canonical, of one member
  size_t member = 0;             ///< floats of one member's parameters, padding included
  size_t member_rows = 0;        ///< floats of one member's activations
  size_t member_transposed = 0;  ///< floats of one member's transposed weights
  size_t widest = 0;             ///< longest row of activations or gradients
  size_t member_joined = 0;      ///< floats of one member's joined weights
  size_t layers = 0;
  size_t free_out = 0;      ///< length of a free vector, else 0
  size_t sigma = 0;         ///< from a mean to its sigma in a member's block of parameters; 0 without noisy layers
  size_t noise = 0;         ///< canonical numbers of one member's noise
  size_t member_noise = 0;  ///< floats of one member's noise, padding included

  /// What a pass goes through after the trunk.
  const std::vector<std::vector<Layer>>& branches() const { return joined.empty() ? heads : joined; }

  /// All layers with parameters, in canonical order.
  template <class Visit>
  void each_layer(Visit&& visit) const {
    for (const Layer& layer : trunk) visit(layer);
    for (const auto& head : heads)
      for (const Layer& layer : head) visit(layer);
  }
};

/// One member's parameters, gradients or moments; `canonical` has room for layout.parameters floats and need not be
/// aligned.
void to_canonical(const Layout& layout, const float* member, void* canonical);
void from_canonical(const Layout& layout, const void* canonical, float* member);

}  // namespace spar::nn
