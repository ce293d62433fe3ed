// The matrix games of the literature, and any table that the options give.
#pragma once

#include <cmath>

#include "matrix_game.hpp"

namespace spar::games {

struct RoundsConfig {
  int64_t rounds = 1;
};
/// With the option `rounds`; others may follow.
template <class Config>
Schema<Config> with_rounds() {
  return Schema<Config>().integer("rounds", &Config::rounds, between(1, 15), "rounds of an episode");
}
inline const Schema<RoundsConfig>& rounds_schema() {
  static const auto instance = with_rounds<RoundsConfig>();
  return instance;
}

/// Rock 0, paper 1, scissors 2.
struct RockPaperScissors : MatrixGame<RockPaperScissors> {
  static constexpr const char *id = "org.spar.games/rock_paper_scissors", *version = "1.0.0",
                              *title = "Rock, paper, scissors";
  using Config = RoundsConfig;
  static const Schema<Config>& schema() { return rounds_schema(); }
  static constexpr std::array<const char*, 3> kNames = {"rock", "paper", "scissors"};
  explicit RockPaperScissors(const Config& config)
      : MatrixGame(zero_sum(3, 3, {0, -1, 1, 1, 0, -1, -1, 1, 0}), config.rounds) {}
};

/// The first player wants the same side, the second the other.
struct MatchingPennies : MatrixGame<MatchingPennies> {
  static constexpr const char *id = "org.spar.games/matching_pennies", *version = "1.0.0", *title = "Matching pennies";
  using Config = RoundsConfig;
  static const Schema<Config>& schema() { return rounds_schema(); }
  static constexpr std::array<const char*, 2> kNames = {"heads", "tails"};
  explicit MatchingPennies(const Config& config) : MatrixGame(zero_sum(2, 2, {1, -1, -1, 1}), config.rounds) {}
};

/// Cooperate 0, defect 1.
struct PrisonersDilemma : MatrixGame<PrisonersDilemma> {
  static constexpr const char *id = "org.spar.games/prisoners_dilemma", *version = "1.0.0",
                              *title = "Prisoner's dilemma";
  using Config = RoundsConfig;
  static const Schema<Config>& schema() { return rounds_schema(); }
  static constexpr std::array<const char*, 2> kNames = {"cooperate", "defect"};
  explicit PrisonersDilemma(const Config& config) : MatrixGame({{2, 2}, {5, 0, 10, 1, 5, 10, 0, 1}}, config.rounds) {}
};

/// Claus and Boutilier, "The dynamics of reinforcement learning in cooperative multiagent systems" (1998).
struct Climbing : MatrixGame<Climbing> {
  static constexpr const char *id = "org.spar.games/climbing", *version = "1.0.0",
                              *title = "Climbing game: the best pair of actions lies beside heavy losses";
  using Config = RoundsConfig;
  static const Schema<Config>& schema() { return rounds_schema(); }
  explicit Climbing(const Config& config)
      : MatrixGame(common_interest(3, {11, -30, 0, -30, 7, 6, 0, 0, 5}), config.rounds) {}
};

/// From the same paper: two best pairs, and a penalty for mixing them up.
struct Penalty : MatrixGame<Penalty> {
  static constexpr const char *id = "org.spar.games/penalty", *version = "1.0.0",
                              *title = "Penalty game: two best pairs of actions that must not be mixed up";
  struct Config : RoundsConfig {
    double penalty = -100;
  };
  static const Schema<Config>& schema() {
    static const auto instance =
        with_rounds<Config>().real("penalty", &Config::penalty, Bounds{NAN, 0, 0}, "payment for a mix-up");
    return instance;
  }
  explicit Penalty(const Config& config)
      : MatrixGame(common_interest(3, {10, 0, config.penalty, 0, 2, 0, config.penalty, 0, 10}), config.rounds) {}
};

struct AnyMatrix : MatrixGame<AnyMatrix> {
  static constexpr const char *id = "org.spar.games/matrix", *version = "1.0.0",
                              *title = "Matrix game whose payoffs are given in the options";
  struct Config : RoundsConfig {
    std::vector<int64_t> actions = {2, 2};
    std::vector<double> payoffs = {1, -1, -1, 1};
  };
  static const Schema<Config>& schema() {
    static const auto instance =
        with_rounds<Config>()
            .integers("actions", &Config::actions, between(1, 255), "number of actions of each player")
            .reals("payoffs", &Config::payoffs, any_number(),
                   "payoffs of the first player, row by row (the last player's action runs fastest), then those of the "
                   "second, ..; of two players the first alone makes the game zero-sum");
    return instance;
  }
  explicit AnyMatrix(const Config& config) : MatrixGame(table_of(config), config.rounds) {}

 private:
  static PayoffTable table_of(const Config& config) {
    PayoffTable out{config.actions, config.payoffs};
    if (out.agents() < 1 || out.agents() > kMaxAgents) {
      throw StatusError(SPAR_E_INVALID, "`actions` lists " + std::to_string(out.agents()) + " players, expected 1 to " +
                                            std::to_string(kMaxAgents));
    }
    const size_t cells = out.cells(), all = cells * out.agents();
    if (out.agents() == 2 && out.payoffs.size() == cells)
      return zero_sum(out.actions[0], out.actions[1], std::move(out.payoffs));
    if (out.payoffs.size() != all) {
      throw StatusError(SPAR_E_INVALID,
                        "`payoffs` holds " + std::to_string(out.payoffs.size()) + " numbers, expected " +
                            std::to_string(all) + " (" + std::to_string(cells) + " cells for each of " +
                            std::to_string(out.agents()) + " players)" +
                            (out.agents() == 2 ? " or " + std::to_string(cells) + " for a zero-sum game" : ""));
    }
    return out;
  }
};

}  // namespace spar::games
