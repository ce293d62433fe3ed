// Games in which everybody chooses at once and a table says who gets what, played for `rounds` rounds. An agent sees
// the last choice of every other agent, one-hot, with one more place for "none yet". What it remembers of earlier
// rounds is part of its information sets.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "spar/game.hpp"

namespace spar::games {

/// payoffs[agent * cells + cell]; the last agent's action runs fastest through the cells.
struct PayoffTable {
  std::vector<int64_t> actions;
  std::vector<double> payoffs;

  size_t agents() const { return actions.size(); }
  size_t cells() const {
    size_t cells = 1;
    for (const int64_t n : actions) cells *= static_cast<size_t>(n);
    return cells;
  }
};

inline PayoffTable zero_sum(int64_t rows, int64_t columns, std::vector<double> payoffs) {
  for (size_t i = 0, n = payoffs.size(); i < n; ++i) payoffs.push_back(-payoffs[i]);
  return {{rows, columns}, std::move(payoffs)};
}
inline PayoffTable common_interest(int64_t n, std::vector<double> payoffs) {
  payoffs.insert(payoffs.end(), payoffs.begin(), payoffs.begin() + static_cast<std::ptrdiff_t>(payoffs.size()));
  return {{n, n}, std::move(payoffs)};
}

template <class Derived>
struct MatrixGame : Game<Derived> {
  static constexpr size_t kMaxAgents = 4, kMaxRounds = 15;
  static constexpr std::array<const char*, 0> kNames{};  ///< of the actions, for a game that has them to hide this

  struct State : GameState {
    int64_t round;
    double paid[kMaxAgents];
    uint8_t history[kMaxRounds + 1][kMaxAgents];  // choices by round
  };

  MatrixGame(PayoffTable table, int64_t rounds) : table_(std::move(table)), rounds_(rounds) {}

  World world() const {
    std::vector<AgentSpaces> list;
    for (size_t agent = 0; agent < agents(); ++agent) {
      list.push_back({"player_" + std::to_string(agent), Space::box(static_cast<int64_t>(width(agent)), 0, 1),
                      Space::discrete(table_.actions[agent])});
    }
    return World(std::move(list));
  }
  size_t agents() const { return table_.agents(); }
  int64_t actions(size_t agent) const { return table_.actions[agent]; }
  void begin(State& /*s*/) const {}

  int32_t turn(const State& s) const { return s.round < rounds_ ? SPAR_PLAYER_SIMULTANEOUS : SPAR_PLAYER_TERMINAL; }
  bool legal(const State& /*s*/, size_t /*agent*/, int64_t /*action*/) const { return true; }
  void apply(State& s, const int64_t* actions) const {
    size_t cell = 0;
    for (size_t agent = 0; agent < agents(); ++agent) {
      cell = cell * static_cast<size_t>(table_.actions[agent]) + static_cast<size_t>(actions[agent]);
      s.history[s.round][agent] = static_cast<uint8_t>(actions[agent]);
    }
    for (size_t agent = 0; agent < agents(); ++agent) s.paid[agent] += table_.payoffs[agent * table_.cells() + cell];
    ++s.round;
  }
  void payoff(const State& s, double* out) const { std::copy_n(s.paid, agents(), out); }
  void infoset(const State& s, size_t /*agent*/, StreamWriter& out) const {
    out.put(static_cast<uint8_t>(s.round));
    out.raw(s.history, static_cast<uint64_t>(s.round) * kMaxAgents);
  }
  void observe(const State& s, size_t agent, float* obs) const {
    std::fill_n(obs, width(agent), 0.0F);
    for (size_t other = 0; other < agents(); ++other) {
      if (other == agent && agents() > 1) continue;
      const auto none = static_cast<size_t>(table_.actions[other]);
      obs[s.round > 0 ? s.history[s.round - 1][other] : none] = 1;
      obs += none + 1;
    }
  }
  std::string text(const State& s, size_t agent) const {
    std::string out;
    for (int64_t round = 0; round < s.round; ++round) {
      out += "round " + std::to_string(round + 1) + ":";
      for (size_t who = 0; who < agents(); ++who) {
        const int64_t action = s.history[round][who];
        const std::string name = action_name(s, who, action);
        out += (who > 0 ? ", " : " ") + (who == agent ? "you" : "player_" + std::to_string(who)) + " " +
               (name.empty() ? std::to_string(action) : name);
      }
      out += "\n";
    }
    if (s.round < rounds_) out += "round " + std::to_string(s.round + 1) + " of " + std::to_string(rounds_) + "\n";
    return out;
  }
  std::string action_name(const State& /*s*/, size_t /*agent*/, [[maybe_unused]] int64_t action) const {
    if constexpr (Derived::kNames.empty())
      return "";
    else
      return Derived::kNames[static_cast<size_t>(action)];
  }
  bool valid(const State& s) const {
    bool sound = s.offender == -1 && s.round >= 0 && s.round <= rounds_;
    for (int64_t round = 0; sound && round < s.round; ++round)
      for (size_t agent = 0; agent < agents(); ++agent)
        sound = sound && s.history[round][agent] < table_.actions[agent];
    return sound;
  }

 private:
  size_t width(size_t agent) const {
    size_t width = 0;
    for (size_t other = 0; other < agents(); ++other)
      if (other != agent || agents() == 1) width += static_cast<size_t>(table_.actions[other]) + 1;
    return width;
  }

  PayoffTable table_;
  int64_t rounds_;
};

}  // namespace spar::games
