#include "network.hpp"

#include <torch/autograd.h>

#include <cstring>

#include "spar/torch.hpp"

namespace torch_backend {
namespace {

/// Joins tensors to one flat vector, and lets each of them lie in it from now on.
at::Tensor join(std::vector<at::Tensor>& tensors, at::Device device) {
  const at::NoGradGuard off;
  if (tensors.empty()) return at::zeros({0}, floats(device));
  std::vector<at::Tensor> parts;
  for (const at::Tensor& tensor : tensors) parts.push_back(tensor.detach().reshape({-1}));
  at::Tensor flat = at::cat(parts).clone();
  int64_t offset = 0;
  for (at::Tensor& tensor : tensors) {
    tensor.set_data(flat.narrow(0, offset, tensor.numel()).view(tensor.sizes()));
    offset += tensor.numel();
  }
  return flat;
}

/// x -> the caller's memory.
void copy_out(const at::Tensor& x, const spar_tensor& to) {
  const at::NoGradGuard off;
  at::Tensor target = spar::view(to);
  target.copy_(x.detach().reshape(target.sizes()));
}

}  // namespace

Network::Network(Plan plan, at::Device device)
    : plan_(std::move(plan)),
      device_(device),
      model_(plan_.kind == Kind::torchscript ? load_script(plan_, device) : make_layers(plan_, device)),
      slots_(plan_.slots) {
  int64_t offset = 0;
  for (const at::Tensor& parameter : model_->parameters) {
    offsets_.push_back(offset);
    offset += parameter.numel();
  }
  values = join(model_->parameters, device_);
  noise_ = join(model_->noise, device_);
  for (at::Tensor* vector : {&gradients, &moment1, &moment2}) *vector = at::zeros_like(values);
}

at::Tensor Network::take_input(const Input& input, const spar_tensor& x, bool keep) const {
  // The caller's memory is its own again after forward.
  at::Tensor taken = spar::view(x).to(device_, at::kFloat, /*non_blocking=*/false, /*copy=*/keep || input.bytes);
  if (input.bytes) return taken.mul_(1.0F / 255.0F);
  return keep ? taken.requires_grad_(true) : taken;
}

void Network::forward(uint32_t slot, uint32_t flags, const spar_tensor* const* x, const spar_tensor& y) {
  const bool keep = slot > 0;
  const at::AutoGradMode gradients_on(keep);
  std::vector<at::Tensor> inputs;
  for (size_t i = 0; i < plan_.inputs.size(); ++i) inputs.push_back(take_input(plan_.inputs[i], *x[i], keep));
  const at::Tensor out = model_->forward(inputs, y.shape[y.ndim - 2], (flags & SPAR_NET_QUIET) != 0);
  copy_out(out, y);
  if (keep) slots_[slot - 1] = {std::move(inputs), out};
}

void Network::backward(uint32_t slot, const spar_tensor& dy, spar_tensor* const* dx, uint32_t what) {
  const Slot& kept = slots_[slot - 1];
  std::vector<at::Tensor> wanted;
  std::vector<int64_t> offsets;
  if ((what & SPAR_NET_PARAMS) != 0)
    for (size_t p = 0; p < model_->parameters.size(); ++p) {
      if (!model_->parameters[p].requires_grad()) continue;  // frozen in its file
      wanted.push_back(model_->parameters[p]);
      offsets.push_back(offsets_[p]);
    }
  const size_t parameters = wanted.size();
  std::vector<const spar_tensor*> outputs;
  for (size_t i = 0; (what & SPAR_NET_INPUT) != 0 && i < kept.x.size(); ++i) {
    if (dx[i] == nullptr) continue;
    wanted.push_back(kept.x[i]);
    outputs.push_back(dx[i]);
  }
  if (wanted.empty()) return;

  std::vector<at::Tensor> slopes(wanted.size());
  if (kept.y.requires_grad()) {
    const at::Tensor slope = spar::view(dy).to(device_).reshape(kept.y.sizes());
    // The graph stays: a second backward from the slot may ask for other gradients.
    slopes = torch::autograd::grad({kept.y}, wanted, {slope}, /*retain_graph=*/true, /*create_graph=*/false,
                                   /*allow_unused=*/true);
  }
  const at::NoGradGuard off;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const bool used = slopes[i].defined();
    if (i >= parameters)
      copy_out(used ? slopes[i] : at::zeros_like(wanted[i]), *outputs[i - parameters]);
    else if (used)
      gradients.narrow(0, offsets[i], wanted[i].numel()).add_(slopes[i].reshape({-1}));
  }
}

at::Tensor Network::flat(uint32_t what) const {
  switch (what) {
    case SPAR_NET_VALUES:
      return values;
    case SPAR_NET_GRADIENTS:
      return gradients;
    case SPAR_NET_MOMENT1:
      return moment1;
    case SPAR_NET_MOMENT2:
      return moment2;
    case SPAR_NET_NOISE:
      return noise_;
    default:
      return {};
  }
}

uint64_t Network::bytes(uint32_t what) const {
  if (what == SPAR_NET_STEPS) return sizeof steps;
  const at::Tensor vector = flat(what);
  return vector.defined() ? static_cast<uint64_t>(vector.numel()) * sizeof(float) : 0;
}

void Network::check_bytes(uint32_t what, uint64_t found) const {
  if (found == bytes(what) && found > 0) return;
  throw spar::StatusError(SPAR_E_INVALID, place(plan_) + "asked to move " + std::to_string(found) +
                                              " bytes, expected " + std::to_string(bytes(what)) +
                                              ": ask bytes() first");
}

void Network::read(uint32_t what, void* dst, uint64_t size) const {
  check_bytes(what, size);
  if (what == SPAR_NET_STEPS) {
    std::memcpy(dst, &steps, sizeof steps);
    return;
  }
  const at::Tensor host = flat(what).to(at::kCPU);
  std::memcpy(dst, host.data_ptr(), size);
}

void Network::write(uint32_t what, const void* src, uint64_t size) {
  check_bytes(what, size);
  if (what == SPAR_NET_STEPS) {
    std::memcpy(&steps, src, sizeof steps);
    return;
  }
  const at::NoGradGuard off;
  at::Tensor host = at::empty({static_cast<int64_t>(size / sizeof(float))}, floats(at::kCPU));
  std::memcpy(host.data_ptr(), src, size);
  flat(what).copy_(host);
}

}  // namespace torch_backend
