#include "core/league/matchmaker.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/rng/draw.hpp"
#include "core/rollout/actions.hpp"

namespace spar::league {

Matchmaker::Matchmaker(const config::LeagueConfig& league, Kind kind, uint64_t active, std::span<const PastPlayer> past,
                       std::vector<double> win_rates, Philox random)
    : league_(league), kind_(kind), active_(active), past_(past), win_rates_(std::move(win_rates)), random_(random) {}

size_t Matchmaker::draw() { return spar::draw(opponents(league_, kind_, active_, past_, win_rates_), random_); }

void Matchmaker::note(size_t opponent, double score) {
  ++episodes_;
  if (opponent < win_rates_.size()) win_rates_[opponent] += kStep * (score - win_rates_[opponent]);
}

bool Matchmaker::beats_all() const {
  if (kind_ == Kind::main_agent || episodes_ < kFewestEpisodes) return false;
  const auto beaten = [this](size_t i) { return win_rates_[i] > league_.snapshot_win_rate; };
  for (uint64_t main_agent = 0; kind_ == Kind::main_exploiter && main_agent < league_.main_agents; ++main_agent) {
    size_t newest = past_.size() - 1;
    while (past_[newest].active != main_agent) --newest;
    if (!beaten(newest)) return false;
  }
  for (size_t i = 0; kind_ == Kind::league_exploiter && i < past_.size(); ++i)
    if (!beaten(i)) return false;
  return true;
}

DrawnOpponent::DrawnOpponent(Matchmaker& matchmaker, std::span<const PastPlayer> past, Make make, FrozenPolicy& itself,
                             const rollout::AgentPort& port, uint64_t copies)
    : matchmaker_(matchmaker),
      past_(past),
      make_(std::move(make)),
      itself_(itself),
      port_(port),
      copies_(copies),
      chosen_(copies, 0),
      met_(copies, 0),
      answers_(copies) {
  rollout::add_action_column(answers_, port.action);
}

void DrawnOpponent::begin(uint64_t copy) {
  met_[copy] = chosen_[copy];
  chosen_[copy] = matchmaker_.draw();
  guest(chosen_[copy]).player.begin(copy);
}

DrawnOpponent::Guest& DrawnOpponent::guest(size_t opponent) {
  const auto found = guests_.find(opponent);
  if (found != guests_.end()) return found->second;
  const bool itself = opponent == past_.size();
  std::unique_ptr<FrozenPolicy> policy = itself ? nullptr : make_(opponent);
  FrozenPolicy& plays = itself ? itself_ : *policy;
  const std::string label = itself ? "the player itself" : "the past player `" + past_[opponent].name + "`";
  return guests_.try_emplace(opponent, std::move(policy), plays, label, port_, copies_).first->second;
}

void DrawnOpponent::act(const std::vector<uint64_t>& copies, rollout::Batch& actions) {
  order_.resize(copies.size());
  std::iota(order_.begin(), order_.end(), size_t{0});
  std::ranges::sort(order_, [&](size_t a, size_t b) {
    const size_t first = chosen_[copies[a]], second = chosen_[copies[b]];
    return first != second ? first < second : a < b;
  });
  const size_t bytes = actions.row_bytes(0);
  for (size_t begin = 0, end = 0; begin < order_.size(); begin = end) {
    const size_t opponent = chosen_[copies[order_[begin]]];
    together_.clear();
    for (; end < order_.size() && chosen_[copies[order_[end]]] == opponent; ++end)
      together_.push_back(copies[order_[end]]);
    guest(opponent).player.act(together_, answers_);
    for (size_t i = begin; i < end; ++i)
      std::memcpy(actions.bytes(0) + order_[i] * bytes, answers_.bytes(0) + (i - begin) * bytes, bytes);
  }
}

}  // namespace spar::league
