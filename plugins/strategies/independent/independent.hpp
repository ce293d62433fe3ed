// Independent learners: one group per agent, each with its own algorithm, data and networks (Tan 1993). Collecting and
// learning take turns, or, with `overlap`, happen at the same time.
#pragma once

#include <string>
#include <vector>

#include "spar/strategy.hpp"

namespace independent {

struct Options {
  bool overlap = false;
};

class Independent : public spar::Strategy {
 public:
  static constexpr const char *id = "org.spar.independent", *version = "1.0.0", *title = "Independent learners";
  static constexpr const char* doc = "One learner per agent, each on its own data.";
  static const spar::Schema<Options>& schema();

  Independent(const spar::Context& ctx, const Options& options, const spar_world& world);

  void plan(spar_plan& out) const;
  /// Off-policy: a phase of needs.updates updates whenever another needs.learn_every transitions are there, the warm-up
  /// is over and the buffer holds needs.rows_per_learn. On-policy: one phase when needs.rows_per_learn rows are there.
  void next(const spar_progress& progress, spar_directive& out);

  void save(spar::StreamWriter& writer) const;
  void load(spar::StreamReader& reader);

 private:
  std::vector<std::string> names_;
  std::vector<uint32_t> agents_;
  std::vector<spar_group> groups_;
  std::vector<const spar_group*> pointers_;
  std::vector<uint64_t> next_phase_;  // per group: transitions at which the next learning phase is due; 0 = not set yet
};

}  // namespace independent
