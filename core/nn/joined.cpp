#include "core/nn/joined.hpp"

#include <algorithm>

namespace spar::nn {
namespace {

constexpr size_t kRows = 16;  // of weights at a time: they stay in the nearest cache

// Some rows of a layer's weights, or its bias, which is a matrix of one row.
struct Piece {
  size_t first, count, rows;
  size_t Layer::*at;  // where the matrix lies
};

template <class Use>
void each_piece(size_t in, Use&& use) {
  for (size_t k = 0; k < in; k += kRows) use(Piece{k, std::min(kRows, in - k), in, &Layer::weight});
  use(Piece{0, 1, 1, &Layer::bias});
}

// Calls use(offset of the piece in the block of the layer, column, columns) panel by panel.
template <class Use>
void each_panel(const Layer& layer, const Piece& piece, Use&& use) {
  for (size_t at = 0; at < layer.out_stride; at += kPanel) {
    const size_t wide = std::min(kPanel, layer.out_stride - at);
    use(layer.*piece.at + at * piece.rows + piece.first * wide, at, wide);
  }
}

// Rows of `layer`, made whole in `to`; shaped: of the noise, or nullptr.
void take_rows(const Kernels& kernel, const Layer& layer, const Piece& piece, const float* block, size_t sigma,
               const float* shaped, float* to) {
  static constexpr float kOne = 1.0f;
  each_panel(layer, piece, [&](size_t from, size_t at, size_t wide) {
    if (shaped == nullptr)
      return kernel.move_rows(piece.count, wide, block + from, wide, to + at, layer.out_stride, Into::store);
    const float *in = shaped + layer.noise, *out = in + padded(layer.in);
    kernel.perturb(piece.count, wide, block + from, block + sigma + from,
                   piece.at == &Layer::bias ? &kOne : in + piece.first, out + at, to + at, layer.out_stride);
  });
}

void put_rows(const Kernels& kernel, const Layer& layer, const Piece& piece, const float* from, float* block,
              Into into) {
  each_panel(layer, piece, [&](size_t to, size_t at, size_t wide) {
    kernel.move_rows(piece.count, wide, from + at, layer.out_stride, block + to, wide, into);
  });
}

}  // namespace

Joined::Joined(const Layout& layout, size_t atoms, size_t members)
    : atoms_(atoms),
      actions_(layout.joined[0].back().out / atoms),
      weights_(members * layout.member_joined, 0.0f),
      gradient_(layout.member_joined, 0.0f),
      versions_(members, 0),
      values_(kRows * layout.heads[0].back().out_stride, 0.0f),
      advantages_(kRows * layout.heads[1].back().out_stride, 0.0f),
      outputs_(kRows * layout.joined[0].back().out_stride, 0.0f) {}

void Joined::apply(const Kernels& kernel, const Layout& layout, size_t member, const float* parameters,
                   const Noise* noise, uint64_t version) {
  if (versions_[member] == version) return;
  versions_[member] = version;
  const Layer &value = layout.heads[0].back(), &advantage = layout.heads[1].back(), &joined = layout.joined[0].back();
  const float* shaped = noise != nullptr ? noise->shaped(layout, member) : nullptr;
  float* to = weights_.data() + member * layout.member_joined;
  each_piece(joined.in, [&](const Piece& piece) {
    take_rows(kernel, value, piece, parameters, layout.sigma, shaped, values_.data());
    take_rows(kernel, advantage, piece, parameters, layout.sigma, shaped, advantages_.data());
    kernel.duel(piece.count, actions_, atoms_, values_.data(), value.out_stride, advantages_.data(),
                advantage.out_stride, outputs_.data(), joined.out_stride);
    put_rows(kernel, joined, piece, outputs_.data(), to, Into::store);
  });
}

void Joined::part_gradient(const Kernels& kernel, const Layout& layout, float* to, Into into) {
  const Layer &value = layout.heads[0].back(), &advantage = layout.heads[1].back(), &joined = layout.joined[0].back();
  each_piece(joined.in, [&](const Piece& piece) {
    take_rows(kernel, joined, piece, gradient_.data(), 0, nullptr, outputs_.data());
    kernel.duel_value_gradient(piece.count, actions_, atoms_, outputs_.data(), joined.out_stride, values_.data(),
                               value.out_stride);
    kernel.duel_advantage_gradient(piece.count, actions_, atoms_, outputs_.data(), joined.out_stride,
                                   advantages_.data(), advantage.out_stride);
    put_rows(kernel, value, piece, values_.data(), to, into);
    put_rows(kernel, advantage, piece, advantages_.data(), to, into);
  });
}

}  // namespace spar::nn
