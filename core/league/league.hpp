// A league (Vinyals et al., "Grandmaster level in StarCraft II using multi-agent reinforcement learning", 2019) in
// games of two agents that have the same spaces: every player is one policy for both seats.
//
// Active players train: main agents, main exploiters, which look for what beats the main agents, and league exploiters,
// which look for what beats everybody. An iteration is a phase of each, one after the other, against the league as it
// was when the iteration began (matchmaking.hpp), until [stop.training] or, for exploiters, until they beat all they
// are to beat. What each of them is then joins the league as a past player, which never changes; the starting
// parameters of all are the first ones. An exploiter may begin again with its starting parameters. Everybody has a win
// rate against everybody (results.hpp), and of these an Elo rating (elo.hpp).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/game/exploitability.hpp"
#include "core/league/player.hpp"
#include "core/league/results.hpp"
#include "core/params/store.hpp"

namespace spar::league {

class League {
 public:
  /// Plays nothing yet. Throws what Arena throws.
  League(const config::Experiment& experiment, const rollout::ComponentLoader& load, const spar_host& host);
  League(const League&) = delete;
  League& operator=(const League&) = delete;

  /// False if `cancelled` said true on the way: then nothing has changed. Everything that is drawn depends on the run's
  /// seed and the number of the iteration alone. Throws E0302 if what is learnt is not finite, E1108 if a player learnt
  /// nothing.
  bool iterate(const std::function<bool()>& cancelled);
  uint64_t iterations() const { return iterations_; }

  const Arena& arena() const { return arena_; }
  const std::vector<std::unique_ptr<ActivePlayer>>& active() const { return active_; }
  const std::vector<PastPlayer>& past() const { return past_; }
  /// Of the past players; empty before the first iteration.
  const Results& results() const { return results_; }
  const std::vector<double>& elo() const { return elo_; }
  /// The newest past self of an active player: an index into past().
  size_t newest(uint64_t active) const;
  /// A past player's policy, whose stream is ROLE/NAME of `root_seed`, for at most `rows` rows together.
  std::unique_ptr<FrozenPolicy> policy(size_t past, const std::string& role, uint64_t root_seed, uint64_t rows) const;
  /// How likely each past player, and in the end itself, is the first opponent of an active player in the next phase.
  std::vector<double> matchmaking(uint64_t active) const;
  /// Of the first main agent's newest self, on an exact game.
  const std::optional<game::Exploitability>& distance() const { return distance_; }
  /// Transitions of all players in all phases.
  uint64_t env_steps() const { return env_steps_; }
  /// Of the last iteration: what the phases were like, and what the learners measured, under PLAYER/.
  const std::vector<std::pair<std::string, double>>& phases() const { return phases_; }
  /// SHA-256 of the parameters of all past players, 64 hex digits.
  std::string parameters_sha256() const;

  void save(ByteWriter& writer) const;
  void load(ByteReader& reader);
  /// From the beginning of the same bytes: the name of the first main agent's newest self, its parameters, and the
  /// number of iterations. Reads no further.
  struct Newest {
    std::string name;
    std::shared_ptr<const params::Snapshot> parameters;
    uint64_t iterations = 0;
  };
  static Newest load_newest(ByteReader& reader);

 private:
  void add_active(Kind kind, const char* role, uint32_t number);
  void join(ActivePlayer& player, uint64_t iteration);
  bool train(ActivePlayer& player, const std::function<bool()>& cancelled);
  bool try_iteration(const std::function<bool()>& cancelled);
  void judge();
  uint64_t seed_of(const std::string& purpose) const;

  Arena arena_;
  params::Store players_;  ///< parameters of past players by name, and of starts
  std::vector<std::unique_ptr<ActivePlayer>> active_;
  std::vector<size_t> standing_;  ///< by active player: the past player whose results are its own
  std::vector<PastPlayer> past_;
  Results results_;
  std::vector<double> elo_;
  std::optional<game::Exploitability> distance_;
  uint64_t iterations_ = 0, env_steps_ = 0;
  std::vector<std::pair<std::string, double>> phases_;
};

}  // namespace spar::league
