// One network: flat vectors of parameters, gradients and moments, the model that reads them, and what forward keeps.
#pragma once

#include <torch/types.h>

#include <memory>
#include <vector>

#include "model.hpp"
#include "plan.hpp"
#include "spar/abi/nn.h"

namespace torch_backend {

class Network {
 public:
  Network(Plan plan, at::Device device);

  const Plan& plan() const { return plan_; }

  /// The functions of spar_svc_nn. The host has checked the arguments.
  void forward(uint32_t slot, uint32_t flags, const spar_tensor* const* x, const spar_tensor& y);
  void backward(uint32_t slot, const spar_tensor& dy, spar_tensor* const* dx, uint32_t what);
  uint64_t bytes(uint32_t what) const;
  void read(uint32_t what, void* dst, uint64_t bytes) const;
  void write(uint32_t what, const void* src, uint64_t bytes);

  at::Tensor values, gradients, moment1, moment2;  ///< flat, canonical order
  uint64_t steps = 0;                              ///< optimiser steps taken

 private:
  struct Slot {
    std::vector<at::Tensor> x;
    at::Tensor y;
  };

  void check_bytes(uint32_t what, uint64_t found) const;
  at::Tensor flat(uint32_t what) const;
  at::Tensor take_input(const Input& input, const spar_tensor& x, bool keep) const;

  Plan plan_;
  at::Device device_;
  std::unique_ptr<Model> model_;
  std::vector<int64_t> offsets_;  ///< of the model's parameters in the flat vectors
  at::Tensor noise_;              ///< flat
  std::vector<Slot> slots_;
};

/// One step over several networks, as spar_update says. Returns the norm before clipping.
double update(const std::vector<Network*>& nets, const std::vector<Network*>& targets, const spar_update& step);

/// dst += tau * (src - dst)
void blend(Network& dst, const Network& src, double tau);

}  // namespace torch_backend
