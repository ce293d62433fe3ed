// Several gradient workers for each agent, whose gradients come together in step (`bsp`) or as they come (`asp`,
// `ssp`); then actors and learners go each at its own speed, as far as the rate limiter lets them.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "../common/cadence.hpp"
#include "spar/strategy.hpp"

namespace async {

struct Options {
  int64_t learners = 1;
  std::string mode = "bsp";
  int64_t max_staleness = 4;
  double samples_per_insert = 0;
};

class Async : public spar::Strategy {
 public:
  static constexpr const char *id = "org.spar.async", *version = "1.0.0", *title = "Asynchronous learners";
  static constexpr const char* doc =
      "Several gradient workers for each agent, in step or beside its actors, on one replay memory.";
  static const spar::Schema<Options>& schema();

  Async(const spar::Context& ctx, const Options& options, const spar_world& world);

  void set_groups(const spar_group* const* groups, uint32_t n);
  void plan(spar_plan& out) const;
  void next(const spar_progress& progress, spar_directive& out);

  void save(spar::StreamWriter& writer) const;
  void load(spar::StreamReader& reader);

 private:
  /// Updates in step, as many as samples_per_insert says.
  void next_in_step(const spar_progress& progress, spar_directive& out);

  struct Members {
    std::string name;
    std::vector<uint32_t> agents;
    const char* algorithm_slot = nullptr;  // lives with the groups of the experiment
  };
  void make_plan(std::deque<Members> members);

  Options options_;
  std::deque<Members> members_;
  std::deque<spar_group> groups_;
  std::vector<const spar_group*> pointers_;
  common::Cadence cadence_;
  /// Of groups that learn in step by samples_per_insert: the transitions at which that began to count, and the updates
  /// that were made since.
  std::vector<uint64_t> begin_, updates_;
};

}  // namespace async
