// The matchmaking of one phase: who is met in which episode, and what came of it.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/league/frozen.hpp"
#include "core/league/matchmaking.hpp"
#include "core/rng/philox.hpp"

namespace spar::league {

class Matchmaker {
 public:
  /// For the active player number `active`. win_rates: of it against each past player, as the phase begins; each
  /// episode moves the one of its opponent by kStep towards its result. References outlive it.
  Matchmaker(const config::LeagueConfig& league, Kind kind, uint64_t active, std::span<const PastPlayer> past,
             std::vector<double> win_rates, Philox random);

  /// A past player, or, as their count, the active player as it is now.
  size_t draw();
  void note(size_t opponent, double score);

  /// Does an exploiter win more than snapshot_win_rate of every player it is to beat? That is the newest past self of
  /// each main agent for a main exploiter, every past player for a league exploiter. Never for a main agent, nor before
  /// kFewestEpisodes episodes.
  bool beats_all() const;

  uint64_t episodes() const { return episodes_; }
  const std::vector<double>& win_rates() const { return win_rates_; }

  static constexpr double kStep = 0.02;
  static constexpr uint64_t kFewestEpisodes = 100;

 private:
  const config::LeagueConfig& league_;
  Kind kind_;
  uint64_t active_;
  std::span<const PastPlayer> past_;
  std::vector<double> win_rates_;
  Philox random_;
  uint64_t episodes_ = 0;
};

/// Sits where the opponents of a phase sit: in every copy somebody else, who is drawn anew for each episode.
class DrawnOpponent : public rollout::Opponent {
 public:
  /// Policy of a past player.
  using Make = std::function<std::unique_ptr<FrozenPolicy>(size_t past)>;

  /// `itself`: the active player's policy. References outlive it.
  DrawnOpponent(Matchmaker& matchmaker, std::span<const PastPlayer> past, Make make, FrozenPolicy& itself,
                const rollout::AgentPort& port, uint64_t copies);

  const std::string& label() const override { return label_; }
  void begin(uint64_t copy) override;
  /// Every opponent is asked once, for all of its copies.
  void act(const std::vector<uint64_t>& copies, rollout::Batch& actions) override;

  /// Who was met in the episode of `copy` that has just ended, when the next has been drawn.
  size_t met(uint64_t copy) const { return met_[copy]; }

 private:
  struct Guest {
    Guest(std::unique_ptr<FrozenPolicy> own, FrozenPolicy& plays, const std::string& label,
          const rollout::AgentPort& port, uint64_t copies)
        : policy(std::move(own)), player(seated(plays, label, port, copies)) {}

    std::unique_ptr<FrozenPolicy> policy;  ///< null: the active player itself
    rollout::SeatedPlayer player;
  };
  Guest& guest(size_t opponent);

  std::string label_ = "a player of the league";
  Matchmaker& matchmaker_;
  std::span<const PastPlayer> past_;
  Make make_;
  FrozenPolicy& itself_;
  const rollout::AgentPort& port_;
  uint64_t copies_;
  std::map<size_t, Guest> guests_;  ///< who was met so far
  std::vector<size_t> chosen_, met_;
  std::vector<size_t> order_;       ///< rows of one act(), by opponent
  std::vector<uint64_t> together_;  ///< copies of one opponent
  rollout::Batch answers_;
};

}  // namespace spar::league
