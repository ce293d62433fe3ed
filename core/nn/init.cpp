#include "core/nn/init.hpp"

#include <algorithm>
#include <cmath>

namespace spar::nn {
namespace {

double dot(const double* a, const double* b, size_t n) {
  double sum = 0.0;
  for (size_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

std::vector<double> orthogonal(size_t rows, size_t columns, Philox& random) {
  const size_t vectors = std::min(rows, columns), length = std::max(rows, columns);
  std::vector<double> q(vectors * length);
  // Gram-Schmidt on normal vectors gives the uniform distribution, as QR with a positive diagonal does. Two rounds keep
  // the vectors orthogonal to rounding.
  for (size_t v = 0; v < vectors; ++v) {
    double* vector = q.data() + v * length;
    for (size_t i = 0; i < length; ++i) vector[i] = random.normal();
    for (int round = 0; round < 2; ++round)
      for (size_t u = 0; u < v; ++u) {
        const double* other = q.data() + u * length;
        const double along = dot(vector, other, length);
        for (size_t i = 0; i < length; ++i) vector[i] -= along * other[i];
      }
    const double norm = std::sqrt(dot(vector, vector, length));
    for (size_t i = 0; i < length; ++i) vector[i] /= norm;
  }
  if (rows <= columns) return q;
  std::vector<double> turned(rows * columns);
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = 0; c < columns; ++c) turned[r * columns + c] = q[c * length + r];
  return turned;
}

void initial_values(const Spec& spec, std::span<const LayerShape> layers, Philox& random, std::span<float> canonical) {
  if (spec.free_vector()) {
    std::copy(spec.value.begin(), spec.value.end(), canonical.begin());
    return;
  }
  auto next = canonical.begin();
  for (const LayerShape& layer : layers) {
    const double gain = layer.last ? spec.last_gain : spec.gain;
    const size_t numbers = layer.out * layer.in + layer.out;
    const double root = std::sqrt(static_cast<double>(layer.in));
    if (spec.init == Init::orthogonal) {
      for (const double w : orthogonal(layer.out, layer.in, random)) *next++ = static_cast<float>(gain * w);
      next = std::fill_n(next, layer.out, 0.0f);
    } else {
      const double bound = spec.init == Init::uniform ? gain : 1.0 / root;
      constexpr size_t kMany = 256;
      double drawn[kMany];
      for (size_t at = 0; at < numbers; at += kMany) {
        const size_t n = std::min(kMany, numbers - at);
        random.uniforms(n, drawn);
        next = std::transform(drawn, drawn + n, next,
                              [&](double u) { return static_cast<float>((2.0 * u - 1.0) * bound); });
      }
    }
    if (layer.noisy) next = std::fill_n(next, numbers, static_cast<float>(spec.noisy / root));
  }
}

}  // namespace spar::nn
