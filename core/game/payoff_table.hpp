// The empirical game: what every combination of strategies in the populations pays, for any number of players. It grows
// with the populations, and only cells that are missing are computed.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/base/bytes.hpp"

namespace spar::game {

class PayoffTable {
 public:
  explicit PayoffTable(size_t players) : sizes_(players, 0), known_(players, 0), capacity_(players, 0) {
    payoff_.resize(players);
  }

  size_t players() const { return sizes_.size(); }
  const std::vector<size_t>& sizes() const { return sizes_; }  ///< strategies of each player
  size_t cells() const;

  /// More strategies for some players; the cells that they bring are missing until set.
  void grow(const std::vector<size_t>& sizes);
  /// Calls set() with what payoffs(index) answers, for every missing cell; afterwards none is missing.
  void fill(const std::function<std::vector<double>(std::span<const size_t>)>& payoffs);
  /// Is it a cell that fill() would ask for?
  bool missing(std::span<const size_t> index) const;
  void set(std::span<const size_t> index, std::span<const double> payoffs);
  /// Every cell was set by other means.
  void complete() { known_ = sizes_; }

  double at(size_t player, std::span<const size_t> index) const { return payoff_[player][offset(player, index)]; }
  /// Two players: the payoffs of `player` for its own strategies 0, 1, .. against strategy `other`, side by side.
  double* row(size_t player, size_t other) { return payoff_[player].data() + other * capacity_[player]; }
  const double* row(size_t player, size_t other) const { return payoff_[player].data() + other * capacity_[player]; }

  /// Every index in order, the last player's running fastest, until call(index) was made for all.
  static void each(std::span<const size_t> sizes, const std::function<void(std::span<const size_t>)>& call);

  void save(ByteWriter& writer) const;
  /// Throws E0501 if it was saved for another number of players.
  void load(ByteReader& reader);

 private:
  /// The own strategy runs fastest, then the others' from the last to the first.
  size_t offset(size_t player, std::span<const size_t> index) const;

  std::vector<size_t> sizes_, known_, capacity_;
  std::vector<std::vector<double>> payoff_;  ///< by player; capacity_ cells
};

/// One distribution over each player's strategies.
using Mixture = std::vector<std::vector<double>>;

/// slope[i] = payoff of `player` for its strategy i when the others play the mixture.
void slopes(const PayoffTable& table, size_t player, const Mixture& mixture, std::span<double> slope);

}  // namespace spar::game
