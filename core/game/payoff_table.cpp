#include "core/game/payoff_table.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace spar::game {
namespace {

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
      while (capacity < sizes[p]) capacity *= 2;
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
    double* const out = slope.data();
    for (size_t j = 0; j < other.size(); ++j) {
      const double weight = other[j];
      if (weight == 0) continue;
      const double* row = table.row(player, j);
      for (size_t i = 0; i < n; ++i) out[i] += weight * row[i];
    }
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
