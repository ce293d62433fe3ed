// Everybody's win rate against everybody: the payoff matrix of a league.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/game/plan.hpp"
#include "core/league/arena.hpp"
#include "core/league/frozen.hpp"
#include "core/league/matchmaking.hpp"
#include "core/params/store.hpp"

namespace spar::league {

class Results {
 public:
  size_t players() const { return players_; }
  /// [players, players]: of the row's player against the column's, draws counted half, both seats alike; 1/2 on the
  /// diagonal.
  std::span<const double> win_rates() const { return rates_; }
  double win_rate(size_t player, size_t other) const { return rates_[player * players_ + other]; }
  std::vector<double> row(size_t player) const;
  /// Against everybody else.
  double mean(size_t player) const;

  /// More players, who have not met anybody: their win rates are 1/2 until they are set.
  void grow(size_t players);
  void set(size_t player, size_t other, double win_rate);

  void save(ByteWriter& writer) const;
  void load(ByteReader& reader);

 private:
  size_t players_ = 0;
  std::vector<double> rates_;
};

/// Fills in the results of those of `past` who are not in there yet, against everybody: match_episodes episodes for
/// each two players, half of them with the seats changed, the same seeds for all; or, on an exact game, what they come
/// to. `parameters`: of each past player, under its name. The same `seed` gives the same results. False if `cancelled`
/// says true; then nothing has changed.
bool complete(Results& results, const Arena& arena, std::span<const PastPlayer> past, const params::Store& parameters,
              uint64_t seed, const std::function<bool()>& cancelled);

/// What a policy plays greedily on an exact game: a plan for each seat.
std::vector<game::Plan> plans_of(const ExactGame& game, FrozenPolicy& policy, const Arena& arena,
                                 const std::string& label);

}  // namespace spar::league
