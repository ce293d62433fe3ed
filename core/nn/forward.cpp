// Network::forward: inputs joined into rows, the layers of each member, outputs handed out.
#include <cstring>

#include "core/nn/failure.hpp"
#include "core/nn/network.hpp"
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

void Network::forward(uint32_t slot_index, uint32_t flags, const spar_tensor* const* x, const spar_tensor* y) {
  if (slot_index > spec_.slots)
    throw invalid(place() + "forward into slot " + std::to_string(slot_index) + ", expected 0 to " +
                  std::to_string(spec_.slots) + ": create it with more slots");
  if ((flags & ~static_cast<uint32_t>(SPAR_NET_QUIET)) != 0)
    throw invalid(place() + "forward with flags " + std::to_string(flags) + ", expected 0 or SPAR_NET_QUIET");
  Slot& slot = slots_[slot_index];
  slot.version = 0;
  if (spec_.free_vector()) {
    forward_free(slot, y);
    slot.version = slot_index == 0 ? 0 : parameters_.version;
    return;
  }
  const size_t rows = take_input(slot, x);
  const View out = view_of({spec_.name, "y", ""}, y, out_shape_, false, spec_.ensemble, true);
  if (out.rows != rows)
    throw invalid(place() + "y has " + std::to_string(out.rows) + " rows, and x has " + std::to_string(rows));
  slot.count = rows;
  pack_input(slot, slot.member_input ? spec_.ensemble : 1);

  const Kernels& kernel = kernels();
  slot.quiet = !noise_ || (flags & SPAR_NET_QUIET) != 0;
  if (!slot.quiet) noise_->apply(kernel, layout_, parameters_.values, parameters_.version);
  for (size_t m = 0; m < spec_.ensemble; ++m) {
    forward_member(kernel, slot, slot_index, m);
    put_output(slot, slot_index, m, out.data + m * rows * spec_.out * sizeof(float));
  }
  slot.version = slot_index == 0 ? 0 : parameters_.version;
}

// Checks the inputs; the number of rows.
size_t Network::take_input(Slot& slot, const spar_tensor* const* x) {
  if (x == nullptr) throw invalid(place() + "forward needs x, one tensor for each of its inputs, found NULL");
  slot.member_input = false;
  for (size_t i = 0; i < views_.size(); ++i) {
    const Input& input = spec_.inputs[i];
    views_[i] = view_of({spec_.name, "x", input.name}, x[i], input.shape, input.bytes, spec_.ensemble, false);
    if (views_[i].rows != views_[0].rows)
      throw invalid(place() + "input `" + input.name + "` has " + std::to_string(views_[i].rows) +
                    " rows, and input `" + spec_.inputs[0].name + "` has " + std::to_string(views_[0].rows));
    slot.per_member[i] = views_[i].members;
    slot.member_input = slot.member_input || (views_[i].members && spec_.ensemble > 1);
  }
  const size_t rows = views_[0].rows;
  if (rows < 1 || rows > spec_.max_rows)
    throw invalid(place() + "forward of " + std::to_string(rows) + " rows, expected 1 to " +
                  std::to_string(spec_.max_rows) + " (its max_rows)");
  return rows;
}

// Joins the inputs. The copy frees the caller's memory at return and makes results independent of its alignment.
void Network::pack_input(Slot& slot, size_t members) {
  const size_t rows = slot.count, stride = layout_.input_stride;
  for (size_t m = 0; m < members; ++m) {
    float* to = input_of(slot, m);
    for (size_t i = 0; i < views_.size(); ++i) {
      const Input& input = spec_.inputs[i];
      const size_t row_bytes = input.size * (input.bytes ? 1 : sizeof(float));
      const std::byte* from = views_[i].data + (views_[i].members ? m * rows * row_bytes : 0);
      if (input.bytes)
        scale_bytes(rows, input.size, to, stride, from);
      else
        copy_rows(rows, input.size, to, stride, from, input.size);
      to += input.size;
    }
  }
}

void Network::forward_member(const Kernels& kernel, Slot& slot, uint32_t slot_index, size_t member) {
  const float* values = weights_of(slot, member);
  float* all_rows = rows_of(slot, slot_index, member);
  const size_t rows = slot.count;
  const bool relu = spec_.activation == Activation::relu;
  const auto run = [&](const Layer& layer, const float* x) {
    float* y = all_rows + layer.rows;
    if (layer.dots)
      kernel.dots(rows, layer.in, layer.out, x, layer.in_stride, values + layer.weight, values + layer.bias, y);
    else
      kernel.linear(rows, layer.in, layer.out, x, layer.in_stride, values + layer.weight, values + layer.bias, y,
                    layer.out_stride, relu && !layer.last);
    if (layer.last ? spec_.output == Output::tanh : !relu) kernel.tanh(rows * layer.out_stride, y);
    return y;
  };
  const float* trunk = input_of(slot, member);
  for (const Layer& layer : layout_.trunk) trunk = run(layer, trunk);
  for (const auto& head : layout_.heads) {
    const float* x = trunk;
    for (const Layer& layer : head) x = run(layer, x);
  }
}

// Concatenates the heads, or joins value and advantage, atom by atom: Q = V + A - mean_a A (Wang et al. 2016, eq. 9;
// Hessel et al. 2018 for distributions). One atom is a value itself.
void Network::put_output(Slot& slot, uint32_t slot_index, size_t member, std::byte* y) const {
  const float* all_rows = rows_of(slot, slot_index, member);
  const size_t rows = slot.count, out = spec_.out;
  if (spec_.dueling) {
    const Layer &value = layout_.heads[0].back(), &advantage = layout_.heads[1].back();
    const float *v = all_rows + value.rows, *a = all_rows + advantage.rows;
    const size_t atoms = spec_.atoms, actions = out / atoms;
    for (size_t r = 0; r < rows; ++r, v += value.out_stride, a += advantage.out_stride)
      for (size_t atom = 0; atom < atoms; ++atom) {
        float sum = 0.0f;
        for (size_t i = atom; i < out; i += atoms) sum += a[i];
        const float shift = v[atom] - sum / static_cast<float>(actions);
        for (size_t i = atom; i < out; i += atoms) {
          const float q = shift + a[i];
          std::memcpy(y + (r * out + i) * sizeof q, &q, sizeof q);
        }
      }
    return;
  }
  for (const auto& head : layout_.heads) {
    const Layer& layer = head.back();
    copy_rows(rows, layer.out, y, out, all_rows + layer.rows, layer.out_stride);
    y += layer.out * sizeof(float);
  }
}

// A free vector gives the same row to every row of y.
void Network::forward_free(Slot& slot, const spar_tensor* y) {
  const View out = view_of({spec_.name, "y", ""}, y, out_shape_, false, spec_.ensemble, true);
  if (out.rows < 1 || out.rows > spec_.max_rows)
    throw invalid(place() + "forward of " + std::to_string(out.rows) + " rows, expected 1 to " +
                  std::to_string(spec_.max_rows) + " (its max_rows)");
  slot.count = out.rows;
  const size_t row_bytes = spec_.out * sizeof(float);
  for (size_t m = 0; m < spec_.ensemble; ++m)
    for (size_t r = 0; r < out.rows; ++r)
      std::memcpy(out.data + (m * out.rows + r) * row_bytes, parameters_.values.data() + m * layout_.member, row_bytes);
}

}  // namespace spar::nn
