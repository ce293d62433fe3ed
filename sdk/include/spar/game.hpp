// What the author of a game derives from: the rules alone, as functions of one position. Play (reset, step, masks, who
// acts) and the game tree (exact solving) both follow from them, so they cannot disagree.
//
//   struct Pennies : spar::Game<Pennies> {
//     static constexpr const char *id = "org.example.pennies", *version = "1.0.0", *title = "One hides, one guesses";
//     struct State : spar::GameState { int64_t hidden, guess; };          // trivially copyable, without padding
//     spar::World world() const;                                          // discrete actions
//     void begin(State& s) const { s.hidden = s.guess = -1; }             // before chance moves
//     int32_t turn(const State& s) const { return s.hidden < 0 ? 0 : s.guess < 0 ? 1 : SPAR_PLAYER_TERMINAL; }
//     bool legal(const State&, size_t agent, int64_t action) const { return true; }
//     void apply(State& s, const int64_t* actions) const { (s.hidden < 0 ? s.hidden : s.guess) = actions[0]; }
//     void payoff(const State& s, double* out) const;                     // of each agent since the beginning
//     void infoset(const State&, size_t agent, spar::StreamWriter&) const;   // all that the agent knows
//     void observe(const State&, size_t agent, float* obs) const;
//   };
//
// turn() names an agent, SPAR_PLAYER_CHANCE, _SIMULTANEOUS (apply() then gets one action of each agent) or _TERMINAL.
// With chance:  static constexpr size_t kOutcomes = 6;                    // the most outcomes of one chance move
//               size_t chance(const State&, int64_t* outcomes, double* probabilities) const;     returns their number
//
// An agent that plays an illegal action ends the episode with reward -1 for itself and 0 for the others, as
// PettingZoo's classic games do; the tree has no such moves.
#pragma once

#include <algorithm>
#include <array>

#include "spar/environment.hpp"

namespace spar {

/// Base of a game's State.
struct GameState {
  int64_t offender = -1;  ///< agent that ended the episode by an illegal action; -1: none
};

template <class Rules>
struct Game : Environment {
  using Action = int64_t;
  static constexpr size_t kOutcomes = 1;
  static constexpr size_t kMaxAgents = 8;

  template <class State>
  void root(State& s) const {
    s = State{};
    rules().begin(s);
  }
  template <class State>
  int32_t current_player(const State& s) const {
    return s.offender >= 0 ? SPAR_PLAYER_TERMINAL : rules().turn(s);
  }
  template <class State>
  bool acting(const State& s, size_t agent) const {
    const int32_t player = current_player(s);
    return player == static_cast<int32_t>(agent) || player == SPAR_PLAYER_SIMULTANEOUS;
  }
  /// What each agent has been paid since the beginning.
  template <class State>
  void paid(const State& s, double* out) const {
    rules().payoff(s, out);
    if (s.offender >= 0) out[s.offender] -= 1;
  }

  template <class State>
  void reset(State& s, NumpyRandom& random) const {
    root(s);
    play_chance(s, random);
  }

  template <class State>
  void step(State& s, const Action* actions, Outcome* outcomes, NumpyRandom& random) const {
    const size_t agents = rules().agents();
    const int32_t player = current_player(s);
    std::array<double, kMaxAgents> before{}, after{};
    if (player != SPAR_PLAYER_TERMINAL) {
      paid(s, before.data());
      if (player >= 0)
        move(s, static_cast<size_t>(player), 1, actions + player);
      else
        move(s, 0, agents, actions);
      play_chance(s, random);
      paid(s, after.data());
    }
    const bool ended = current_player(s) == SPAR_PLAYER_TERMINAL;
    for (size_t agent = 0; agent < agents; ++agent) outcomes[agent] = {after[agent] - before[agent], ended, false};
  }

  template <class State>
  void action_mask(const State& s, size_t agent, uint8_t* mask) const {
    const auto n = static_cast<size_t>(rules().actions(agent));
    if (!acting(s, agent)) {
      std::fill_n(mask, n, uint8_t{0});
      return;
    }
    for (size_t action = 0; action < n; ++action)
      mask[action] = rules().legal(s, agent, static_cast<int64_t>(action)) ? 1 : 0;
  }

  /// Defaults that a game may hide: two agents, no chance.
  size_t agents() const { return 2; }
  template <class State>
  size_t chance(const State& /*s*/, int64_t* /*outcomes*/, double* /*probabilities*/) const {
    return 0;
  }

 private:
  const Rules& rules() const { return static_cast<const Rules&>(*this); }

  /// The actions of `count` agents from `first` on.
  template <class State>
  void move(State& s, size_t first, size_t count, const Action* actions) const {
    for (size_t i = 0; i < count; ++i) {
      if (rules().legal(s, first + i, actions[i])) continue;
      s.offender = static_cast<int64_t>(first + i);
      return;
    }
    rules().apply(s, actions);
  }

  template <class State>
  void play_chance(State& s, NumpyRandom& random) const {
    if constexpr (Rules::kOutcomes > 1) {
      while (current_player(s) == SPAR_PLAYER_CHANCE) {
        int64_t outcomes[Rules::kOutcomes];
        double probabilities[Rules::kOutcomes];
        const size_t count = rules().chance(s, outcomes, probabilities);
        double left = random.random();
        size_t chosen = 0;
        while (chosen + 1 < count && left >= probabilities[chosen]) left -= probabilities[chosen++];
        rules().apply(s, &outcomes[chosen]);
      }
    } else {
      static_cast<void>(random);
    }
  }
};

}  // namespace spar
