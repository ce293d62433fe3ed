// What `spar bench` measures: this machine, the kernels, an update of every algorithm, replay, environments, the
// border, whole trainings, parallel actors and what may not grow. Each figure stands beside its limit, taken in the
// same run.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/bench/figure.hpp"
#include "core/train/plugins.hpp"

namespace spar::bench {

struct Settings {
  bool brief = false;               ///< fewer repetitions and shorter trainings: about 20 s instead of two minutes
  std::vector<std::string> groups;  ///< empty: all of group_names()
};

const std::vector<std::string>& group_names();

/// Takes each figure as soon as it is there.
using Sink = std::function<void(const Figure&)>;

/// Measures on this thread. Throws E0403 for a group that does not exist, and what plugins throw.
void measure(Plugins& plugins, const Settings& settings, const Sink& sink);

/// The groups one by one.
void measure_machine(const Settings& settings, const Sink& sink);
void measure_kernels(const Settings& settings, const Sink& sink);
void measure_updates(Plugins& plugins, const Settings& settings, const Sink& sink);
void measure_replay(const Settings& settings, const Sink& sink);
void measure_environments(Plugins& plugins, const Settings& settings, const Sink& sink);
void measure_border(const Settings& settings, const Sink& sink);
void measure_training(Plugins& plugins, const Settings& settings, const Sink& sink);
void measure_threads(Plugins& plugins, const Settings& settings, const Sink& sink);
void measure_growth(Plugins& plugins, const Settings& settings, const Sink& sink);

/// Names of the updates that are measured.
std::vector<std::string> update_names();
/// Makes the agent of one of them and updates it `times` times 10 (on-policy: 3 phases, or times / 20 of them), for
/// programs that count instructions. Throws E0403 for another name.
void repeat_update(Plugins& plugins, const std::string& name, int times);

/// Microseconds of one update of an algorithm on a full memory, through its plugin as a run calls it: best of several.
/// `options`: TOML; `discrete`: actions 0 and 1 on four numbers, else one number in [-1, 1] on three. An on-policy
/// algorithm gives one learning phase on its rollout_length - 1 newest transitions. `threads`: 0 = one, by the time of
/// its processor; else that many, by the clock on the wall.
double update_us(Plugins& plugins, const std::string& algorithm, const std::string& options, bool discrete, int times,
                 uint64_t transitions, uint32_t threads = 0);

/// Seconds of so many updates of an off-policy algorithm, a multiple of 10, one after the other, by the time of this
/// thread: as long as a run, where whatever disturbs the run counts here too.
double updates_seconds(Plugins& plugins, const std::string& algorithm, const std::string& options, bool discrete,
                       uint64_t updates, uint64_t transitions);

/// Nanoseconds of one step of one of 64 copies of an environment, all together, with same-step resets: best of `times`
/// thousand steps.
double step_ns(Plugins& plugins, const std::string& id, int times);

}  // namespace spar::bench
