// Independent learners: one group per agent, each with its own algorithm, data and networks (Tan 1993), or the groups
// of the experiment, whose agents share one policy. Collecting and learning take turns, or, with `overlap`, happen at
// the same time.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "../common/cadence.hpp"
#include "spar/strategy.hpp"

namespace independent {

struct Options {
  bool overlap = false;
};

class Independent : public spar::Strategy {
 public:
  static constexpr const char *id = "org.spar.independent", *version = "1.0.0", *title = "Independent learners";
  static constexpr const char* doc = "One learner per agent or group of agents, each on its own data.";
  static const spar::Schema<Options>& schema();

  Independent(const spar::Context& ctx, const Options& options, const spar_world& world);

  void set_groups(const spar_group* const* groups, uint32_t n);
  void plan(spar_plan& out) const;
  void next(const spar_progress& progress, spar_directive& out);

  void save(spar::StreamWriter& writer) const;
  void load(spar::StreamReader& reader);

 private:
  struct Members {
    std::string name;
    std::vector<uint32_t> agents;
    const char* algorithm_slot = nullptr;  // lives with the groups of the experiment
  };
  void make_plan(std::deque<Members> members);

  bool overlap_;
  std::deque<Members> members_;
  std::deque<spar_group> groups_;
  std::vector<const spar_group*> pointers_;
  common::Cadence cadence_;
};

}  // namespace independent
