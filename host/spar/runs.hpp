// The run that a verb is about.
#pragma once

#include <filesystem>

#include "core/run/run_directory.hpp"
#include "host/spar/engine.hpp"

namespace spar::host {

/// The run that the only word behind the verb names; words KEY=VALUE are passed over where the verb takes them. Throws
/// E0403 if there is not exactly one word, and what run::resolve() throws.
std::filesystem::path run_named(const Arguments& arguments, bool with_settings = false);
/// The words KEY=VALUE.
std::vector<std::string> settings_in(const Arguments& arguments);

/// What the run trains, from its resolved.toml and with `settings` over it. Throws E0606 if it is not there, and what
/// config::load() throws.
config::Experiment experiment_of(const run::RunDirectory& directory, Engine& engine,
                                 const std::vector<std::string>& settings = {});

/// `--checkpoint`, or `fallback`. Throws E0403 for what is neither best, last nor a step.
std::string checkpoint_wished(const Arguments& arguments, const std::string& fallback);

/// A run of a GPU can be evaluated on a machine that has none: `--device` wins, "" = as configured.
void choose_device(config::Experiment& experiment, const std::string& device);

}  // namespace spar::host
