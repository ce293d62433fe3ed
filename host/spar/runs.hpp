// The run that a verb is about.
#pragma once

#include <filesystem>

#include "core/run/run_directory.hpp"
#include "host/spar/engine.hpp"

namespace spar::host {

/// The run that the only word behind the verb names. Throws E0403 if there is not exactly one word, and what
/// run::resolve() throws.
std::filesystem::path run_named(const Arguments& arguments);

/// What the run trains, from its resolved.toml. Throws E0606 if it is not there.
config::Experiment experiment_of(const run::RunDirectory& directory, Engine& engine);

}  // namespace spar::host
