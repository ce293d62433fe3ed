// Whole runs: train from an experiment, resume from a run's directory, evaluate what a run has learnt.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/profile.hpp"
#include "core/config/experiment.hpp"
#include "core/plugin/registry.hpp"
#include "core/rollout/backends.hpp"
#include "core/run/run_directory.hpp"
#include "core/run/summary.hpp"
#include "core/train/observer.hpp"

namespace spar::train {

inline constexpr const char* kVersion = SPAR_VERSION;

/// Offers spar.nn/1, spar.buffer/1, spar.params/1, spar.metrics/1 and spar.exec/1 beside the host table's own services.
void offer_services(plugin::HostTable& host);

/// Loads components from the registry.
rollout::ComponentLoader loader_in(plugin::Registry& registry);

/// Finds components for config::load() in the registry; an unknown id becomes E0207 at its place.
config::ComponentLookup lookup_in(plugin::Registry& registry);

struct SessionResult {
  run::Summary summary;
  std::optional<Error> error;  ///< why the run failed; its exit code is the program's
};

struct Host {
  plugin::Registry& registry;
  const plugin::HostTable& table;
  uint32_t threads = 1;        ///< of one run; they change no number
  Profile* profile = nullptr;  ///< times the phases of the run
};

/// What a run will need, estimated before anything is made.
struct Estimate {
  uint64_t memory_bytes = 0;      ///< in use at most, beside the program itself
  uint64_t checkpoint_bytes = 0;  ///< all checkpoints that are kept, at most
};

/// Puts everything together once and lets it go: finds every problem that shows before the first step. Throws Error.
Estimate rehearse(const Host& host, const config::Experiment& experiment);

/// Trains in `directory`, which is locked and new: writes resolved.toml and the manifest, then checkpoints, metrics and
/// in the end the summary. Errors that end the run are in the result; what was saved stays.
SessionResult train(const Host& host, const config::Experiment& experiment, const run::RunDirectory& directory,
                    const std::vector<std::string>& arguments, Observer& observer);

class Training;

/// The two halves of train(), for those who keep the training: what a run writes before it begins, and the run. It
/// trains what train() would, bit for bit.
class Session {
 public:
  /// References outlive it. Throws as train().
  Session(const Host& host, Training& training, const run::RunDirectory& directory,
          const std::vector<std::string>& arguments, Observer& observer);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Once; on any thread. Errors that end the run are in the result.
  SessionResult run();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

struct ResumeRequest {
  bool inexact = false;  ///< go on although something differs
  /// What the run's resolved.toml says; null: the same as the experiment.
  const config::Experiment* recorded = nullptr;
  std::string typed;  ///< the settings as on a command line, each behind a space, for the advice
};

/// Continues the run in `directory`, which is locked, from its newest valid checkpoint. Throws E0508 if the experiment
/// is another one than the recorded one, and, unless `inexact`, E0507 if settings, plugins, processor path or program
/// differ from those of the checkpoint. What differs is written to the manifest ("continued"), other settings to
/// resolved.toml, and the first checkpoint is made with them.
SessionResult resume(const Host& host, const config::Experiment& experiment, const run::RunDirectory& directory,
                     const ResumeRequest& request, Observer& observer);

struct EvaluationRequest {
  std::string checkpoint = "best";  ///< "best", "last" or a step
  uint64_t episodes = 20;
  std::optional<uint64_t> seed;  ///< of the first episode; default: beyond the seeds of training and of its evaluations
};

/// Plays the policy of a checkpoint greedily. Changes nothing on disk.
EvaluationResult evaluate_run(const Host& host, config::Experiment experiment, const run::RunDirectory& directory,
                              const EvaluationRequest& request);

}  // namespace spar::train
