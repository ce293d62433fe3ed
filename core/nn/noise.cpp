#include "core/nn/noise.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace spar::nn {
namespace {

// Calls row(offset, n, factor, noise) for each stored row of a layer's weights and for its biases; the noise of number
// i in the row is factor * noise[i].
template <class Row>
void each_row(const Layer& layer, const float* shaped, Row&& row) {
  const float *in = shaped + layer.noise, *out = in + padded(layer.in);
  const size_t width = padded(layer.out);
  if (layer.dots) {
    for (size_t o = 0; o < layer.out; ++o) row(layer.weight + o * padded(layer.in), padded(layer.in), out[o], in);
  } else {
    for (size_t at = 0; at < width; at += kPanel) {
      const size_t wide = std::min(kPanel, width - at);
      for (size_t k = 0; k < layer.in; ++k) row(layer.weight + at * layer.in + k * wide, wide, in[k], out + at);
    }
  }
  row(layer.bias, width, 1.0f, out);
}

}  // namespace

Noise::Noise(const Layout& layout, size_t members, Philox random)
    : members_(members),
      random_(random),
      drawn_(members * layout.noise),
      shaped_(members * layout.member_noise, 0.0f),
      weights_(members * layout.sigma, 0.0f),
      gradient_(layout.sigma, 0.0f) {
  draw(layout);
}

void Noise::draw(const Layout& layout) {
  constexpr size_t kPiece = 256;
  double piece[kPiece];
  for (size_t at = 0; at < drawn_.size(); at += kPiece) {
    const size_t n = std::min(kPiece, drawn_.size() - at);
    random_.normals(n, piece);
    std::transform(piece, piece + n, drawn_.data() + at, [](double x) { return static_cast<float>(x); });
  }
  shape(layout);
}

void Noise::set(const Layout& layout, const void* drawn) {
  std::memcpy(drawn_.data(), drawn, drawn_.size() * sizeof(float));
  shape(layout);
}

void Noise::shape(const Layout& layout) {
  const auto f = [](float x) { return std::copysign(std::sqrt(std::abs(x)), x); };
  const float* from = drawn_.data();
  for (size_t m = 0; m < members_; ++m)
    layout.each_layer([&](const Layer& layer) {
      float* to = shaped_.data() + m * layout.member_noise + layer.noise;
      std::transform(from, from + layer.in, to, f);
      from += layer.in;
      std::transform(from, from + layer.out, to + padded(layer.in), f);
      from += layer.out;
    });
  version_ = 0;
}

void Noise::apply(const Kernels& kernel, const Layout& layout, const Floats& values, uint64_t version) {
  if (version_ == version) return;
  for (size_t m = 0; m < members_; ++m) {
    const float *means = values.data() + m * layout.member, *sigmas = means + layout.sigma;
    float* to = weights_.data() + m * layout.sigma;
    layout.each_layer([&](const Layer& layer) {
      each_row(layer, shaped_.data() + m * layout.member_noise,
               [&](size_t at, size_t n, float factor, const float* noise) {
                 kernel.perturb(n, means + at, sigmas + at, factor, noise, to + at);
               });
    });
  }
  version_ = version;
}

void Noise::spread_gradient(const Kernels& kernel, const Layout& layout, const Layer& layer, size_t member,
                            float* parameters) {
  each_row(layer, shaped_.data() + member * layout.member_noise,
           [&](size_t at, size_t n, float factor, const float* noise) {
             kernel.perturb_gradient(n, gradient_.data() + at, factor, noise, parameters + at,
                                     parameters + layout.sigma + at);
           });
}

}  // namespace spar::nn
