#include "core/nn/noise.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace spar::nn {
namespace {

// Calls rows(offset, count, n, factors, noise) for the stored weights of a layer, as many rows at a time as share their
// noise, and for its biases; the noise of number i in row r is factors[r] * noise[i].
template <class Rows>
void each_block(const Layer& layer, const float* shaped, Rows&& rows) {
  static constexpr float kOne = 1.0f;
  const float *in = shaped + layer.noise, *out = in + padded(layer.in);
  const size_t width = padded(layer.out);
  if (layer.dots) {
    rows(layer.weight, layer.out, padded(layer.in), out, in);
  } else {
    for (size_t at = 0; at < width; at += kPanel)
      rows(layer.weight + at * layer.in, layer.in, std::min(kPanel, width - at), in, out + at);
  }
  rows(layer.bias, size_t{1}, width, &kOne, out);
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
    const auto perturb = [&](const Layer& layer) {
      each_block(layer, shaped(layout, m),
                 [&](size_t at, size_t rows, size_t n, const float* factors, const float* noise) {
                   kernel.perturb(rows, n, means + at, sigmas + at, factors, noise, to + at, n);
                 });
    };
    for (const Layer& layer : layout.trunk) perturb(layer);
    if (!layout.joined.empty()) continue;
    for (const auto& head : layout.heads)
      for (const Layer& layer : head) perturb(layer);
  }
  version_ = version;
}

void Noise::spread_gradient(const Kernels& kernel, const Layout& layout, const Layer& layer, size_t member,
                            float* parameters, Into into) const {
  each_block(
      layer, shaped(layout, member), [&](size_t at, size_t rows, size_t n, const float* factors, const float* noise) {
        const float* g = into == Into::add ? gradient_.data() + at : nullptr;
        kernel.perturb_gradient(rows, n, g, factors, noise, parameters + at, parameters + layout.sigma + at, into);
      });
}

}  // namespace spar::nn
