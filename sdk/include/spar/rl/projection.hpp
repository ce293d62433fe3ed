// The projection of one distribution on a support, for spar/rl/categorical.hpp: first the arithmetic of many atoms at
// once, then what it says one after the other.
#pragma once

#include <cstddef>
#include <cstring>

#include "spar/rl/vector_block.hpp"

namespace spar::rl::detail {

/// The atoms of a support, n >= 2.
struct Atoms {
  const double* z;
  size_t n;
  double v_min, v_max, delta;

  SPAR_RL_INLINE double place(double value) const {
    const double b = (value - v_min) / delta, last = static_cast<double>(n - 1);
    return b < 0 ? 0 : b > last ? last : b;
  }
};

/// A piece of a row: the atom below each target, what the target leaves there and gives to the one above, and its part
/// of the mean.
struct MovedAtoms {
  static constexpr size_t kPiece = 64;
  alignas(64) double stays[kPiece], goes[kPiece], value[kPiece];
  alignas(64) int below[kPiece];

  SPAR_RL_INLINE void put(size_t j, const Atoms& atoms, double mass, double target) {
    const double b = atoms.place(target);
    below[j] = static_cast<int>(b);
    const double share = b - static_cast<double>(below[j]);  // 0 where b meets an atom
    stays[j] = mass * (1 - share);
    goes[j] = mass * share;
    value[j] = mass * target;
  }
};

/// Adds to two neighbours in a row of n >= 2 numbers, again and again, mostly the same or the next two. These wait in
/// registers: sums through memory would cost the time of a store and a load each. What n - 1 gives to the one above is
/// 0.
template <class T>
class Neighbours {
 public:
  SPAR_RL_INLINE Neighbours(T* row, size_t n) : row_(row), n_(n), here_(row[0]), above_(row[1]) {}

  SPAR_RL_INLINE void add(size_t place, T here, T above) {
    if (place != at_) move(place);
    here_ += here;
    above_ += above;
  }
  SPAR_RL_INLINE void finish() {
    row_[at_] = here_;
    if (at_ + 1 < n_) row_[at_ + 1] = above_;
  }

 private:
  SPAR_RL_INLINE void move(size_t place) {
    if (place == at_ + 1) {
      row_[at_] = here_;
      here_ = above_;
    } else {
      finish();
      here_ = row_[place];
    }
    at_ = place;
    above_ = place + 1 < n_ ? row_[place + 1] : T{};
  }

  T* row_;
  size_t n_, at_ = 0;
  T here_, above_;
};

/// One row. Returns whether the mean of the targets lies outside the support.
template <class P, class M>
SPAR_RL_INLINE bool project_row(const Atoms& atoms, double reward, double discount, const P* p, M* m) {
  const size_t n = atoms.n;
  for (size_t j = 0; j < n; ++j) m[j] = 0;
  Neighbours<M> sums(m, n);
  double mean = 0, total = 0;
  MovedAtoms moved;
  for (size_t begin = 0; begin < n; begin += MovedAtoms::kPiece) {
    const size_t count = begin + MovedAtoms::kPiece < n ? MovedAtoms::kPiece : n - begin;
    for (size_t j = 0; j < count; ++j)  // the compiler takes several at once
      moved.put(j, atoms, static_cast<double>(p[begin + j]), reward + discount * atoms.z[begin + j]);
    for (size_t j = 0; j < count; ++j) {
      sums.add(static_cast<size_t>(moved.below[j]), static_cast<M>(moved.stays[j]), static_cast<M>(moved.goes[j]));
      mean += moved.value[j];
      total += static_cast<double>(p[begin + j]);
    }
  }
  sums.finish();
  const double slack = 1e-6 * atoms.delta;
  return mean < total * atoms.v_min - slack || mean > total * atoms.v_max + slack;
}

/// Rows of [rows, n]; adds to `clipped` how many have their mean outside of the support.
template <class Reward, class Discount, class P, class M>
SPAR_RL_INLINE void project_all(const Atoms& atoms, const Reward* reward, const Discount* discount, const P* p,
                                size_t rows, M* m, size_t* clipped) {
  for (size_t i = 0; i < rows; ++i, p += atoms.n, m += atoms.n)
    *clipped += project_row(atoms, static_cast<double>(reward[i]), static_cast<double>(discount[i]), p, m);
}

#if SPAR_RL_VECTORS

/// The same; W: only how many numbers the compiler may take at once.
template <size_t W>
SPAR_RL_INLINE void project_rows_in(const Atoms& atoms, const float* reward, const float* discount, const float* p,
                                    size_t rows, float* m, size_t* clipped) {
  project_all(atoms, reward, discount, p, rows, m, clipped);
}
SPAR_RL_WIDEST(project_rows,
               (const Atoms& atoms, const float* reward, const float* discount, const float* p, size_t rows, float* m,
                size_t* clipped),
               (atoms, reward, discount, p, rows, m, clipped))

#endif

}  // namespace spar::rl::detail
