// What learning from a replay memory asks of the user and of the host, the same for every algorithm that does. Its
// options derive from ReplayOptions.
#pragma once

#include <string>

#include "spar/context.hpp"
#include "spar/rl/schedule.hpp"
#include "spar/schema.hpp"

namespace common {

struct ReplayOptions {
  int64_t batch_size = 64;
  int64_t buffer_size = 1000000;
  int64_t warm_up = 0;
  int64_t update_freq = 1;
  int64_t number_updates = 1;
  bool prioritized = true;
  double priority_alpha = 0.5;
  double priority_beta = 0.4;
  double priority_eps = 1e-6;
};

/// Adds batch_size, buffer_size, warm_up, update_freq and number_updates.
template <class O>
void add_replay_options(spar::Schema<O>& s) {
  s.integer("batch_size", &O::batch_size, spar::at_least(1), "transitions in one update")
      .integer("buffer_size", &O::buffer_size, spar::at_least(1), "transitions that the replay memory holds")
      .integer("warm_up", &O::warm_up, spar::at_least(0), "transitions of uniform actions before the first update")
      .integer("update_freq", &O::update_freq, spar::at_least(1), "transitions between two learning phases")
      .integer("number_updates", &O::number_updates, spar::at_least(1), "updates in one learning phase");
}

/// Adds prioritized, the two exponents by the given names, and priority_eps, which is added to `error`.
template <class O>
void add_priority_options(spar::Schema<O>& s, const char* alpha, const char* beta, const char* error) {
  s.boolean("prioritized", &O::prioritized, "prioritised replay; false = uniform")
      .real(alpha, &O::priority_alpha, spar::between(0, 1), "exponent of the priorities")
      .real(beta, &O::priority_beta, spar::between(0, 1),
            "exponent of the importance weights at the start; 1 at the end of the budget")
      .real("priority_eps", &O::priority_eps, spar::above(0),
            (std::string("added to ") + error + ", so that nothing is lost for ever").c_str());
}

/// Throws SPAR_E_INVALID if the memory cannot hold a batch.
inline void check_replay(const ReplayOptions& options) {
  if (options.buffer_size >= options.batch_size) return;
  throw spar::StatusError(SPAR_E_INVALID, "buffer_size is " + std::to_string(options.buffer_size) +
                                              ", expected at least batch_size, which is " +
                                              std::to_string(options.batch_size));
}

/// The memory and the cadence; discount, n-step returns and transforms are the algorithm's own.
inline void need_replay(const ReplayOptions& options, spar_needs& out) {
  out.buffer_kind = options.prioritized ? SPAR_BUF_PRIORITIZED : SPAR_BUF_REPLAY;
  out.capacity = static_cast<uint64_t>(options.buffer_size);
  out.warmup = static_cast<uint64_t>(options.warm_up);
  out.rows_per_learn = static_cast<uint64_t>(options.batch_size);
  out.learn_every = static_cast<uint64_t>(options.update_freq);
  out.updates = static_cast<uint32_t>(options.number_updates);
  out.priority_alpha = options.priority_alpha;
  out.priority_eps = options.priority_eps;
}

/// A batch. The exponent of its importance weights rises to 1 over the step budget (Schaul et al. 2016, section 3.4);
/// 0 if the memory is uniform.
inline spar::Sample sample_replay(const ReplayOptions& options, const spar::Context& ctx) {
  const double beta =
      options.prioritized ? spar::rl::LinearSchedule{options.priority_beta, 1.0, 1.0}.at(ctx.progress()) : 0.0;
  return ctx.sample(static_cast<uint64_t>(options.batch_size), beta);
}

}  // namespace common
