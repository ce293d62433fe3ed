// A network that a backend computes. What decides its numbers stays with the host: initial values, noise, checkpoints.
#pragma once

#include <memory>

#include "core/nn/backend.hpp"
#include "core/nn/network.hpp"

namespace spar::nn {

class BackendNetwork : public Network {
 public:
  /// Creates it in `backend`, from the specification that `spec` was read from, and writes the same initial values and
  /// noise that the host's own kernels would start with; a TorchScript module starts as it is in its file. Throws what
  /// the backend refuses.
  BackendNetwork(NetworkSet& owner, Spec spec, Backend& backend, const spar_net_spec& source, Philox random,
                 Philox noise);

  Backend* backend() const override { return &backend_; }
  spar_net* handle() const { return handle_.get(); }  ///< the backend's
  size_t parameter_count() const override { return parameters_; }
  size_t noise_count() const override { return noise_.size(); }
  Philox::State noise_generator() const override { return random_.state(); }

 private:
  void run_forward(const Pass& pass, const spar_tensor* const* x, const spar_tensor& y, std::byte* out) override;
  void run_backward(const Pass& pass, const spar_tensor& dy, const std::byte* gradient, spar_tensor* const* dx,
                    uint32_t what) override;
  void draw_noise() override;
  void restore_generator(const Philox::State& generator) override { random_.restore(generator); }
  void read_numbers(uint32_t what, void* dst) const override;
  void write_numbers(uint32_t what, const void* src) override;

  void write_initial_values(Philox& random);

  struct Destroy {
    const spar_svc_nn* table;
    void operator()(spar_net* net) const { table->destroy(net); }
  };

  Backend& backend_;
  std::unique_ptr<spar_net, Destroy> handle_;
  size_t parameters_ = 0;
  Philox random_;             ///< what noise is drawn from
  std::vector<float> noise_;  ///< in canonical order
};

/// Throws what a function of a backend's table reported.
void check_backend(const Backend& backend, spar_status status, const spar_error& error);

}  // namespace spar::nn
