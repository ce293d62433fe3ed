// Leduc poker: six cards (three ranks, two suits), ante 1, two rounds with a public card between them, raises of 2 and
// then 4, at most two a round; action 0 folds, 1 calls (or checks), 2 raises. A pair with the public card wins, then
// the higher rank. Southey et al., "Bayes' bluff: opponent modelling in poker" (2005), with the rules of OpenSpiel.
#pragma once

#include <algorithm>
#include <string>

#include "spar/game.hpp"
#include "tensors.hpp"

namespace spar::games {

struct LeducPoker : Game<LeducPoker> {
  static constexpr const char *id = "org.spar.games/leduc_poker", *version = "1.0.0", *title = "Leduc poker";
  static constexpr size_t kOutcomes = 6;
  static constexpr int64_t kCards = 6, kMostMoves = 4, kMostRaises = 2;
  enum { kFold = 0, kCall = 1, kRaise = 2 };
  using Config = TensorConfig;
  static const Schema<Config>& schema() { return tensor_schema(); }

  struct State : GameState {
    int64_t card[2], common;
    int64_t stake[2];
    int64_t round, moves[2], raises;  // moves of each round; raises of this one
    int64_t move[2][kMostMoves];
    int64_t folded;  // player that gave up; -1: none
    int64_t player;  // to move, while the round goes on
    int64_t open;    // 1: the round goes on
  };

  explicit LeducPoker(const Config& config) : information_(config.tensor == "information") {}

  World world() const {
    const Space obs = information_ ? Space::box(kInformation, 0, 1) : Space::box(kObservation, 0, 13);
    return World({{"player_0", obs, Space::discrete(3)}, {"player_1", obs, Space::discrete(3)}});
  }
  int64_t actions(size_t /*agent*/) const { return 3; }

  void begin(State& s) const {
    s.card[0] = s.card[1] = s.common = s.folded = -1;
    s.stake[0] = s.stake[1] = s.open = 1;
  }

  int32_t turn(const State& s) const {
    if (s.card[1] < 0) return SPAR_PLAYER_CHANCE;
    if (s.folded >= 0) return SPAR_PLAYER_TERMINAL;
    if (s.open) return static_cast<int32_t>(s.player);
    return s.round == 0 ? SPAR_PLAYER_CHANCE : SPAR_PLAYER_TERMINAL;
  }
  bool legal(const State& s, size_t agent, int64_t action) const {
    if (action == kFold) return s.stake[1 - agent] > s.stake[agent];
    return action == kCall || s.raises < kMostRaises;
  }

  size_t chance(const State& s, int64_t* outcomes, double* probabilities) const {
    size_t count = 0;
    for (int64_t card = 0; card < kCards; ++card) {
      if (card == s.card[0] || card == s.card[1]) continue;
      outcomes[count++] = card;
    }
    std::fill_n(probabilities, count, 1.0 / static_cast<double>(count));
    return count;
  }

  void apply(State& s, const int64_t* actions) const {
    const int64_t action = actions[0];
    if (s.card[0] < 0) {
      s.card[0] = action;
    } else if (s.card[1] < 0) {
      s.card[1] = action;
    } else if (!s.open) {
      s.common = action;
      s.round = s.open = 1;
      s.player = s.raises = 0;
    } else {
      bet(s, action);
    }
  }

  void payoff(const State& s, double* out) const {
    out[0] = out[1] = 0;
    if (turn(s) != SPAR_PLAYER_TERMINAL) return;
    const int64_t winner = s.folded >= 0 ? 1 - s.folded : showdown(s);
    if (winner < 0) return;
    out[winner] = static_cast<double>(s.stake[1 - winner]);
    out[1 - winner] = -out[winner];
  }

  void infoset(const State& s, size_t agent, StreamWriter& out) const {
    out.put(static_cast<int8_t>(s.card[agent]));
    out.put(static_cast<int8_t>(s.common));
    for (int64_t round = 0; round <= s.round; ++round) {
      for (int64_t i = 0; i < s.moves[round]; ++i) out.put(static_cast<int8_t>(s.move[round][i]));
      out.put(int8_t{-1});
    }
  }

  void observe(const State& s, size_t agent, float* obs) const {
    std::fill_n(obs, information_ ? kInformation : kObservation, 0.0F);
    obs[agent] = 1;
    if (s.card[agent] >= 0) obs[2 + s.card[agent]] = 1;
    if (s.common >= 0) obs[2 + kCards + s.common] = 1;
    float* rest = obs + 2 + 2 * kCards;
    if (!information_) {
      rest[0] = static_cast<float>(s.stake[0]);
      rest[1] = static_cast<float>(s.stake[1]);
      return;
    }
    for (int64_t round = 0; round < 2; ++round)
      for (int64_t i = 0; i < s.moves[round]; ++i)
        if (s.move[round][i] != kFold) rest[2 * (round * kMostMoves + i) + s.move[round][i] - kCall] = 1;
  }

  /// Suits decide nothing, so cards are their ranks.
  std::string text(const State& s, size_t agent) const {
    const std::string other = "player_" + std::to_string(1 - agent);
    std::string out =
        "your card: " + card_text(s.card[agent]) + "   public card: " + card_text(s.common) + "   " + other + ": ";
    out += turn(s) == SPAR_PLAYER_TERMINAL ? card_text(s.card[1 - agent]) : "?";
    out += "\nround " + std::to_string(s.round + 1) + ", in the pot: you " + std::to_string(s.stake[agent]) + ", " +
           other + " " + std::to_string(s.stake[1 - agent]) + "\n";
    return out;
  }
  std::string action_name(const State& s, size_t agent, int64_t action) const {
    if (action == kFold) return "fold";
    if (action == kRaise) return "raise by " + std::to_string(s.round == 0 ? 2 : 4);
    return s.stake[1 - agent] > s.stake[agent] ? "call" : "check";
  }

  bool valid(const State& s) const {
    const auto within = [](int64_t x, int64_t low, int64_t high) { return x >= low && x <= high; };
    bool sound = within(s.offender, -1, 1) && within(s.folded, -1, 1) && within(s.player, 0, 1) &&
                 within(s.round, 0, 1) && within(s.open, 0, 1) && within(s.raises, 0, kMostRaises) &&
                 within(s.common, -1, kCards - 1);
    for (int player = 0; player < 2; ++player)
      sound = sound && within(s.card[player], -1, kCards - 1) && within(s.stake[player], 1, 13);
    for (int round = 0; round < 2; ++round) {
      sound = sound && within(s.moves[round], 0, kMostMoves);
      for (const int64_t move : s.move[round]) sound = sound && within(move, kFold, kRaise);
    }
    return sound;
  }

 private:
  static std::string card_text(int64_t card) { return card < 0 ? "-" : std::string(1, "JQK"[card / 2]); }

  static constexpr int64_t kInformation = 2 + 2 * kCards + int64_t{4} * kMostMoves, kObservation = 2 + 2 * kCards + 2;

  static void bet(State& s, int64_t action) {
    const int64_t most = std::max(s.stake[0], s.stake[1]), me = s.player;
    s.move[s.round][s.moves[s.round]++] = action;
    if (action == kFold) {
      s.folded = me;
      return;
    }
    s.stake[me] = most;
    if (action == kRaise) {
      s.stake[me] += s.round == 0 ? 2 : 4;
      ++s.raises;
    } else if (s.moves[s.round] >= 2) {
      s.open = 0;  // a call ends the round, unless it is the check that opens it
    }
    s.player = 1 - me;
  }

  /// The winner, -1 if the pot is split.
  static int64_t showdown(const State& s) {
    const int64_t first = s.card[0] / 2, second = s.card[1] / 2, common = s.common / 2;
    if (first == second) return -1;
    if (first == common) return 0;
    if (second == common) return 1;
    return first > second ? 0 : 1;
  }

  bool information_;
};

}  // namespace spar::games
