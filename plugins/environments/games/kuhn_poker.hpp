// Kuhn poker: three cards, ante 1, one bet of 1; action 0 passes (or folds), 1 bets (or calls). Value -1/18 for the
// first player. Kuhn, "A simplified two-person poker" (1950).
#pragma once

#include <string>

#include "spar/game.hpp"
#include "tensors.hpp"

namespace spar::games {

struct KuhnPoker : Game<KuhnPoker> {
  static constexpr const char *id = "org.spar.games/kuhn_poker", *version = "1.0.0", *title = "Kuhn poker";
  static constexpr size_t kOutcomes = 3;
  static constexpr int64_t kCards = 3, kMostMoves = 3;
  using Config = TensorConfig;
  static const Schema<Config>& schema() { return tensor_schema(); }

  struct State : GameState {
    int64_t card[2];
    int64_t moves;             // of the betting so far
    int64_t move[kMostMoves];  // 0 pass, 1 bet
  };

  explicit KuhnPoker(const Config& config) : information_(config.tensor == "information") {}

  World world() const {
    const Space obs = Space::box(information_ ? 2 + kCards + 2 * kMostMoves : 2 + kCards + 2, 0, information_ ? 1 : 2);
    return World({{"player_0", obs, Space::discrete(2)}, {"player_1", obs, Space::discrete(2)}});
  }
  int64_t actions(size_t /*agent*/) const { return 2; }

  void begin(State& s) const { s.card[0] = s.card[1] = -1; }

  int32_t turn(const State& s) const {
    if (s.card[1] < 0) return SPAR_PLAYER_CHANCE;
    if (s.moves < 2) return static_cast<int32_t>(s.moves);
    return s.moves == 2 && s.move[0] == 0 && s.move[1] == 1 ? 0 : SPAR_PLAYER_TERMINAL;
  }
  bool legal(const State& /*s*/, size_t /*agent*/, int64_t /*action*/) const { return true; }

  size_t chance(const State& s, int64_t* outcomes, double* probabilities) const {
    size_t count = 0;
    for (int64_t card = 0; card < kCards; ++card) {
      if (card == s.card[0]) continue;
      outcomes[count++] = card;
    }
    std::fill_n(probabilities, count, 1.0 / static_cast<double>(count));
    return count;
  }

  void apply(State& s, const int64_t* actions) const {
    if (s.card[0] < 0)
      s.card[0] = actions[0];
    else if (s.card[1] < 0)
      s.card[1] = actions[0];
    else
      s.move[s.moves++] = actions[0];
  }

  void payoff(const State& s, double* out) const {
    out[0] = out[1] = 0;
    if (turn(s) != SPAR_PLAYER_TERMINAL) return;
    const int64_t first = staked(s, 0), second = staked(s, 1);
    const bool wins = first == second ? s.card[0] > s.card[1] : first > second;
    out[0] = static_cast<double>(wins ? second : -first);
    out[1] = -out[0];
  }

  void infoset(const State& s, size_t agent, StreamWriter& out) const {
    out.put(static_cast<int8_t>(s.card[agent]));
    for (int64_t i = 0; i < s.moves; ++i) out.put(static_cast<int8_t>(s.move[i]));
  }

  void observe(const State& s, size_t agent, float* obs) const {
    std::fill_n(obs, information_ ? 11 : 7, 0.0F);
    obs[agent] = 1;
    if (s.card[agent] >= 0) obs[2 + s.card[agent]] = 1;
    if (information_) {
      for (int64_t i = 0; i < s.moves; ++i) obs[2 + kCards + 2 * i + s.move[i]] = 1;
    } else {
      obs[2 + kCards] = static_cast<float>(staked(s, 0));
      obs[2 + kCards + 1] = static_cast<float>(staked(s, 1));
    }
  }

  std::string text(const State& s, size_t agent) const {
    const std::string other = "player_" + std::to_string(1 - agent);
    std::string out = "your card: " + card_text(s.card[agent]) + "   " + other + ": ";
    out += turn(s) == SPAR_PLAYER_TERMINAL ? card_text(s.card[1 - agent]) : "?";
    out += "\nin the pot: you " + std::to_string(staked(s, static_cast<int64_t>(agent))) + ", " + other + " " +
           std::to_string(staked(s, static_cast<int64_t>(1 - agent))) + "\n";
    return out;
  }
  std::string action_name(const State& s, size_t /*agent*/, int64_t action) const {
    const bool facing_bet = s.moves > 0 && s.move[s.moves - 1] == 1;
    return facing_bet ? action == 1 ? "call" : "fold" : action == 1 ? "bet" : "pass";
  }

  bool valid(const State& s) const {
    bool sound = s.offender >= -1 && s.offender < 2 && s.moves >= 0 && s.moves <= kMostMoves;
    for (const int64_t card : s.card) sound = sound && card >= -1 && card < kCards;
    for (const int64_t move : s.move) sound = sound && (move == 0 || move == 1);
    return sound;
  }

 private:
  static std::string card_text(int64_t card) { return card < 0 ? "-" : std::string(1, "JQK"[card]); }

  /// Ante and bet of a player.
  static int64_t staked(const State& s, int64_t player) {
    int64_t stake = 1;
    for (int64_t i = player; i < s.moves; i += 2) stake += s.move[i];
    return stake;
  }

  bool information_;
};

}  // namespace spar::games
