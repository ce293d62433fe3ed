// NativeNetwork::run_forward: inputs joined into rows, the layers of each member, outputs handed out.
#include <algorithm>
#include <cstring>

#include "core/nn/native_network.hpp"
#include "core/nn/network_set.hpp"
#include "core/nn/share.hpp"
#include "core/nn/tier.hpp"

namespace spar::nn {
namespace {

// Copies rows of `width` floats; the widths of small observations and actions as constants, for they become a few
// moves.
template <size_t kWidth>
void copy_rows_of(size_t rows, std::byte* to, size_t to_stride, const std::byte* from, size_t from_stride) {
  for (size_t r = 0; r < rows; ++r) std::memcpy(to + r * to_stride, from + r * from_stride, kWidth * sizeof(float));
}

void copy_rows(size_t rows, size_t width, void* to, size_t to_stride, const void* from, size_t from_stride) {
  auto* t = static_cast<std::byte*>(to);
  const auto* f = static_cast<const std::byte*>(from);
  const size_t t_step = to_stride * sizeof(float), f_step = from_stride * sizeof(float);
  if (width == to_stride && width == from_stride) {
    std::memcpy(t, f, rows * width * sizeof(float));
    return;
  }
  switch (width) {
    case 1:
      return copy_rows_of<1>(rows, t, t_step, f, f_step);
    case 2:
      return copy_rows_of<2>(rows, t, t_step, f, f_step);
    case 3:
      return copy_rows_of<3>(rows, t, t_step, f, f_step);
    case 4:
      return copy_rows_of<4>(rows, t, t_step, f, f_step);
    default:
      for (size_t r = 0; r < rows; ++r) std::memcpy(t + r * t_step, f + r * f_step, width * sizeof(float));
  }
}

void scale_bytes(size_t rows, size_t width, float* to, size_t to_stride, const std::byte* from) {
  for (size_t r = 0; r < rows; ++r)
    for (size_t i = 0; i < width; ++i)
      to[r * to_stride + i] = static_cast<float>(std::to_integer<uint8_t>(from[r * width + i])) * (1.0f / 255.0f);
}

}  // namespace

void NativeNetwork::run_forward(const Pass& pass, const spar_tensor* const*, const spar_tensor&, std::byte* out) {
  if (spec().free_vector()) return forward_free(pass.rows, out);
  Slot& slot = slots_[pass.slot];
  slot.count = pass.rows;
  slot.member_input = pass.member_input;
  pack_input(slot, slot.member_input ? spec().ensemble : 1);

  const Kernels& kernel = kernels();
  slot.quiet = !noise_ || pass.quiet;
  if (!slot.quiet) noise_->apply(kernel, layout_, parameters_.values, version());
  join_heads(kernel, slot);
  const size_t members = spec().ensemble, rows = pass.rows;
  const auto put = [&](size_t m) { put_output(slot, m, out + m * rows * spec().out * sizeof(float)); };
  const size_t threads = std::max(threads_for_members(rows), threads_for(rows, members * rows * layout_.member));
  if (threads == 1) {
    for (size_t m = 0; m < members; ++m) {
      forward_rows(kernel, slot, m, 0, rows);
      put(m);
    }
    return;
  }
  // Rows have nothing to do with each other: every call takes some of one member.
  const size_t pieces = (threads + members - 1) / members;
  owner().crew()->run(members * pieces, [&](size_t call) {
    const auto [from, end] = Share{call % pieces, pieces}.of_numbers(rows);
    if (from < end) forward_rows(kernel, slot, call / pieces, from, end);
  });
  for (size_t m = 0; m < members; ++m) put(m);
}

// Joins the inputs. The copy frees the caller's memory at return and makes results independent of its alignment.
void NativeNetwork::pack_input(Slot& slot, size_t members) {
  const size_t rows = slot.count, stride = layout_.input_stride;
  for (size_t m = 0; m < members; ++m) {
    float* to = input_of(slot, m);
    for (size_t i = 0; i < views().size(); ++i) {
      const Input& input = spec().inputs[i];
      const size_t row_bytes = input.size * (input.bytes ? 1 : sizeof(float));
      const std::byte* from = views()[i].data + (views()[i].members ? m * rows * row_bytes : 0);
      if (input.bytes)
        scale_bytes(rows, input.size, to, stride, from);
      else
        copy_rows(rows, input.size, to, stride, from, input.size);
      to += input.size;
    }
  }
}

void NativeNetwork::forward_rows(const Kernels& kernel, Slot& slot, size_t member, size_t from, size_t end) {
  float* all_rows = rows_of(slot, member);
  const size_t rows = end - from;
  const bool relu = spec().activation == Activation::relu;
  const auto run = [&](const Layer& layer, const float* x) {
    float* y = all_rows + layer.rows + from * layer.out_stride;
    const float* values = weights_of(slot, member, layer);
    if (layer.dots)
      kernel.dots(rows, layer.in, layer.out, x, layer.in_stride, values + layer.weight, values + layer.bias, y);
    else
      kernel.linear(rows, layer.in, layer.out, x, layer.in_stride, values + layer.weight, values + layer.bias, y,
                    layer.out_stride, relu && !layer.last);
    if (layer.last ? spec().output == Output::tanh : !relu) kernel.tanh(rows * layer.out_stride, y);
    return y;
  };
  const float* trunk = input_of(slot, member) + from * layout_.input_stride;
  for (const Layer& layer : layout_.trunk) trunk = run(layer, trunk);
  for (const auto& branch : layout_.branches()) {
    const float* x = trunk;
    for (const Layer& layer : branch) x = run(layer, x);
  }
}

// Concatenates the heads, or joins value and advantage, atom by atom: Q = V + A - mean_a A (Wang et al. 2016, eq. 9;
// Hessel et al. 2018 for distributions). One atom is a value itself.
void NativeNetwork::put_output(Slot& slot, size_t member, std::byte* y) {
  const float* all_rows = rows_of(slot, member);
  const size_t rows = slot.count, out = spec().out;
  if (spec().dueling && !joined_) {
    const Layer &value = layout_.heads[0].back(), &advantage = layout_.heads[1].back();
    return kernels().duel(rows, out / spec().atoms, spec().atoms, all_rows + value.rows, value.out_stride,
                          all_rows + advantage.rows, advantage.out_stride, y, out);
  }
  for (const auto& branch : layout_.branches()) {
    const Layer& layer = branch.back();
    copy_rows(rows, layer.out, y, out, all_rows + layer.rows, layer.out_stride);
    y += layer.out * sizeof(float);
  }
}

// A free vector gives the same row to every row of y.
void NativeNetwork::forward_free(size_t rows, std::byte* out) const {
  const size_t row_bytes = spec().out * sizeof(float);
  for (size_t m = 0; m < spec().ensemble; ++m)
    for (size_t r = 0; r < rows; ++r)
      std::memcpy(out + (m * rows + r) * row_bytes, parameters_.values.data() + m * layout_.member, row_bytes);
}

}  // namespace spar::nn
