// One network, whoever computes it: what a plugin's spar_net* points to. Arguments are checked here, so that every
// backend refuses the same mistakes in the same words.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/nn/spec.hpp"
#include "core/nn/tensors.hpp"
#include "core/rng/philox.hpp"

namespace spar::nn {

class Backend;
class NetworkSet;

class Network {
 public:
  virtual ~Network() = default;
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  const std::string& name() const { return spec_.name; }
  const Spec& spec() const { return spec_; }
  /// Spec::shape(): networks of equal shape hold the same parameters in the same canonical order, on every backend.
  const std::string& shape() const { return shape_; }
  NetworkSet& owner() const { return owner_; }
  /// Where it is computed; nullptr: by the host's own kernels.
  virtual Backend* backend() const { return nullptr; }

  virtual size_t parameter_count() const = 0;  ///< of all members
  virtual size_t noise_count() const = 0;      ///< numbers of SPAR_NET_NOISE; 0 without noisy layers

  /// The functions of spar_svc_nn; they throw Error E0901, E0902 or E0903 for what the caller did wrong.
  void forward(uint32_t slot, uint32_t flags, const spar_tensor* const* x, const spar_tensor* y);
  void backward(uint32_t slot, const spar_tensor* dy, spar_tensor* const* dx, uint32_t what);
  void resample();
  uint64_t bytes(uint32_t what) const;  ///< 0 for what there is not
  void read(uint32_t what, void* dst, uint64_t bytes) const;
  void write(uint32_t what, const void* src, uint64_t bytes);

  /// Where the noise comes from, and both as they were saved; only where there is noise.
  virtual Philox::State noise_generator() const = 0;
  void restore_noise(const Philox::State& generator, std::span<const float> drawn);

  /// The values of a network of the same shape become this one's, in place; false: it is computed elsewhere.
  virtual bool take_values(const Network&) { return false; }

  /// The values or the noise changed: activations of before are no longer good for backward.
  void changed() { ++version_; }

 protected:
  /// A forward that was checked, kept for the backward from its slot.
  struct Pass {
    uint32_t slot = 0;
    size_t rows = 0;
    bool quiet = false;               ///< noisy layers use their means
    bool member_input = false;        ///< another input for each member
    std::vector<uint8_t> per_member;  ///< by input: it has the ensemble dimension
    uint64_t version = 0;             ///< of the values that forward used; 0: nothing is kept
  };

  Network(NetworkSet& owner, Spec spec);

  /// views() are the inputs.
  virtual void run_forward(const Pass& pass, const spar_tensor* const* x, const spar_tensor& y, std::byte* out) = 0;
  /// views() are the wanted input gradients; data nullptr: not wanted.
  virtual void run_backward(const Pass& pass, const spar_tensor& dy, const std::byte* gradient, spar_tensor* const* dx,
                            uint32_t what) = 0;
  virtual void draw_noise() = 0;
  virtual void restore_generator(const Philox::State& generator) = 0;
  /// VALUES .. NOISE, with memory for bytes(what).
  virtual void read_numbers(uint32_t what, void* dst) const = 0;
  virtual void write_numbers(uint32_t what, const void* src) = 0;

  void set_shape(std::string shape) { shape_ = std::move(shape); }
  std::string place() const;
  const std::vector<View>& views() const { return views_; }
  uint64_t version() const { return version_; }

 private:
  void take_input(Pass& pass, const spar_tensor* const* x);
  void take_input_gradients(const Pass& pass, spar_tensor* const* dx);
  void check_rows(size_t rows) const;

  NetworkSet& owner_;
  Spec spec_;
  std::string shape_;
  uint64_t version_ = 1;  ///< grows with every change of the values
  std::vector<Pass> passes_;
  std::vector<View> views_;  ///< of inputs or of their gradients, while a pass runs
  std::vector<int64_t> out_shape_;
};

/// What crosses the border.
inline spar_net* handle_of(Network& network) { return reinterpret_cast<spar_net*>(&network); }
inline Network& network_of(spar_net* handle) { return *reinterpret_cast<Network*>(handle); }
inline const Network& network_of(const spar_net* handle) { return *reinterpret_cast<const Network*>(handle); }

}  // namespace spar::nn
