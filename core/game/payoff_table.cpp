#include "core/game/payoff_table.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

#include "core/base/target.hpp"

namespace spar::game {
namespace {

/// out[i] += w0 * r0[i] + .. + w3 * r3[i]. Every element on its own, so the width of the vectors changes no bit.
struct FourRows {
  const double* row[4];
  double weight[4];
};
inline __attribute__((always_inline)) void add_rows(double* __restrict out, const FourRows& rows, size_t n) {
  const double *r0 = rows.row[0], *r1 = rows.row[1], *r2 = rows.row[2], *r3 = rows.row[3];
  const double w0 = rows.weight[0], w1 = rows.weight[1], w2 = rows.weight[2], w3 = rows.weight[3];
  for (size_t i = 0; i < n; ++i) out[i] += (w0 * r0[i] + w1 * r1[i]) + (w2 * r2[i] + w3 * r3[i]);
}
using AddRows = void (*)(double*, const FourRows&, size_t);
void add_rows_portable(double* out, const FourRows& rows, size_t n) { add_rows(out, rows, n); }
#if defined(__x86_64__)
__attribute__((target("avx2"))) void add_rows_avx2(double* out, const FourRows& rows, size_t n) {
  add_rows(out, rows, n);
}
SPAR_TARGET_512("avx512f") void add_rows_avx512(double* out, const FourRows& rows, size_t n) { add_rows(out, rows, n); }
AddRows best_add_rows() {
  if (__builtin_cpu_supports("avx512f")) return add_rows_avx512;
  return __builtin_cpu_supports("avx2") ? add_rows_avx2 : add_rows_portable;
}
#else
AddRows best_add_rows() { return add_rows_portable; }
#endif

size_t product(std::span<const size_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), size_t{1}, std::multiplies<>());
}

}  // namespace

void PayoffTable::each(std::span<const size_t> sizes, const std::function<void(std::span<const size_t>)>& call) {
  std::vector<size_t> index(sizes.size(), 0);
  for (size_t left = product(sizes); left > 0; --left) {
    call(index);
    for (size_t p = index.size(); p-- > 0;) {
      if (++index[p] < sizes[p]) break;
      index[p] = 0;
    }
  }
}

size_t PayoffTable::cells() const { return product(sizes_); }

size_t PayoffTable::offset(size_t player, std::span<const size_t> index) const {
  size_t at = 0;
  for (size_t p = 0; p < index.size(); ++p)
    if (p != player) at = at * capacity_[p] + index[p];
  return at * capacity_[player] + index[player];
}

void PayoffTable::grow(const std::vector<size_t>& sizes) {
  bool fits = true;
  for (size_t p = 0; p < sizes.size(); ++p) fits = fits && sizes[p] <= capacity_[p];
  if (!fits) {
    PayoffTable larger(players());
    for (size_t p = 0; p < sizes.size(); ++p) {
      size_t capacity = std::max<size_t>(capacity_[p], 8);
      // Odd numbers of cache lines: rows a power of two apart would compete for the same places in the cache.
      while (capacity < sizes[p]) capacity = 2 * capacity + 8;
      larger.capacity_[p] = capacity;
    }
    larger.sizes_ = sizes_;
    larger.known_ = known_;
    for (auto& payoff : larger.payoff_) payoff.assign(product(larger.capacity_), 0.0);
    if (cells() > 0) {
      each(sizes_, [&](std::span<const size_t> index) {
        for (size_t p = 0; p < players(); ++p) larger.payoff_[p][larger.offset(p, index)] = at(p, index);
      });
    }
    *this = std::move(larger);
  }
  sizes_ = sizes;
}

bool PayoffTable::missing(std::span<const size_t> index) const {
  for (size_t p = 0; p < index.size(); ++p)
    if (index[p] >= known_[p]) return true;
  return false;
}

void PayoffTable::set(std::span<const size_t> index, std::span<const double> payoffs) {
  for (size_t p = 0; p < players(); ++p) payoff_[p][offset(p, index)] = payoffs[p];
}

void PayoffTable::fill(const std::function<std::vector<double>(std::span<const size_t>)>& payoffs) {
  each(sizes_, [&](std::span<const size_t> index) {
    if (missing(index)) set(index, payoffs(index));
  });
  complete();
}

void PayoffTable::save(ByteWriter& writer) const {
  writer.array<size_t>(sizes_);
  each(sizes_, [&](std::span<const size_t> index) {
    for (size_t p = 0; p < players(); ++p) writer.put(at(p, index));
  });
}

void PayoffTable::load(ByteReader& reader) {
  std::vector<size_t> sizes(players());
  reader.array(std::span(sizes));
  size_t all = players() * sizeof(double);
  for (const size_t size : sizes) {
    if (size > 0 && all > reader.left() / size)
      throw Error("E0501", Exit::failed, "the saved payoff table is larger than its bytes");
    all *= size;
  }
  grow(sizes);
  std::vector<double> payoffs(players());
  each(sizes, [&](std::span<const size_t> index) {
    for (double& payoff : payoffs) payoff = reader.get<double>();
    set(index, payoffs);
  });
  complete();
}

void slopes(const PayoffTable& table, size_t player, const Mixture& mixture, std::span<double> slope) {
  const size_t n = table.sizes()[player];
  std::fill_n(slope.begin(), n, 0.0);
  if (table.players() == 2) {
    const auto& other = mixture[1 - player];
    static const AddRows add = best_add_rows();
    FourRows rows{};
    size_t held = 0;
    for (size_t j = 0; j < other.size(); ++j) {
      if (other[j] == 0) continue;
      rows.row[held] = table.row(player, j);
      rows.weight[held] = other[j];
      if (++held < 4) continue;
      add(slope.data(), rows, n);
      held = 0;
    }
    if (held == 0) return;
    for (; held < 4; ++held) {
      rows.row[held] = rows.row[0];
      rows.weight[held] = 0;
    }
    add(slope.data(), rows, n);
    return;
  }
  PayoffTable::each(table.sizes(), [&](std::span<const size_t> index) {
    double weight = 1;
    for (size_t p = 0; p < table.players(); ++p)
      if (p != player) weight *= mixture[p][index[p]];
    if (weight != 0) slope[index[player]] += weight * table.at(player, index);
  });
}

}  // namespace spar::game
