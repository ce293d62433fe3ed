// NativeNetwork::run_backward: from the gradient of the outputs down to the parameters and to the inputs, member by
// member.
#include <algorithm>
#include <cstring>

#include "core/nn/native_network.hpp"
#include "core/nn/network_set.hpp"
#include "core/nn/share.hpp"
#include "core/nn/tier.hpp"

namespace spar::nn {

void NativeNetwork::run_backward(const Pass& pass, const spar_tensor&, const std::byte* gradient, spar_tensor* const*,
                                 uint32_t what) {
  if (spec().free_vector()) return backward_free(pass.rows, gradient);
  const bool params = (what & SPAR_NET_PARAMS) != 0, input = (what & SPAR_NET_INPUT) != 0;
  Slot& slot = slots_[pass.slot];
  const Kernels& kernel = kernels();
  if (params && noise_ && slot.quiet) parameters_.summed_gradients();  // for the sigmas, which get nothing here
  join_heads(kernel, slot);                                            // again, if another slot has used others since
  const size_t members = spec().ensemble, used = padded(slot.count * layout_.input_stride);
  const auto back = [&](Scratch& scratch, size_t m) {
    backward_member(kernel, slot, scratch, m, gradient + m * slot.count * spec().out * sizeof(float), params, input);
  };
  const auto put = [&](const Scratch& scratch, size_t m) {
    if (!input) return;
    put_input_gradient(slot, scratch.input, m, false);
    if (m == 0)
      std::copy_n(scratch.input.data(), used, input_gradient_sum_.data());
    else
      kernel.add(used, scratch.input.data(), input_gradient_sum_.data());
  };
  // Enough members for all threads: each in a call of its own. Else their layers are shared out, one after the other;
  // noisy members, and those with joined heads, have one scratch together.
  if (threads_for_members(slot.count) > 1 && slot.quiet && !joined_) {
    owner().crew()->run(members, [&](size_t m) { back(scratch_[m], m); });
    for (size_t m = 0; m < members; ++m) put(scratch_[m], m);
  } else {
    for (size_t m = 0; m < members; ++m) {
      back(scratch_[0], m);
      put(scratch_[0], m);
    }
  }
  if (params) parameters_.no_gradients = false;
  if (input) put_input_gradient(slot, input_gradient_sum_, 0, true);
}

void NativeNetwork::backward_member(const Kernels& kernel, Slot& slot, Scratch& scratch, size_t member,
                                    const std::byte* dy, bool params, bool input) {
  const size_t rows = slot.count;
  const float* all_rows = rows_of(slot, member);
  const float* x = input_of(slot, member);
  const auto& trunk = layout_.trunk;
  const float* trunk_out = trunk.empty() ? x : all_rows + trunk.back().rows;
  float* trunk_gradient = trunk.empty() ? scratch.input.data() : scratch.rows[2].data();
  const Into hidden = spec().activation == Activation::relu ? Into::relu : Into::tanh;
  const auto& branches = layout_.branches();
  const bool one_head = branches.size() == 1;

  for (size_t h = 0; h < branches.size(); ++h) {
    const auto& head = branches[h];
    float *d = scratch.rows[0].data(), *below = scratch.rows[1].data();
    take_output_gradient(h, rows, dy, d);
    if (spec().output == Output::tanh)
      kernel.tanh_derivative(rows * head.back().out_stride, all_rows + head.back().rows, d);
    for (size_t l = head.size(); l-- > 0;) {
      if (l > 0) {
        backward_layer(kernel, slot, {head[l], member, all_rows + head[l - 1].rows, d, params, below, hidden});
        std::swap(d, below);
      } else {
        const Into into = h > 0 ? Into::add : one_head && !trunk.empty() ? hidden : Into::store;
        float* to = !trunk.empty() || input ? trunk_gradient : nullptr;
        backward_layer(kernel, slot, {head[l], member, trunk_out, d, params, to, into});
      }
    }
  }
  if (trunk.empty()) return;
  float *d = trunk_gradient, *below = scratch.rows[0].data();
  if (!one_head) derivative(kernel, rows * trunk.back().out_stride, trunk_out, d);
  for (size_t l = trunk.size(); l-- > 0;) {
    if (l > 0) {
      backward_layer(kernel, slot, {trunk[l], member, all_rows + trunk[l - 1].rows, d, params, below, hidden});
      std::swap(d, below);
    } else {
      float* to = input ? scratch.input.data() : nullptr;
      backward_layer(kernel, slot, {trunk[l], member, x, d, params, to, Into::store});
    }
  }
}

void NativeNetwork::backward_layer(const Kernels& kernel, const Slot& slot, const LayerStep& step) {
  const Layer& layer = step.layer;
  const size_t threads = threads_for(slot.count, slot.count * layer.in * layer.out);
  if (threads == 1) {
    if (step.params) weight_gradient(kernel, slot, step, {0, 1});
    if (step.dx != nullptr) input_gradient(kernel, slot, step, {0, 1});
    return;
  }
  // The two gradients read the same numbers and write different ones. Sums run over rows in the one and over outputs in
  // the other: sharing out weights there and rows here leaves every sum whole.
  const size_t pieces = slot.quiet && !layer.dots && !layer.joined ? threads : 1;  // of the parameters' gradient
  const size_t first = step.params ? pieces : 0, all = first + (step.dx != nullptr ? threads : 0);
  owner().crew()->run(all, [&](size_t call) {
    if (call < first)
      weight_gradient(kernel, slot, step, {call, pieces});
    else
      input_gradient(kernel, slot, step, {call - first, threads});
  });
}

// The columns of dy that belong to a head, in rows of its output layer; the columns of padding are zero.
void NativeNetwork::take_output_gradient(size_t head, size_t rows, const std::byte* dy, float* d) {
  const Layer& layer = layout_.branches()[head].back();
  const size_t out = spec().out, stride = layer.out_stride;
  if (spec().dueling && !joined_) {
    const auto gradient = head == 0 ? kernels().duel_value_gradient : kernels().duel_advantage_gradient;
    return gradient(rows, out / spec().atoms, spec().atoms, dy, out, d, stride);
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

// Adds one share of the gradients of one layer to those of earlier passes: some panels, as the pass of Adam is shared
// out, or some inputs of narrow layers. Those of joined and of noisy weights, which are whole, go on to their heads,
// and to their means and sigmas; the means get what the weights get: where there are no earlier passes, in their own
// place.
void NativeNetwork::weight_gradient(const Kernels& kernel, const Slot& slot, const LayerStep& step, Share share) {
  const Layer& layer = step.layer;
  const Into sum = parameters_.no_gradients ? Into::store : Into::add;
  const bool aside = !slot.quiet && sum == Into::add;
  float* means = parameters_.gradients.data() + step.member * layout_.member;
  float* own = aside ? noise_->gradient() : means;
  float *g = layer.joined ? joined_->gradient() : own, *gw = g + layer.weight, *gb = g + layer.bias;
  const Into into = aside || layer.joined ? Into::store : sum;
  const size_t panels = (layer.out + kPanel - 1) / kPanel;
  if (layer.dots) {
    kernel.dots_weight_gradient(slot.count, layer.in, layer.out, step.x, layer.in_stride, step.dy, gw, gb, into);
  } else if (panels >= share.of) {
    const size_t from = panels * share.index / share.of * kPanel;
    const size_t end = std::min(layer.out, panels * (share.index + 1) / share.of * kPanel);
    kernel.weight_gradient(slot.count, layer.in, end - from, step.x, layer.in_stride, step.dy + from, layer.out_stride,
                           gw + from * layer.in, gb + from, into, 0, layer.in);
  } else {
    const auto [from, end] = share.of_numbers(layer.in);
    if (from < end)
      kernel.weight_gradient(slot.count, layer.in, layer.out, step.x, layer.in_stride, step.dy, layer.out_stride, gw,
                             gb, into, from, end);
  }
  if (layer.joined) joined_->part_gradient(kernel, layout_, own, aside ? Into::store : sum);
  if (slot.quiet) return;
  const auto spread = [&](const Layer& of) { noise_->spread_gradient(kernel, layout_, of, step.member, means, sum); };
  if (!layer.joined) return spread(layer);
  for (const auto& head : layout_.heads) spread(head.back());
}

// The weights of one layer, transposed. Every share has a copy of its own: making it again takes less time than
// getting it from the cache of another processor.
const float* NativeNetwork::transposed(const Kernels& kernel, const Slot& slot, const LayerStep& step, size_t share) {
  const Layer& layer = step.layer;
  const size_t block = share * spec().ensemble + step.member;
  float* turned = transposed_.data() + block * layout_.member_transposed + layer.transposed;
  uint64_t& turned_version = transposed_version_[block * layout_.layers + layer.index];
  const uint64_t wanted = weights_version(slot);
  if (turned_version != wanted) {
    kernel.transpose(layer.in, layer.out, weights_of(slot, step.member, layer) + layer.weight, turned);
    turned_version = wanted;
  }
  return turned;
}

// Of some rows.
void NativeNetwork::input_gradient(const Kernels& kernel, const Slot& slot, const LayerStep& step, Share share) {
  const auto [from, end] = share.of_numbers(slot.count);
  if (from == end) return;
  const Layer& layer = step.layer;
  const size_t rows = end - from;
  float* dx = step.dx + from * layer.in_stride;
  const float *activation = step.x + from * layer.in_stride, *dy = step.dy;
  if (layer.dots) {
    kernel.dots_input_gradient(rows, layer.in, layer.out, dy + from * layer.out,
                               weights_of(slot, step.member, layer) + layer.weight, dx, layer.in_stride, step.into,
                               activation, layer.in_stride);
  } else {
    kernel.input_gradient(rows, layer.in, layer.out, dy + from * layer.out_stride, layer.out_stride,
                          transposed(kernel, slot, step, share.index), dx, layer.in_stride, step.into, activation,
                          layer.in_stride);
  }
}

// From the gradient after the activation function to the one before, where no product has done it.
void NativeNetwork::derivative(const Kernels& kernel, size_t n, const float* y, float* d) const {
  if (spec().activation == Activation::relu)
    kernel.relu_derivative(n, y, d);
  else
    kernel.tanh_derivative(n, y, d);
}

// Inputs with an ensemble dimension after each member, the others when the sum is there.
void NativeNetwork::put_input_gradient(const Slot& slot, const Floats& from, size_t member, bool all_members) {
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
