// How a run goes on, whatever it computes: for train::resume() and solve::resume().
#pragma once

#include <string>
#include <vector>

#include "core/checkpoint/directory.hpp"
#include "core/train/session.hpp"

namespace spar::train {

/// Of the run in `directory`.
checkpoint::Directory checkpoints(const config::Experiment& experiment, const run::RunDirectory& directory);

/// The newest valid checkpoint; the observer hears of those that were passed over. Throws E0503 if there is none.
checkpoint::Loaded newest_checkpoint(const config::Experiment& experiment, const run::RunDirectory& directory,
                                     Observer& observer);

/// `which`: "best", "last" or a step. Throws E0503, with the steps that there are, if it is not there.
checkpoint::Checkpoint checkpoint_named(const checkpoint::Directory& saved, const std::string& which);

/// Throws E0507, with the command that goes on all the same, if there are differences that were not asked for.
void require_exact(const std::vector<std::string>& differences, const ResumeRequest& request,
                   const run::RunDirectory& directory);

/// Tells the observer that the run goes on in spite of differences, and adds an entry to the manifest's list
/// "continued": from which step on it is not what it was begun as, and why. Nothing where nothing differs.
void note_continued(const std::vector<std::string>& differences, uint64_t step, const run::RunDirectory& directory,
                    Observer& observer);

}  // namespace spar::train
