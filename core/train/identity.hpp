// What must be the same for a resumed run to equal an uninterrupted one bit for bit, and what a run's manifest tells
// about it.
#pragma once

#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "core/config/experiment.hpp"
#include "core/plugin/registry.hpp"
#include "core/run/run_directory.hpp"

namespace spar::train {

/// JSON text for checkpoints: program version, configuration hash, seed, threads, kernels, and each plugin's id,
/// version and SHA-256. Throws E0705 if a plugin file cannot be read.
std::string identity_json(const config::Experiment& experiment, const plugin::Registry& registry,
                          const std::vector<std::string>& backends);

/// One sentence for each thing that differs; empty if a resumed run will be exact. `settings`: sentences about what
/// differs in the configuration, where that is known.
std::vector<std::string> identity_differences(const std::string& saved, const std::string& current,
                                              const std::vector<std::string>& settings = {});

/// "a; b".
std::string joined(const std::vector<std::string>& sentences);

/// The command that resumes in spite of differences.
std::string inexact_resume(const run::RunDirectory& directory);

/// E0507: there are such differences; `command` goes on all the same.
Error not_exact(const std::vector<std::string>& differences, const std::string& command);

/// Adds an entry to the manifest's list "continued": from which step on the run is not what it was begun as, and why.
void note_continued(const run::RunDirectory& directory, uint64_t env_steps, const std::vector<std::string>& why);

/// Keys for manifest.json: the identity, plus host name, arguments and the plugins' paths.
boost::json::object run_manifest(const config::Experiment& experiment, const plugin::Registry& registry,
                                 const std::vector<std::string>& backends, const std::vector<std::string>& arguments);

}  // namespace spar::train
