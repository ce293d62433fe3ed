// NativeNetwork::run_backward: from the gradient of the outputs down to the parameters and to the inputs, member by
// member.
#include <algorithm>
#include <cstring>

#include "core/nn/native_network.hpp"
#include "core/nn/tier.hpp"

namespace spar::nn {

void NativeNetwork::run_backward(const Pass& pass, const spar_tensor&, const std::byte* gradient, spar_tensor* const*,
                                 uint32_t what) {
  if (spec().free_vector()) return backward_free(pass.rows, gradient);
  const bool params = (what & SPAR_NET_PARAMS) != 0, input = (what & SPAR_NET_INPUT) != 0;
  Slot& slot = slots_[pass.slot];
  const Kernels& kernel = kernels();
  if (params && noise_ && slot.quiet) parameters_.summed_gradients();  // for the sigmas, which get nothing here
  const size_t used = padded(slot.count * layout_.input_stride);
  for (size_t m = 0; m < spec().ensemble; ++m) {
    backward_member(kernel, slot, m, gradient + m * slot.count * spec().out * sizeof(float), params, input);
    if (!input) continue;
    put_input_gradient(slot, m, false);
    if (m == 0)
      std::copy_n(input_gradient_.data(), used, input_gradient_sum_.data());
    else
      kernel.add(used, input_gradient_.data(), input_gradient_sum_.data());
  }
  if (params) parameters_.no_gradients = false;
  if (input) put_input_gradient(slot, 0, true);
}

void NativeNetwork::backward_member(const Kernels& kernel, Slot& slot, size_t member, const std::byte* dy, bool params,
                                    bool input) {
  const size_t rows = slot.count;
  const float* all_rows = rows_of(slot, 1, member);
  const float* x = input_of(slot, member);
  const auto& trunk = layout_.trunk;
  const float* trunk_out = trunk.empty() ? x : all_rows + trunk.back().rows;
  float* trunk_gradient = trunk.empty() ? input_gradient_.data() : gradient_rows_[2].data();
  const Into hidden = spec().activation == Activation::relu ? Into::relu : Into::tanh;
  const bool one_head = layout_.heads.size() == 1;

  for (size_t h = 0; h < layout_.heads.size(); ++h) {
    const auto& head = layout_.heads[h];
    float *d = gradient_rows_[0].data(), *below = gradient_rows_[1].data();
    take_output_gradient(h, rows, dy, d);
    if (spec().output == Output::tanh)
      kernel.tanh_derivative(rows * head.back().out_stride, all_rows + head.back().rows, d);
    for (size_t l = head.size(); l-- > 0;) {
      const float* in = l > 0 ? all_rows + head[l - 1].rows : trunk_out;
      if (params) weight_gradient(kernel, slot, head[l], member, in, d);
      if (l > 0) {
        input_gradient(kernel, slot, head[l], member, d, below, hidden, in);
        std::swap(d, below);
      } else if (!trunk.empty() || input) {
        const Into into = h > 0 ? Into::add : one_head && !trunk.empty() ? hidden : Into::store;
        input_gradient(kernel, slot, head[l], member, d, trunk_gradient, into, in);
      }
    }
  }
  if (trunk.empty()) return;
  float *d = trunk_gradient, *below = gradient_rows_[0].data();
  if (!one_head) derivative(kernel, rows * trunk.back().out_stride, trunk_out, d);
  for (size_t l = trunk.size(); l-- > 0;) {
    const float* in = l > 0 ? all_rows + trunk[l - 1].rows : x;
    if (params) weight_gradient(kernel, slot, trunk[l], member, in, d);
    if (l > 0) {
      input_gradient(kernel, slot, trunk[l], member, d, below, hidden, in);
      std::swap(d, below);
    } else if (input) {
      input_gradient(kernel, slot, trunk[l], member, d, input_gradient_.data(), Into::store, nullptr);
    }
  }
}

// The columns of dy that belong to a head, in rows of its output layer; the columns of padding are zero.
void NativeNetwork::take_output_gradient(size_t head, size_t rows, const std::byte* dy, float* d) {
  const Layer& layer = layout_.heads[head].back();
  const size_t out = spec().out, stride = layer.out_stride;
  if (spec().dueling) {
    const auto gradient = head == 0 ? kernels().duel_value_gradient : kernels().duel_advantage_gradient;
    return gradient(rows, out / spec().atoms, spec().atoms, dy, d, stride);
  }
  size_t column = 0;
  for (size_t h = 0; h < head; ++h) column += layout_.heads[h].back().out;
  if (stride == out) {  // so it is the only head
    std::memcpy(d, dy, rows * out * sizeof(float));
    return;
  }
  for (size_t r = 0; r < rows; ++r, d += stride) {
    std::memcpy(d, dy + (r * out + column) * sizeof(float), layer.out * sizeof(float));
    for (size_t i = layer.out; i < stride; ++i) d[i] = 0.0f;
  }
}

// The gradients of one layer are added to those of earlier passes; those of noisy weights go on to their means and
// sigmas. The means get what the weights get: where there are no earlier passes, in their own place.
void NativeNetwork::weight_gradient(const Kernels& kernel, const Slot& slot, const Layer& layer, size_t member,
                                    const float* x, const float* dy) {
  const Into sum = parameters_.no_gradients ? Into::store : Into::add;
  const bool aside = !slot.quiet && sum == Into::add;
  float* means = parameters_.gradients.data() + member * layout_.member;
  float* g = aside ? noise_->gradient() : means;
  const Into into = aside ? Into::store : sum;
  if (layer.dots)
    kernel.dots_weight_gradient(slot.count, layer.in, layer.out, x, layer.in_stride, dy, g + layer.weight,
                                g + layer.bias, into);
  else
    kernel.weight_gradient(slot.count, layer.in, layer.out, x, layer.in_stride, dy, layer.out_stride, g + layer.weight,
                           g + layer.bias, into);
  if (!slot.quiet) noise_->spread_gradient(kernel, layout_, layer, member, means, sum);
}

void NativeNetwork::input_gradient(const Kernels& kernel, const Slot& slot, const Layer& layer, size_t member,
                                   const float* dy, float* dx, Into into, const float* activation) {
  const size_t rows = slot.count;
  const float* w = weights_of(slot, member) + layer.weight;
  if (layer.dots)
    return kernel.dots_input_gradient(rows, layer.in, layer.out, dy, w, dx, layer.in_stride, into, activation,
                                      layer.in_stride);
  float* turned = transposed_.data() + member * layout_.member_transposed + layer.transposed;
  uint64_t& turned_version = transposed_version_[member * layout_.layers + layer.index];
  const uint64_t wanted = 2 * version() + (slot.quiet ? 0 : 1);  // means and noisy weights take turns
  if (turned_version != wanted) {
    kernel.transpose(layer.in, layer.out, w, turned);
    turned_version = wanted;
  }
  kernel.input_gradient(rows, layer.in, layer.out, dy, layer.out_stride, turned, dx, layer.in_stride, into, activation,
                        layer.in_stride);
}

// From the gradient after the activation function to the one before, where no product has done it.
void NativeNetwork::derivative(const Kernels& kernel, size_t n, const float* y, float* d) const {
  if (spec().activation == Activation::relu)
    kernel.relu_derivative(n, y, d);
  else
    kernel.tanh_derivative(n, y, d);
}

// Inputs with an ensemble dimension after each member, the others when the sum is there.
void NativeNetwork::put_input_gradient(const Slot& slot, size_t member, bool all_members) {
  const Floats& from = all_members ? input_gradient_sum_ : input_gradient_;
  size_t column = 0;
  for (size_t i = 0; i < views().size(); ++i) {
    const size_t width = spec().inputs[i].size, row_bytes = width * sizeof(float);
    if (views()[i].data != nullptr && views()[i].members != all_members) {
      std::byte* to = views()[i].data + member * slot.count * row_bytes;
      for (size_t r = 0; r < slot.count; ++r)
        std::memcpy(to + r * row_bytes, from.data() + r * layout_.input_stride + column, row_bytes);
    }
    column += width;
  }
}

void NativeNetwork::backward_free(size_t rows, const std::byte* dy) {
  for (size_t m = 0; m < spec().ensemble; ++m) {
    float* g = parameters_.summed_gradients().data() + m * layout_.member;
    for (size_t r = 0; r < rows; ++r, dy += spec().out * sizeof(float))
      for (size_t i = 0; i < spec().out; ++i) {
        float value;
        std::memcpy(&value, dy + i * sizeof value, sizeof value);
        g[i] += value;
      }
  }
}

}  // namespace spar::nn
