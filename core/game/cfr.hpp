// Counterfactual regret minimisation (Zinkevich et al., "Regret minimization in games with incomplete information",
// 2007) and CFR+ (Tammelin, "Solving large imperfect information games using CFR+", 2014): alternating updates; CFR+
// floors regrets at 0 and weights iteration t of the average by t.
#pragma once

#include <vector>

#include "core/base/bytes.hpp"
#include "core/game/plan.hpp"

namespace spar::game {

class Cfr {
 public:
  enum class Variant { plain, plus };

  /// `form` outlives this.
  Cfr(const SequenceForm& form, Variant variant);

  /// One update of every player; no allocation.
  void iterate();
  uint64_t iterations() const { return iterations_; }
  /// The average strategies so far, which approach an equilibrium; before the first iteration the uniform ones.
  std::vector<Plan> average() const;

  void save(ByteWriter& writer) const;
  /// Throws E0501 if the sizes are not those of this game.
  void load(ByteReader& reader);

 private:
  void match_regrets(size_t player);

  const SequenceForm& form_;
  Variant variant_;
  uint64_t iterations_ = 0;
  // By player, one number for each sequence.
  std::vector<std::vector<double>> regret_, sum_, behaviour_;
  std::vector<Plan> plan_;
  std::vector<double> values_;
};

}  // namespace spar::game
