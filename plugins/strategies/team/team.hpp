// Teams. One learner plays every member by the same policy (`shared`), or plays them as one agent that sees and does
// everything (`joint`); or each member has a learner of its own with a critic that sees all of them (`central_critic`).
// Where the experiment has groups, they are the teams.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "../common/cadence.hpp"
#include "spar/strategy.hpp"

namespace team {

struct Options {
  std::string mode = "shared", teams = "all";
};

class Team : public spar::Strategy {
 public:
  static constexpr const char *id = "org.spar.team", *version = "1.0.0", *title = "Team";
  static constexpr const char* doc =
      "Several agents learn together: by a shared policy, by joint actions or by critics that see them all.";
  static const spar::Schema<Options>& schema();

  Team(const spar::Context& ctx, const Options& options, const spar_world& world);

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
  static std::deque<Members> teams_of(const std::string& rule, const spar_world& world);
  void make_plan(std::deque<Members> teams);

  Options options_;
  std::deque<Members> teams_;
  std::deque<spar_group> groups_;
  std::vector<const spar_group*> pointers_;
  common::Cadence cadence_;
};

}  // namespace team
