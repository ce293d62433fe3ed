// Networks of the host as differentiable functions of LibTorch: the loss is written with tensors, forward and backward
// of the network are the host's, and so are parameters, optimiser and checkpoints. Needs LibTorch as spar/torch.hpp
// does.
//
//   const spar::TorchNetwork q(online, spec), frozen(target, spec);          spec.slots >= 1
//   torch::Tensor y;
//   {
//     const torch::NoGradGuard guard;
//     y = reward + discount * std::get<0>(frozen.forward(0, {next_obs}).max(1));
//   }
//   const auto value = q.forward(1, {obs}).gather(1, action).squeeze(1);
//   torch::smooth_l1_loss(value, y).backward();                              adds to the gradients that the host keeps
//   adam.step(ctx, online, &target, tau);
#pragma once

#include <torch/autograd.h>

#include <array>
#include <memory>
#include <vector>

#include "spar/network.hpp"
#include "spar/torch.hpp"

namespace spar {

namespace detail {

/// The forward whose activations a slot keeps.
struct TorchPass {
  const Network* net = nullptr;
  uint32_t slot = 0;
  bool params = false;  ///< are gradients of the parameters wanted?
  int64_t members = 1, numbers = 1;
  int64_t serial = 0;   ///< of the forward; 0 when its backward was made
  size_t row_dims = 1;  ///< dimensions of one row of the first input

  ::torch::Tensor run(::at::TensorList x) const {
    if (x.empty() || x.size() > 8)
      throw StatusError(SPAR_E_INVALID, "a network takes 1 to 8 inputs, found " + std::to_string(x.size()));
    std::array<::torch::Tensor, 8> kept;  // until the host has read them
    std::array<spar_tensor, 8> views{};
    std::array<const spar_tensor*, 8> inputs{};
    for (size_t i = 0; i < x.size(); ++i) {
      kept[i] = x[i].contiguous();
      views[i] = view(kept[i]);
      inputs[i] = &views[i];
    }
    const bool each_member = static_cast<size_t>(x[0].dim()) > row_dims + 1;
    const int64_t rows = x[0].dim() > (each_member ? 1 : 0) ? x[0].size(each_member ? 1 : 0) : 0;
    const ::torch::Tensor y = ::torch::empty({members, rows, numbers}, ::torch::kFloat32);
    spar_tensor out = view(y);
    spar_error error = fresh_error();
    check(net->service().forward(net->handle(), slot, 0, inputs.data(), &out, &error), error);
    return members == 1 ? y.squeeze(0) : y;
  }
};

struct TorchFunction : ::torch::autograd::Function<TorchFunction> {
  /// `anchor` wants a gradient, so that backward is called also if no input does.
  static ::torch::Tensor forward(::torch::autograd::AutogradContext* ctx, ::at::TensorList x,
                                 const ::torch::Tensor& /*anchor*/, TorchPass* pass, int64_t serial) {
    ctx->saved_data["pass"] = reinterpret_cast<int64_t>(pass);
    ctx->saved_data["serial"] = serial;
    std::vector<::torch::Tensor> inputs(x.begin(), x.end());
    ctx->save_for_backward(std::move(inputs));
    return pass->run(x);
  }

  static ::torch::autograd::variable_list backward(::torch::autograd::AutogradContext* ctx,
                                                   ::torch::autograd::variable_list dy) {
    auto& pass = *reinterpret_cast<TorchPass*>(ctx->saved_data["pass"].toInt());
    if (pass.serial != ctx->saved_data["serial"].toInt())
      throw StatusError(SPAR_E_STATE, "slot " + std::to_string(pass.slot) +
                                          " does not keep this forward any more: one backward for each forward, before "
                                          "the next one into its slot");
    pass.serial = 0;
    const auto x = ctx->get_saved_variables();
    ::torch::autograd::variable_list dx(x.size() + 3);  // one for each argument of forward
    if (!dy[0].defined()) return dx;
    const ::torch::Tensor slope = dy[0].contiguous().view({pass.members, -1, pass.numbers});
    const spar_tensor given = view(slope);
    std::array<spar_tensor, 8> views{};
    std::array<spar_tensor*, 8> wanted{};
    uint32_t what = pass.params ? SPAR_NET_PARAMS : 0;
    for (size_t i = 0; i < x.size(); ++i) {
      if (!x[i].requires_grad()) continue;
      dx[i] = ::torch::empty_like(x[i], ::torch::MemoryFormat::Contiguous);
      views[i] = view(dx[i]);
      wanted[i] = &views[i];
      what |= SPAR_NET_INPUT;
    }
    if (what == 0) return dx;
    spar_error error = fresh_error();
    check(pass.net->service().backward(pass.net->handle(), pass.slot, &given,
                                       what & SPAR_NET_INPUT ? wanted.data() : nullptr, what, &error),
          error);
    return dx;
  }
};

}  // namespace detail

/// A network of the host, called with tensors. One thread, CPU, float32 (or uint8 inputs).
class TorchNetwork {
 public:
  /// `spec`: the one that `net` was made with. `net` outlives this, and this outlives every graph that it is part of.
  TorchNetwork(const Network& net, const NetworkSpec& spec)
      : passes_(std::make_unique<std::vector<detail::TorchPass>>(spec.slots + 1)),
        anchor_(::torch::zeros({}, ::torch::requires_grad())) {
    if (spec.inputs.empty())
      throw StatusError(SPAR_E_UNSUPPORTED, "a free vector has no inputs: read it through spar/network.hpp");
    uint32_t slot = 0;
    for (detail::TorchPass& pass : *passes_) {
      pass.net = &net;
      pass.slot = slot++;
      pass.members = spec.ensemble;
      pass.numbers = spec.out * spec.atoms;
      pass.row_dims = spec.inputs[0].shape.size();
    }
  }

  /// y [rows, out * atoms], with several members [ensemble, rows, out * atoms]. Slots 1.. keep what backward needs, and
  /// backward adds the gradients of the parameters to those that the host keeps; inputs that want gradients get them.
  /// Slot 0, and every slot under torch::NoGradGuard: nothing is differentiated. One backward for each forward, before
  /// the next one into its slot (SPAR_E_STATE).
  ::torch::Tensor forward(uint32_t slot, ::at::TensorList x) const { return run(slot, x, true); }
  /// The same for a network that is looked through, not learnt: only the inputs get gradients.
  ::torch::Tensor through(uint32_t slot, ::at::TensorList x) const { return run(slot, x, false); }

 private:
  ::torch::Tensor run(uint32_t slot, ::at::TensorList x, bool params) const {
    if (slot >= passes_->size())
      throw StatusError(SPAR_E_INVALID, "there is no slot " + std::to_string(slot) + ": the last one is " +
                                            std::to_string(passes_->size() - 1));
    detail::TorchPass& pass = (*passes_)[slot];
    if (slot == 0 || !::torch::GradMode::is_enabled()) {
      const ::torch::NoGradGuard guard;
      pass.serial = 0;
      return pass.run(x);
    }
    pass.params = params;
    pass.serial = ++serial_;
    return detail::TorchFunction::apply(x, anchor_, &pass, pass.serial);
  }

  std::unique_ptr<std::vector<detail::TorchPass>> passes_;  ///< by slot; graphs point to them
  ::torch::Tensor anchor_;
  mutable int64_t serial_ = 0;
};

}  // namespace spar
