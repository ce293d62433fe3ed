#include "core/nn/layout.hpp"

#include <algorithm>
#include <cstring>

namespace spar::nn {
namespace {

struct Placer {
  Layout& layout;
  size_t max_rows;

  Layer place(size_t in, size_t in_stride, size_t out, bool last) {
    Layer layer{};
    layer.in = in;
    layer.in_stride = in_stride;
    layer.out = out;
    layer.last = last;
    layer.index = layout.layers++;
    layer.dots = last && out <= kDotWidth;
    layer.out_stride = layer.dots ? out : padded(out);
    layer.weight = layout.member;
    layer.bias = layer.weight + (layer.dots ? out * padded(in) : in * padded(out));
    layout.member = layer.bias + padded(out);
    layer.transposed = layout.member_transposed;
    if (!layer.dots) layout.member_transposed += out * padded(in);
    layer.rows = layout.member_rows;
    layout.member_rows += padded(max_rows * layer.out_stride);
    layout.parameters += out * in + out;
    layer.noise = layout.member_noise;
    layout.member_noise += padded(in) + padded(out);
    layout.noise += in + out;
    layout.widest = std::max(layout.widest, layer.out_stride);
    return layer;
  }

  std::vector<Layer> branch(size_t in, size_t in_stride, const std::vector<size_t>& hidden, size_t out) {
    std::vector<Layer> layers;
    for (const size_t width : hidden) {
      layers.push_back(place(in, in_stride, width, false));
      in = width;
      in_stride = padded(width);
    }
    if (out > 0) layers.push_back(place(in, in_stride, out, true));
    return layers;
  }

  // The heads' own rows and transposed weights are not needed.
  Layer join(const Layer& value, size_t out, size_t rows_before, size_t transposed_before) {
    Layer layer{};
    layer.in = value.in;
    layer.in_stride = value.in_stride;
    layer.out = out;
    layer.out_stride = padded(out);
    layer.last = layer.joined = true;
    layer.index = layout.layers++;
    layer.bias = layer.in * layer.out_stride;
    layout.member_joined = layer.bias + layer.out_stride;
    layer.transposed = transposed_before;
    layout.member_transposed = transposed_before + out * padded(layer.in);
    layer.rows = rows_before;
    layout.member_rows = rows_before + padded(max_rows * layer.out_stride);
    return layer;
  }
};

// Few outputs are dot products, which a pass over the weights would not pay for.
bool worth_joining(const Spec& spec) {
  return spec.dueling && spec.atoms > kDotWidth && spec.heads[0].hidden.empty() && spec.heads[1].hidden.empty();
}

// Where the weights of output o lie in their block: from `first` on, `step` apart.
struct Row {
  size_t first, step;
};

Row row_of(const Layer& layer, size_t o) {
  if (layer.dots) return {o * padded(layer.in), 1};
  const size_t panel = o / kPanel * kPanel;
  return {panel * layer.in + o % kPanel, std::min(kPanel, padded(layer.out) - panel)};
}

template <class Move>
void each_parameter(const Layout& layout, Move&& move) {
  size_t at = 0;
  for (size_t i = 0; i < layout.free_out; ++i) move(at++, i);
  layout.each_layer([&](const Layer& layer) {
    const auto weight_and_bias = [&](size_t from) {
      for (size_t o = 0; o < layer.out; ++o) {
        const Row row = row_of(layer, o);
        size_t place = from + layer.weight + row.first;
        for (size_t k = 0; k < layer.in; ++k, place += row.step) move(at++, place);
      }
      for (size_t o = 0; o < layer.out; ++o) move(at++, from + layer.bias + o);
    };
    weight_and_bias(0);
    if (layout.sigma > 0) weight_and_bias(layout.sigma);
  });
}

}  // namespace

Layout::Layout(const Spec& spec) {
  if (spec.free_vector()) {
    free_out = parameters = spec.out;
    member = padded(spec.out);
    return;
  }
  Placer placer{*this, spec.max_rows};
  size_t in = spec.input_width();
  input_stride = widest = padded(in);
  trunk = placer.branch(in, input_stride, spec.hidden, 0);
  const size_t stride = trunk.empty() ? input_stride : trunk.back().out_stride;
  if (!trunk.empty()) in = trunk.back().out;
  const size_t rows = member_rows, transposed = member_transposed;
  for (const Head& head : spec.heads) heads.push_back(placer.branch(in, stride, head.hidden, head.out));
  if (worth_joining(spec)) joined = {{placer.join(heads[0].back(), spec.out, rows, transposed)}};
  if (spec.noisy > 0.0) {
    sigma = member;
    member *= 2;
    parameters *= 2;
  }
}

void to_canonical(const Layout& layout, const float* member, void* canonical) {
  auto* to = static_cast<std::byte*>(canonical);
  each_parameter(layout, [&](size_t i, size_t at) { std::memcpy(to + i * sizeof(float), member + at, sizeof(float)); });
}

void from_canonical(const Layout& layout, const void* canonical, float* member) {
  const auto* from = static_cast<const std::byte*>(canonical);
  each_parameter(layout,
                 [&](size_t i, size_t at) { std::memcpy(member + at, from + i * sizeof(float), sizeof(float)); });
}

}  // namespace spar::nn
