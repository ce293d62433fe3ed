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
template <class M>
struct MovedAtoms {
  static constexpr size_t kPiece = 64;
  alignas(64) M stays[kPiece], goes[kPiece];
  alignas(64) double value[kPiece];
  alignas(64) int below[kPiece];

  SPAR_RL_INLINE void put(size_t j, const Atoms& atoms, double mass, double target) {
    const double b = atoms.place(target);
    below[j] = static_cast<int>(b);
    const double share = b - static_cast<double>(below[j]);  // 0 where b meets an atom
    stays[j] = static_cast<M>(mass * (1 - share));
    goes[j] = static_cast<M>(mass * share);
    value[j] = mass * target;
  }
};

/// Adds to two neighbours in a row of n >= 2 numbers, again and again, mostly the same or the next two. These wait in
/// registers: sums through memory would cost the time of a store and a load each. What n - 1 gives to the one above is
/// 0.
template <class T>
class Neighbours {
 public:
  SPAR_RL_INLINE Neighbours(T* row, size_t n) : row_(row), last_(static_cast<int>(n - 1)) {}

  SPAR_RL_INLINE void add(int place, T here, T above) {
    if (place != at_) move(place);
    here_ += here;
    above_ += above;
  }
  SPAR_RL_INLINE void finish() {
    row_[at_] = here_;
    if (at_ < last_) row_[at_ + 1] = above_;
  }

 private:
  SPAR_RL_INLINE void move(int place) {
    row_[at_] = here_;
    if (place == at_ + 1) {
      here_ = above_;
    } else {
      finish();
      here_ = row_[place];
    }
    at_ = place;
    above_ = place < last_ ? row_[place + 1] : T{};
  }

  T* row_;
  int last_, at_ = 0;
  T here_{}, above_{};
};

/// One row: `move(begin, count, moved)` computes what becomes of `count` atoms from `begin` on. Returns whether the
/// mean of the targets lies outside the support.
template <class P, class M, class Move>
SPAR_RL_INLINE bool project_row(const Atoms& atoms, const P* p, M* m, const Move& move) {
  const size_t n = atoms.n;
  for (size_t j = 0; j < n; ++j) m[j] = 0;
  Neighbours<M> sums(m, n);
  double mean = 0, total = 0;
  constexpr size_t kPiece = MovedAtoms<M>::kPiece;
  MovedAtoms<M> moved;
  for (size_t begin = 0; begin < n; begin += kPiece) {
    const size_t count = begin + kPiece < n ? kPiece : n - begin;
    move(begin, count, moved);
    for (size_t j = 0; j < count; ++j) {
      sums.add(moved.below[j], moved.stays[j], moved.goes[j]);
      mean += moved.value[j];
      total += static_cast<double>(p[begin + j]);
    }
  }
  sums.finish();
  const double slack = 1e-6 * atoms.delta;
  return mean < total * atoms.v_min - slack || mean > total * atoms.v_max + slack;
}

#if SPAR_RL_VECTORS

inline constexpr size_t kWide = 8;  ///< numbers of a vector of double; the compiler makes several of one where it must
typedef double Wide __attribute__((vector_size(kWide * sizeof(double))));
typedef float WideOfFloat __attribute__((vector_size(kWide * sizeof(float))));
typedef int WideOfInt __attribute__((vector_size(kWide * sizeof(int))));

/// MovedAtoms::put() of kWide atoms from j on; p and z: of the first.
SPAR_RL_INLINE void move_wide(const Atoms& atoms, const float* p, const double* z, double reward, double discount,
                              size_t j, MovedAtoms<float>& moved) {
  const Wide first{}, last = first + static_cast<double>(atoms.n - 1);
  WideOfFloat narrow;
  Wide target;
  std::memcpy(&narrow, p + j, sizeof narrow);
  std::memcpy(&target, z + j, sizeof target);
  target = reward + discount * target;
  const Wide mass = __builtin_convertvector(narrow, Wide), place = (target - atoms.v_min) / atoms.delta;
  const Wide b = place < first ? first : place > last ? last : place;
  const WideOfInt below = __builtin_convertvector(b, WideOfInt);
  const Wide share = b - __builtin_convertvector(below, Wide);
  const Wide value = mass * target;
  const WideOfFloat stays = __builtin_convertvector(mass * (1.0 - share), WideOfFloat),
                    goes = __builtin_convertvector(mass * share, WideOfFloat);
  std::memcpy(moved.below + j, &below, sizeof below);
  std::memcpy(moved.stays + j, &stays, sizeof stays);
  std::memcpy(moved.goes + j, &goes, sizeof goes);
  std::memcpy(moved.value + j, &value, sizeof value);
}

/// Rows of [rows, n]; adds to `clipped` how many have their mean outside of the support. W: of the processor, for the
/// compiler.
template <size_t W>
SPAR_RL_INLINE void project_rows_in(const Atoms& atoms, const float* reward, const float* discount, const float* p,
                                    size_t rows, float* m, size_t* clipped) {
  for (size_t i = 0; i < rows; ++i, p += atoms.n, m += atoms.n) {
    const double r = static_cast<double>(reward[i]), scale = static_cast<double>(discount[i]);
    *clipped += project_row(atoms, p, m, [&](size_t begin, size_t count, MovedAtoms<float>& moved) SPAR_RL_ALWAYS {
      const float* some_p = p + begin;
      const double* some_z = atoms.z + begin;
      if (count < kWide) {
        for (size_t j = 0; j < count; ++j) moved.put(j, atoms, static_cast<double>(some_p[j]), r + scale * some_z[j]);
        return;
      }
      size_t j = 0;
      for (; j + kWide <= count; j += kWide) move_wide(atoms, some_p, some_z, r, scale, j, moved);
      if (j < count) move_wide(atoms, some_p, some_z, r, scale, count - kWide, moved);  // some of them twice
    });
  }
}
SPAR_RL_WIDEST(project_rows,
               (const Atoms& atoms, const float* reward, const float* discount, const float* p, size_t rows, float* m,
                size_t* clipped),
               (atoms, reward, discount, p, rows, m, clipped))

#endif

}  // namespace spar::rl::detail
