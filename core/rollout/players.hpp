// Who acts at a seat without learning: a learner that plays greedily, and uniform play.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/rng/philox.hpp"
#include "core/rollout/environment.hpp"
#include "core/rollout/learner.hpp"
#include "core/rollout/opponent.hpp"

namespace spar::rollout {

/// Writes the actions of `rows` rows of the ascending lanes `lane`; `seen`: columns as add_seen_columns() makes them,
/// which it may change.
using ActRows = std::function<void(Batch& seen, Batch& actions, uint64_t rows, const uint64_t* lane)>;

/// Sits at a port and asks somebody who is shown what there is to see.
class SeatedPlayer : public Opponent {
 public:
  /// The port outlives this. What Opponent calls copies are its lanes, of which there are `lanes`.
  SeatedPlayer(std::string label, ActRows act, const AgentPort& port, uint64_t lanes);

  const std::string& label() const override { return label_; }
  void begin(uint64_t lane) override { first_[lane] = 1; }
  void act(const std::vector<uint64_t>& lanes, Batch& actions) override;

 private:
  std::string label_;
  ActRows act_;
  const AgentPort& port_;
  Batch seen_;                  ///< rows of the lanes where it moves
  std::vector<uint8_t> first_;  ///< by lane: is its next move the first of the episode?
};

class GreedyPlayer : public SeatedPlayer {
 public:
  /// `learner` plays the agent of `port`, or the agents that are joined in it, whose spaces are its own. Changes
  /// nothing in it. References outlive this.
  GreedyPlayer(Learner& learner, const AgentPort& port, uint64_t lanes);
};

/// Draws from the actions that are allowed.
class UniformPlayer : public Opponent {
 public:
  /// `environment` outlives this.
  UniformPlayer(const Environment& environment, size_t agent, Philox random);

  const std::string& label() const override { return label_; }
  void begin(uint64_t /*copy*/) override {}
  void act(const std::vector<uint64_t>& copies, Batch& actions) override;

 private:
  std::string label_ = "uniform play";
  const AgentPort& port_;
  Philox random_;
  std::vector<uint8_t> masks_;
};

}  // namespace spar::rollout
