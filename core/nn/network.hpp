// One network: its parameters, what forward keeps for backward, and the two passes. It is what a plugin's spar_net*
// points to.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/nn/aligned.hpp"
#include "core/nn/kernels.hpp"
#include "core/nn/layout.hpp"
#include "core/nn/noise.hpp"
#include "core/nn/spec.hpp"
#include "core/nn/tensors.hpp"
#include "core/rng/philox.hpp"

namespace spar::nn {

class NetworkSet;

/// Flat vectors of all members, each `layout.member` floats, padding zero.
struct Parameters {
  Floats values, gradients, moment1, moment2;
  uint64_t steps = 0;    ///< optimiser steps taken
  uint64_t version = 1;  ///< grows with every change of the values
};

class Network {
 public:
  /// Allocates everything that forward, backward and update will need. `noise`: what noisy layers draw from.
  Network(NetworkSet& owner, Spec spec, Philox random, Philox noise);
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  const std::string& name() const { return spec_.name; }
  const Spec& spec() const { return spec_; }
  const Layout& layout() const { return layout_; }
  /// Spec::shape(): networks of equal shape hold the same parameters at the same offsets.
  const std::string& shape() const { return shape_; }
  NetworkSet& owner() { return owner_; }
  size_t parameter_count() const { return spec_.ensemble * layout_.parameters; }

  /// The functions of spar_svc_nn; they throw Error E0901, E0902 or E0903. No allocation unless they throw.
  void forward(uint32_t slot, uint32_t flags, const spar_tensor* const* x, const spar_tensor* y);
  void backward(uint32_t slot, const spar_tensor* dy, spar_tensor* const* dx, uint32_t what);
  void resample();
  uint64_t bytes(uint32_t what) const;  ///< 0 for what there is not
  void read(uint32_t what, void* dst, uint64_t bytes) const;
  void write(uint32_t what, const void* src, uint64_t bytes);

  Parameters& parameters() { return parameters_; }
  const Parameters& parameters() const { return parameters_; }
  /// Of noisy layers; nullptr if there are none.
  const Noise* noise() const { return noise_ ? &*noise_ : nullptr; }
  /// Noise and generator as they were saved; only where there is noise.
  void restore_noise(const Philox::State& generator, std::span<const float> drawn);

 private:
  struct Slot {
    Floats input;  ///< [members or 1][rows][input_stride]
    Floats rows;   ///< outputs of all layers, member after member
    size_t count = 0;
    uint64_t version = 0;             ///< of the values that forward used; 0: empty
    bool member_input = false;        ///< another input for each member
    bool quiet = true;                ///< the means were used, not the noisy weights
    std::vector<uint8_t> per_member;  ///< by input
  };

  std::string place() const;
  const Floats* vector_of(uint32_t what) const;
  Floats* vector_of(uint32_t what);

  size_t take_input(Slot& slot, const spar_tensor* const* x);
  void pack_input(Slot& slot, size_t members);
  void forward_member(const Kernels& kernel, Slot& slot, uint32_t slot_index, size_t member);
  void put_output(Slot& slot, uint32_t slot_index, size_t member, std::byte* y) const;
  void forward_free(Slot& slot, const spar_tensor* y);

  void backward_member(const Kernels& kernel, Slot& slot, size_t member, const std::byte* dy, bool params, bool input);
  void take_output_gradient(size_t head, size_t rows, const std::byte* dy, float* d) const;
  void weight_gradient(const Kernels& kernel, const Slot& slot, const Layer& layer, size_t member, const float* x,
                       const float* dy);
  void input_gradient(const Kernels& kernel, const Slot& slot, const Layer& layer, size_t member, const float* dy,
                      float* dx, Into into, const float* activation);
  void derivative(const Kernels& kernel, size_t n, const float* y, float* d, bool masked) const;
  void put_input_gradient(const Slot& slot, size_t member, bool all_members);
  void backward_free(const Slot& slot, const std::byte* dy);

  const float* weights_of(const Slot& slot, size_t member) const;
  float* rows_of(Slot& slot, uint32_t slot_index, size_t member) const;
  float* input_of(Slot& slot, size_t member) const;

  NetworkSet& owner_;
  Spec spec_;
  std::string shape_;
  Layout layout_;
  Parameters parameters_;
  std::optional<Noise> noise_;
  std::vector<Slot> slots_;                   ///< slot 0 serves every forward that keeps nothing, one member at a time
  Floats transposed_;                         ///< weights turned for input gradients, member after member
  std::vector<uint64_t> transposed_version_;  ///< by member and layer; of the weights that were turned
  Floats gradient_rows_[3];                   ///< gradients with respect to activations, while backward runs
  Floats input_gradient_, input_gradient_sum_;
  std::vector<View> views_;  ///< of the inputs, while a pass runs
  std::vector<int64_t> out_shape_;
};

/// What crosses the border.
inline spar_net* handle_of(Network& network) { return reinterpret_cast<spar_net*>(&network); }
inline Network& network_of(spar_net* handle) { return *reinterpret_cast<Network*>(handle); }
inline const Network& network_of(const spar_net* handle) { return *reinterpret_cast<const Network*>(handle); }

}  // namespace spar::nn
