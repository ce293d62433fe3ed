#include "core/league/matchmaking.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace spar::league {
namespace {

/// Some of the past players, and the win rates against them.
struct Some {
  std::vector<size_t> index;
  std::vector<double> win_rate;

  bool below(double limit) const { return !win_rate.empty() && *std::ranges::min_element(win_rate) < limit; }
};

template <class Wanted>
Some those(std::span<const PastPlayer> past, std::span<const double> win_rates, Wanted&& wanted) {
  Some out;
  for (size_t i = 0; i < past.size(); ++i) {
    if (!wanted(past[i])) continue;
    out.index.push_back(i);
    out.win_rate.push_back(win_rates[i]);
  }
  return out;
}

Some selves_of(uint64_t active, std::span<const PastPlayer> past, std::span<const double> win_rates) {
  return those(past, win_rates, [active](const PastPlayer& player) { return player.active == active; });
}

class Draw {
 public:
  Draw(const config::LeagueConfig& league, std::span<const PastPlayer> past, std::span<const double> win_rates)
      : league_(league), past_(past), win_rates_(win_rates), out_(past.size() + 1, 0.0) {}

  void add_itself(double share) { out_.back() += share; }
  void add(double share, const Some& some, std::string_view weighting) {
    const std::vector<double> weights = pfsp(weighting, league_.pfsp_power, some.win_rate);
    for (size_t i = 0; i < weights.size(); ++i) out_[some.index[i]] += share * weights[i];
  }
  void add_everybody(double share) {
    add(share, those(past_, win_rates_, [](const PastPlayer&) { return true; }), league_.pfsp);
  }
  /// The newest self of an active player, unless it is won against no more often than `limit`.
  void add_newest(double share, uint64_t active, double limit) {
    const Some selves = selves_of(active, past_, win_rates_);
    if (selves.win_rate.back() > limit)
      out_[selves.index.back()] += share;
    else
      add(share, selves, "even");
  }
  /// False if there is nobody to be verified against.
  bool add_verification(double share, uint64_t main_agent) {
    const Some exploiters =
        those(past_, win_rates_, [](const PastPlayer& p) { return p.kind == Kind::main_exploiter; });
    if (exploiters.below(kBeaten)) {
      add(share, exploiters, "hard");
      return true;
    }
    Some forgotten = selves_of(main_agent, past_, win_rates_);
    const size_t kept = perhaps_forgotten(forgotten.win_rate);
    forgotten.index.resize(kept);
    forgotten.win_rate.resize(kept);
    if (!forgotten.below(kKept)) return false;
    add(share, forgotten, "hard");
    return true;
  }
  std::vector<double> take() { return std::move(out_); }

 private:
  const config::LeagueConfig& league_;
  std::span<const PastPlayer> past_;
  std::span<const double> win_rates_;
  std::vector<double> out_;
};

}  // namespace

std::string_view name(Kind kind) {
  static constexpr std::string_view kNames[] = {"main_agent", "main_exploiter", "league_exploiter"};
  return kNames[static_cast<size_t>(kind)];
}

std::vector<double> pfsp(std::string_view weighting, double power, std::span<const double> win_rates) {
  std::vector<double> out;
  for (const double w : win_rates)
    out.push_back(weighting == "hard" ? std::pow(1 - w, power) : weighting == "even" ? w * (1 - w) : 1.0);
  const double sum = std::accumulate(out.begin(), out.end(), 0.0);
  for (double& weight : out) weight = sum > 0 ? weight / sum : 1.0 / static_cast<double>(out.size());
  return out;
}

size_t perhaps_forgotten(std::span<const double> win_rates) {
  for (size_t i = win_rates.size(); i > 1; --i)
    if (win_rates[i - 2] < win_rates[i - 1]) return i;
  return 0;
}

std::vector<double> opponents(const config::LeagueConfig& league, Kind kind, uint64_t active,
                              std::span<const PastPlayer> past, std::span<const double> win_rates) {
  Draw draw(league, past, win_rates);
  if (kind == Kind::league_exploiter) {
    draw.add_everybody(1);
    return draw.take();
  }
  const double each = 1.0 / league.main_agents;
  if (kind == Kind::main_agent) draw.add_everybody(std::max(0.0, 1 - league.self_play - league.verification));
  for (uint64_t main_agent = 0; main_agent < league.main_agents; ++main_agent) {
    if (kind == Kind::main_exploiter) {
      draw.add_newest(each, main_agent, kChanceless);
      continue;
    }
    double share = league.self_play * each;
    if (!draw.add_verification(league.verification * each, main_agent)) share += league.verification * each;
    if (main_agent == active)
      draw.add_itself(share);
    else
      draw.add_newest(share, main_agent, kHopeless);
  }
  return draw.take();
}

}  // namespace spar::league
