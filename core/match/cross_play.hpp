// Policies against each other: every policy at every seat.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/match/policy.hpp"

namespace spar::match {

/// Somebody who takes part, by name.
struct Entrant {
  std::string name;
  std::unique_ptr<Policy> policy;
};

struct CrossPlayRequest {
  std::optional<uint64_t> episodes;  ///< of each match-up; none: where exact values are known they are enough
  uint64_t first_seed = 0;           ///< of the episodes of every match-up
};

inline constexpr uint64_t kMatchEpisodes = 100;  ///< of each match-up, unless asked for otherwise
inline constexpr size_t kMostMatches = 10'000;

struct MatchUp {
  std::vector<size_t> seats;                 ///< by agent: the entrant who plays it
  std::vector<double> exact;                 ///< by agent: expected return; empty: not known
  std::vector<std::vector<double>> returns;  ///< by agent, then by episode; empty: nothing was played
};

struct CrossPlay {
  std::vector<std::string> agents;
  uint64_t episodes = 0;         ///< of each match-up; 0: nothing was played
  bool exact = false;            ///< are the expected returns known?
  bool zero_sum = false;         ///< the returns of all agents added to 0, wherever they were seen
  std::vector<MatchUp> matches;  ///< in every order of seats; the entrant of the last agent changes fastest
};

/// Throws E0412, naming both, if the runs `names` do not all have the environment of the first with the same options.
void check_one_environment(const std::vector<std::string>& names, const std::vector<config::Experiment>& runs);

/// Plays all match-ups on the environment of `run`, or computes them where its tree is small
/// (train::kJudgedHistories). Each match-up has random streams of its own, which depend on the names in it: others
/// beside it change nothing. Throws E0412 if there is only one agent, or if there are more than kMostMatches match-ups.
CrossPlay cross_play(const train::Host& host, const config::Experiment& run, const std::vector<Entrant>& entrants,
                     const CrossPlayRequest& request);

}  // namespace spar::match
