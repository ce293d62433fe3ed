// One experiment: what is trained on what, until when, and what is kept. The typed end of the configuration.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/options.hpp"
#include "core/config/value.hpp"

namespace spar::config {

/// A component that was chosen, with all its options. `id` is the component's full id.
struct ComponentConfig {
  std::string id;
  Options options;
};

struct EnvConfig : ComponentConfig {
  uint32_t count = 1;   ///< copies stepped together
  uint32_t shards = 1;  ///< instances that share them, so that several threads can step them; at most count
};

struct AlgorithmConfig : ComponentConfig {
  std::string preset;  ///< whose options lie below those of the file; "" = none
};

/// One [[group]]: agents that belong together; how they are joined is the strategy's business.
struct GroupConfig {
  /// An agent's id, or the beginning of several with `*` behind it.
  struct Pattern {
    std::string text;
    Place place;
  };
  std::string name;
  std::vector<Pattern> agents;
  std::optional<AlgorithmConfig> algorithm = std::nullopt;  ///< none: that of [algorithm]
  Place place = {};
};
/// Rules that make groups where there is no [[group]]: each agent by itself, or all in one.
inline constexpr std::string_view kMappings[] = {"identity", "shared"};

/// One measure that can end a run.
struct Condition {
  enum class Measure {
    env_steps,       ///< transitions so far >= value
    train_steps,     ///< learning updates so far >= value
    episodes,        ///< finished training episodes >= value
    seconds,         ///< training time, without interruptions, >= value
    eval_return,     ///< mean return of `consecutive` evaluations in a row, each >= value
    no_improvement,  ///< evaluations since the best one >= value
    iterations,      ///< of a scenario that solves a game >= value
    exploitability   ///< of the mixture or average strategy <= value
  };
  Measure measure = Measure::env_steps;
  double value = 0;  ///< whole for all but seconds, eval_return and exploitability
  uint32_t consecutive = 1;

  bool operator==(const Condition&) const = default;
};
std::string name(Condition::Measure measure);

/// The run ends when one of `any` holds, or all of `all` (if there are some).
struct StopConfig {
  std::vector<Condition> any, all;

  /// Transitions after which the run has ended for sure, the unit of schedules: the smallest env_steps of `any`, else
  /// the largest of `all`; none if neither has one.
  std::optional<uint64_t> budget() const;
  /// The same for iterations of a scenario that solves a game.
  std::optional<uint64_t> iterations() const;
};

/// What [scenario] says of a scenario that solves a game, and [stop.training], which a league has too.
struct SolveConfig {
  std::string oracle = "exact";                      ///< psro: one of kOracles
  std::string meta_solver = "regret_matching_plus";  ///< psro: one of kMetaSolvers
  uint64_t meta_iterations = 0;                      ///< psro: of the meta-solver; 0 = its default
  StopConfig training;  ///< psro with learned responses: when each has learnt enough; league: when a phase ends
};
inline constexpr std::string_view kOracles[] = {"exact", "learned"};
inline constexpr std::string_view kMetaSolvers[] = {"regret_matching_plus", "nash",       "fictitious_play",
                                                    "replicator",           "alpha_rank", "uniform"};

/// What [scenario] says of a league (core/league/league.hpp); when a phase ends is SolveConfig::training.
struct LeagueConfig {
  uint32_t main_agents = 1, main_exploiters = 1, league_exploiters = 1;
  std::string pfsp = "hard";        ///< one of kPfsp
  double pfsp_power = 2;            ///< of `hard`
  double self_play = 0.35;          ///< share of a main agent's episodes against main agents as they are now
  double verification = 0.15;       ///< share against exploiters and old selves that beat it; the rest is PFSP
  double snapshot_win_rate = 0.7;   ///< an exploiter's phase ends early when it wins more than this
  double main_exploiter_reset = 1;  ///< probability of starting parameters after a phase
  double league_exploiter_reset = 0.25;
  std::string play = "sample";   ///< one of kPlays: how past players act
  uint32_t match_episodes = 50;  ///< of two players, half of them with the seats changed; even
};
inline constexpr std::string_view kPfsp[] = {"hard", "even", "uniform"};
inline constexpr std::string_view kPlays[] = {"sample", "greedy"};

struct EvalConfig {
  uint64_t every = 0;  ///< transitions between two evaluations; default budget / 20, without a budget 10,000
  uint32_t episodes = 20;
};

struct CheckpointConfig {
  uint64_t every_steps = 0;    ///< transitions; 0 = by time
  double every_seconds = 120;  ///< 0 = by steps
  uint32_t keep_last = 2, keep_best = 1;
};

/// A demand on the result: unmet, the program ends with Exit::threshold.
struct Threshold {
  enum class Op { at_least, above, at_most, below };
  std::string metric;  ///< one of kThresholdMetrics
  Op op = Op::at_least;
  double value = 0;

  bool met(double measured) const;  ///< NaN meets nothing
  std::string comparison() const;   ///< ">= 475"
};
inline constexpr std::string_view kThresholdMetrics[] = {"eval.return.mean", "eval.return.iqm", "eval.return.max",
                                                         "best.eval_return"};

struct Experiment {
  std::string name;
  uint64_t seed = 1;
  EnvConfig env;
  AlgorithmConfig algorithm;  ///< without id where every group has one of its own
  ComponentConfig strategy;
  std::string mapping = "identity";  ///< one of kMappings
  std::vector<GroupConfig> groups;   ///< not with another mapping than identity
  std::string scenario = "marl";
  SolveConfig solve;
  LeagueConfig league;
  StopConfig stop;
  EvalConfig eval;
  CheckpointConfig checkpoint;
  std::vector<Threshold> thresholds;  ///< by name of the metric

  /// Does the run go by iterations, of solving a game or of a league, instead of training all agents at once?
  bool solves() const { return scenario == "psro" || scenario == "cfr" || scenario == "cfr_plus" || is_league(); }
  bool is_league() const { return scenario == "league"; }
  /// Does it solve a game by responses that an algorithm learns from samples?
  bool learns_responses() const { return scenario == "psro" && solve.oracle == "learned"; }
  /// Does an algorithm learn from samples at all?
  bool learns() const { return !solves() || learns_responses() || is_league(); }
  /// Does it learn in phases, each of which ends by [stop.training]?
  bool learns_in_phases() const { return learns_responses() || is_league(); }
  /// That of a group, or, without one of its own and for "", [algorithm]. Null if there is neither.
  const AlgorithmConfig* algorithm_of(std::string_view group) const;
  /// All that are in use: [algorithm], then those of groups, each with the group's name ("" = [algorithm]).
  std::vector<std::pair<std::string, const AlgorithmConfig*>> algorithms() const;
  /// In transitions, or in iterations where the run goes by them; none if only other measures end the run.
  std::optional<uint64_t> budget() const { return solves() ? stop.iterations() : stop.budget(); }

  Origins origins;                    ///< by path; not part of what the experiment is
  std::vector<std::string> warnings;  ///< sentences for the person, e.g. deprecated options
};

/// Equal in all that decides the run and its name; origins, warnings and the algorithm preset's name are left out.
bool operator==(const Experiment& a, const Experiment& b);

/// What the command line gives.
struct Sources {
  std::string experiment;        ///< a file (ends in .toml or has a slash) or a preset's name; "" = assignments alone
  std::string preset_directory;  ///< where presets are looked up
  std::vector<std::string> assignments;  ///< `algorithm.lr=1e-3`, later ones win
  std::optional<uint64_t> seed;          ///< --seed, wins over all
  std::string device = {};               ///< --device, the option `device` of every algorithm; "" = not said
};

/// Finds a component by full id, unique prefix or short id. Throws Error E0207 at `place`, with the nearest known id in
/// the caret's note, for an unknown one. Never answers null.
using ComponentLookup =
    std::function<std::shared_ptr<const Component>(uint32_t kind, std::string_view id, const Place& place)>;

/// Reads, merges (default < algorithm preset < file < command line) and checks everything. Throws Error, and Errors if
/// there are several: E0201 to E0213, see explain().
Experiment load(const Sources& sources, const ComponentLookup& lookup);

/// The same from a tree that a program made; messages name `name` instead of a file. There are no presets.
Experiment load(Table root, const std::string& name, const ComponentLookup& lookup);

/// The complete configuration as TOML, each value with its origin in a comment. Loading it gives an equal experiment.
std::string resolved_toml(const Experiment& experiment);

/// One sentence for each setting of `now` that is another in `before`; the name is left out.
std::vector<std::string> changed_settings(const Experiment& before, const Experiment& now);

/// resolved_toml(now) with the origins that `before`, an older resolved_toml(), has for the settings that are the same.
std::string resolved_again(const Experiment& now, const std::string& before);

/// Throws Error E0508 unless `now` differs in no more than a run may change on its way: options of the algorithm,
/// [stop], [eval], [checkpoint] and [threshold].
void check_changes(const Experiment& before, const Experiment& now);

/// SHA-256, 64 hex digits, of all that decides the run: not the name, not the origins.
std::string config_hash(const Experiment& experiment);

}  // namespace spar::config
