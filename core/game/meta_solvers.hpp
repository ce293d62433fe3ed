// The meta-solvers that iterate; see meta_solver.hpp.
#pragma once

#include "core/game/meta_solver.hpp"

namespace spar::game {

class Uniform : public MetaSolver {
 public:
  Mixture solve(const PayoffTable& table) override;
  bool counts_copies() const override { return true; }
};

class MetaFictitiousPlay : public MetaSolver {
 public:
  explicit MetaFictitiousPlay(uint64_t rounds) : rounds_(rounds) {}
  /// Everybody begins with strategy 0; ties go to the lowest.
  Mixture solve(const PayoffTable& table) override;

 private:
  uint64_t rounds_;
};

class Replicator : public MetaSolver {
 public:
  explicit Replicator(uint64_t steps) : steps_(steps) {}
  /// x_i grows with exp(h * payoff_i) in each step of h = 0.1 / (largest difference of payoffs).
  Mixture solve(const PayoffTable& table) override;

 private:
  uint64_t steps_;
};

class RegretMatchingPlus : public MetaSolver {
 public:
  explicit RegretMatchingPlus(uint64_t iterations) : iterations_(iterations) {}
  Mixture solve(const PayoffTable& table) override;
  void save(ByteWriter& writer) const override;
  void load(ByteReader& reader) override;

 private:
  uint64_t iterations_;
  std::vector<std::vector<double>> regret_;  ///< by player and strategy, from the solution before
};

}  // namespace spar::game
