// The game tree of an environment (spar.env.tree/1) from the functions of its rules; see game.hpp.
#pragma once

#include <string>

#include "spar/environment_table.hpp"

namespace spar::detail {

template <class E>
class TreeTable {
  using Copies = EnvironmentCopies<E>;
  static Copies& self(spar_env* p) { return *reinterpret_cast<Copies*>(p); }

  static int32_t current_player(spar_env* p, uint64_t row) {
    return self(p).model_.current_player(self(p).states_[row]);
  }

  static uint64_t legal_actions(spar_env* p, uint64_t row, uint32_t agent, int64_t* out, uint64_t capacity) {
    const Copies& copies = self(p);
    uint64_t count = 0;
    if (!copies.model_.acting(copies.states_[row], agent)) return 0;
    for (int64_t action = 0; action < copies.world_.agents[agent].act.n(); ++action) {
      if (!copies.model_.legal(copies.states_[row], agent, action)) continue;
      if (count < capacity) out[count] = action;
      ++count;
    }
    return count;
  }

  static uint64_t chance_outcomes(spar_env* p, uint64_t row, int64_t* out, double* probability, uint64_t capacity) {
    const Copies& copies = self(p);
    const auto& state = copies.states_[row];
    if (copies.model_.current_player(state) != SPAR_PLAYER_CHANCE) return 0;
    int64_t outcomes[E::kOutcomes];
    double probabilities[E::kOutcomes];
    const size_t count = copies.model_.chance(state, outcomes, probabilities);
    for (size_t i = 0; i < count && i < capacity; ++i) {
      out[i] = outcomes[i];
      probability[i] = probabilities[i];
    }
    return count;
  }

  static spar_status apply(spar_env* p, uint64_t row, const int64_t* actions, uint32_t n, spar_error* error) {
    return barrier(error, [&] {
      Copies& copies = self(p);
      copies.check_row(row);
      copies.check_started(row);
      auto& state = copies.states_[row];
      const int32_t player = copies.model_.current_player(state);
      const size_t expected = player == SPAR_PLAYER_SIMULTANEOUS ? copies.columns_.size()
                              : player == SPAR_PLAYER_TERMINAL   ? 0
                                                                 : 1;
      if (n != expected) {
        throw StatusError(SPAR_E_INVALID, "apply brings " + std::to_string(n) + " actions, this position expects " +
                                              std::to_string(expected));
      }
      if (player >= 0) {
        check_legal(copies, state, static_cast<size_t>(player), actions[0]);
      } else if (player == SPAR_PLAYER_SIMULTANEOUS) {
        for (size_t agent = 0; agent < n; ++agent) check_legal(copies, state, agent, actions[agent]);
      } else if (player == SPAR_PLAYER_CHANCE) {
        check_outcome(copies, state, actions[0]);
      }
      if (n > 0) copies.model_.apply(state, actions);
    });
  }

  static spar_status returns(spar_env* p, uint64_t row, double* out, spar_error* error) {
    return barrier(error, [&] {
      self(p).check_row(row);
      self(p).model_.paid(self(p).states_[row], out);
    });
  }

  static spar_status infoset(spar_env* p, uint64_t row, uint32_t agent, const spar_stream* stream, spar_error* error) {
    return barrier(error, [&] {
      self(p).check_row(row);
      StreamWriter out(*stream);
      self(p).model_.infoset(self(p).states_[row], agent, out);
    });
  }

  static spar_status observe(spar_env* p, uint64_t row, spar_env_io* io, spar_error* error) {
    return barrier(error, [&] {
      self(p).check_row(row);
      self(p).bind_outputs(*io, false);
      self(p).observe(row);
    });
  }

  static spar_status root(spar_env* p, uint64_t row, spar_error* error) {
    return barrier(error, [&] {
      self(p).check_row(row);
      self(p).model_.root(self(p).states_[row]);
      self(p).start(row);
    });
  }

  static void check_legal(const Copies& copies, const typename E::State& state, size_t agent, int64_t action) {
    if (action >= 0 && action < copies.world_.agents[agent].act.n() && copies.model_.legal(state, agent, action))
      return;
    throw StatusError(SPAR_E_INVALID, "action " + std::to_string(action) + " of agent `" +
                                          copies.world_.agents[agent].id + "` is not legal in this position");
  }
  static void check_outcome(const Copies& copies, const typename E::State& state, int64_t outcome) {
    int64_t outcomes[E::kOutcomes];
    double probabilities[E::kOutcomes];
    const size_t count = copies.model_.chance(state, outcomes, probabilities);
    for (size_t i = 0; i < count; ++i)
      if (outcomes[i] == outcome) return;
    throw StatusError(SPAR_E_INVALID,
                      "chance has no outcome " + std::to_string(outcome) + " in this position; see chance_outcomes");
  }

 public:
  static constexpr spar_ext_env_tree kTable = {sizeof(spar_ext_env_tree),
                                               0,
                                               current_player,
                                               legal_actions,
                                               chance_outcomes,
                                               apply,
                                               returns,
                                               infoset,
                                               observe,
                                               root};
};

}  // namespace spar::detail
