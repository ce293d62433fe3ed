// Networks of the host's own kernels: parameters, what forward keeps for backward, and the two passes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/nn/aligned.hpp"
#include "core/nn/joined.hpp"
#include "core/nn/kernels.hpp"
#include "core/nn/layout.hpp"
#include "core/nn/network.hpp"
#include "core/nn/noise.hpp"
#include "core/nn/share.hpp"

namespace spar::nn {

/// Flat vectors of all members, each `layout.member` floats, padding zero.
struct Parameters {
  Floats values, gradients, moment1, moment2;
  std::vector<double> squares;  ///< of the gradients, by block of kSquareBlock, while their norm is taken
  uint64_t steps = 0;           ///< optimiser steps taken
  /// No backward since the last step: every gradient counts as zero, whatever lies there, and the next one overwrites.
  bool no_gradients = true;
  bool no_moments = true;  ///< no step was taken and none were written: both are zero, and nobody touched their pages

  /// The gradients, which are zero where there are none.
  Floats& summed_gradients() {
    if (no_gradients) std::fill(gradients.begin(), gradients.end(), 0.0f);
    no_gradients = false;
    return gradients;
  }
};

class NativeNetwork : public Network {
 public:
  /// Allocates everything that forward, backward and update will need. `noise`: what noisy layers draw from.
  NativeNetwork(NetworkSet& owner, Spec spec, Philox random, Philox noise);

  size_t parameter_count() const override { return spec().ensemble * layout_.parameters; }
  size_t noise_count() const override { return noise_ ? noise_->drawn().size() : 0; }
  Philox::State noise_generator() const override { return noise_->generator(); }
  bool take_values(const Network& other) override;

  Parameters& parameters() { return parameters_; }
  const Parameters& parameters() const { return parameters_; }

 private:
  struct Slot {
    Floats input;       ///< [members or 1][rows][input_stride]
    Floats rows;        ///< outputs of all layers, member after member
    bool apart = true;  ///< every member has rows of its own
    size_t count = 0;
    bool member_input = false;  ///< another input for each member
    bool quiet = true;          ///< the means were used, not the noisy weights
  };

  void run_forward(const Pass& pass, const spar_tensor* const* x, const spar_tensor& y, std::byte* out) override;
  void run_backward(const Pass& pass, const spar_tensor& dy, const std::byte* gradient, spar_tensor* const* dx,
                    uint32_t what) override;
  void draw_noise() override { noise_->draw(layout_); }
  void restore_generator(const Philox::State& generator) override { noise_->restore(generator); }
  void read_numbers(uint32_t what, void* dst) const override;
  void write_numbers(uint32_t what, const void* src) override;

  const Floats* vector_of(uint32_t what) const;
  Floats* vector_of(uint32_t what);

  /// What a backward pass of one member writes on its way.
  struct Scratch {
    Floats rows[3];  ///< gradients with respect to activations
    Floats input;    ///< and to the input
  };
  /// One layer of a backward pass: from dy, the gradient of its output, to those of its parameters and of its input.
  struct LayerStep {
    const Layer& layer;
    size_t member;
    const float *x, *dy;
    bool params;
    float* dx;  ///< nullptr: not wanted
    Into into;
  };

  /// How many threads a pass or a product is worth; `whole_members`: each thread takes members with all their rows.
  size_t threads_for(size_t rows, size_t multiply_adds, bool whole_members = false) const;
  /// A pass in which every thread takes whole members; 1: it is not to be shared out in this way.
  size_t threads_for_members(size_t rows) const;

  void pack_input(Slot& slot, size_t members);
  void forward_rows(const Kernels& kernel, Slot& slot, size_t member, size_t from, size_t end);
  void put_output(Slot& slot, size_t member, std::byte* y);
  void forward_free(size_t rows, std::byte* out) const;

  void backward_member(const Kernels& kernel, Slot& slot, Scratch& scratch, size_t member, const std::byte* dy,
                       bool params, bool input);
  void backward_layer(const Kernels& kernel, const Slot& slot, const LayerStep& step);
  void take_output_gradient(size_t head, size_t rows, const std::byte* dy, float* d);
  void weight_gradient(const Kernels& kernel, const Slot& slot, const LayerStep& step, Share share);
  const float* transposed(const Kernels& kernel, const Slot& slot, const LayerStep& step, size_t share);
  void input_gradient(const Kernels& kernel, const Slot& slot, const LayerStep& step, Share share);
  void derivative(const Kernels& kernel, size_t n, const float* y, float* d) const;
  void put_input_gradient(const Slot& slot, const Floats& from, size_t member, bool all_members);
  void backward_free(size_t rows, const std::byte* dy);

  /// Which weights a pass uses: means and noisy weights take turns.
  uint64_t weights_version(const Slot& slot) const { return 2 * version() + (slot.quiet ? 0 : 1); }
  void join_heads(const Kernels& kernel, const Slot& slot);
  const float* weights_of(const Slot& slot, size_t member) const;
  const float* weights_of(const Slot& slot, size_t member, const Layer& layer) const;
  float* rows_of(Slot& slot, size_t member) const;
  float* input_of(Slot& slot, size_t member) const;

  Layout layout_;
  Parameters parameters_;
  std::optional<Noise> noise_;
  std::optional<Joined> joined_;
  std::vector<Slot> slots_;                   ///< slot 0 serves every forward that keeps nothing
  Floats transposed_;                         ///< weights turned for input gradients, by share and member
  std::vector<uint64_t> transposed_version_;  ///< by share, member and layer; of the weights that were turned
  std::vector<Scratch> scratch_;              ///< one, or one for each member where members run at the same time
  Floats input_gradient_sum_;
};

}  // namespace spar::nn
