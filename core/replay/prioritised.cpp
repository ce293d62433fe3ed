#include "core/replay/prioritised.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.hpp"
#include "core/base/target.hpp"

namespace spar::replay {

namespace {

/// The element that `better(a, b)` prefers, of at least one; eight at a time, as they need not wait for each other.
template <class Number, class Better>
Number extreme(std::span<const Number> of, Better better) {
  constexpr size_t kTogether = 8;
  Number best[kTogether];
  std::fill_n(best, kTogether, of[0]);
  size_t i = 0;
  for (; i + kTogether <= of.size(); i += kTogether)
    for (size_t j = 0; j < kTogether; ++j) best[j] = better(of[i + j], best[j]);
  for (; i < of.size(); ++i) best[0] = better(of[i], best[0]);
  for (size_t j = 1; j < kTogether; ++j) best[0] = better(best[j], best[0]);
  return best[0];
}

/// to[i] = the root of p[i] + eps.
__attribute__((always_inline)) inline void roots(size_t n, const float* __restrict p, double eps,
                                                 double* __restrict to) {
  for (size_t i = 0; i < n; ++i) to[i] = std::sqrt(static_cast<double>(p[i]) + eps);
}
/// x[i] = over / x[i].
__attribute__((always_inline)) inline void divide(size_t n, double over, double* x) {
  for (size_t i = 0; i < n; ++i) x[i] = over / x[i];
}
/// x[i] = (i + x[i]) * part.
__attribute__((always_inline)) inline void spread(size_t n, double part, double* x) {
  for (size_t i = 0; i < n; ++i) x[i] = (static_cast<double>(i) + x[i]) * part;
}

/// Every result is rounded the same in vectors of every width.
struct Functions {
  void (*roots)(size_t n, const float* p, double eps, double* to);
  void (*divide)(size_t n, double over, double* x);
  void (*spread)(size_t n, double part, double* x);
};

void roots_any(size_t n, const float* p, double eps, double* to) { roots(n, p, eps, to); }
void divide_any(size_t n, double over, double* x) { divide(n, over, x); }
void spread_any(size_t n, double part, double* x) { spread(n, part, x); }
#if defined(__x86_64__)
SPAR_TARGET_512("avx512f,avx512vl,avx512dq") void roots_512(size_t n, const float* p, double eps, double* to) {
  roots(n, p, eps, to);
}
SPAR_TARGET_512("avx512f,avx512vl,avx512dq") void divide_512(size_t n, double over, double* x) { divide(n, over, x); }
SPAR_TARGET_512("avx512f,avx512vl,avx512dq") void spread_512(size_t n, double part, double* x) { spread(n, part, x); }
#endif

const Functions& functions() {
  static constexpr Functions kAny = {roots_any, divide_any, spread_any};
#if defined(__x86_64__)
  static constexpr Functions kWide = {roots_512, divide_512, spread_512};
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
    return kWide;
#endif
  return kAny;
}

}  // namespace

Prioritised::Prioritised(uint64_t slots, double alpha, double eps) : tree_(slots), alpha_(alpha), eps_(eps) {}

double Prioritised::mass_of(double p) const {
  if (alpha_ == 0.5) return std::sqrt(p + eps_);  // the default, ten times as fast as pow
  return std::pow(p + eps_, alpha_);
}

void Prioritised::insert(std::span<const uint64_t> slots) {
  scratch_.assign(slots.size(), mass_of(largest_));
  tree_.set(slots, scratch_);
}

void Prioritised::update(std::span<const uint64_t> slots, std::span<const float> p) {
  if (slots.empty()) return;
  scratch_.resize(slots.size());
  const double largest = extreme(p, [](float a, float b) { return a > b ? a : b; });
  largest_ = has_largest_ != 0 ? std::max(largest_, largest) : largest;
  has_largest_ = 1;
  if (alpha_ == 0.5)  // as mass_of() does, in a loop that vectors can take
    functions().roots(p.size(), p.data(), eps_, scratch_.data());
  else
    for (size_t i = 0; i < p.size(); ++i) scratch_[i] = mass_of(static_cast<double>(p[i]));
  tree_.set(slots, scratch_);
}

void Prioritised::draw(Philox& random, double beta, std::span<uint64_t> slots, std::span<float> weight) {
  const size_t n = slots.size();
  scratch_.resize(n);
  const double part = tree_.total() / static_cast<double>(n);
  random.uniforms(n, scratch_.data());
  functions().spread(n, part, scratch_.data());
  tree_.find(scratch_, slots);
  // N and the total cancel in w_i / max_j w_j = (P_i / min_j P_j)^-beta.
  const double smallest = extreme(std::span<const double>(scratch_), [](double a, double b) { return a < b ? a : b; });
  functions().divide(n, smallest, scratch_.data());
  const float exponent = static_cast<float>(beta);
  for (size_t i = 0; i < n; ++i) weight[i] = std::pow(static_cast<float>(scratch_[i]), exponent);
}

void Prioritised::save(ByteWriter& out, uint64_t filled) const {
  out.put(largest_);
  out.put(has_largest_);
  for (uint64_t slot = 0; slot < filled; ++slot) out.put(tree_.at(slot));
}

void Prioritised::load(ByteReader& in, uint64_t filled) {
  largest_ = in.get<double>();
  has_largest_ = in.get<uint8_t>();
  std::vector<uint64_t> slots(static_cast<size_t>(filled));
  std::vector<double> masses(slots.size());
  std::iota(slots.begin(), slots.end(), uint64_t{0});
  in.raw(masses.data(), masses.size() * sizeof(double));
  for (const double mass : masses)
    if (!std::isfinite(mass) || mass < 0)
      throw Error(
          "E0805", Exit::failed,
          "the saved priorities hold the mass " + std::to_string(mass) + ", where numbers of at least 0 are expected");
  tree_.set(slots, masses);
}

}  // namespace spar::replay
