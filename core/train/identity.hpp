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
/// version and SHA-256. Throws E0709 if a plugin file cannot be read.
std::string identity_json(const config::Experiment& experiment, plugin::Registry& registry,
                          const std::vector<std::string>& backends);

/// One sentence for each thing that differs; empty if a resumed run will be exact. `settings`: sentences about what
/// differs in the configuration, where that is known.
std::vector<std::string> identity_differences(const std::string& saved, const std::string& current,
                                              const std::vector<std::string>& settings = {});

/// Keys for manifest.json: the identity, as identity_json() gives it, plus host name, arguments and the plugins' paths.
boost::json::object run_manifest(const std::string& identity, const config::Experiment& experiment,
                                 const plugin::Registry& registry, const std::vector<std::string>& backends,
                                 const std::vector<std::string>& arguments);

}  // namespace spar::train
