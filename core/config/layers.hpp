// From the sources of a configuration to one tree of values.
#pragma once

#include "core/config/experiment.hpp"
#include "core/config/problems.hpp"

namespace spar::config {

struct Layers {
  Table root;
  std::string file;  ///< path of the experiment file, "" if there is none
  std::string stem;  ///< name of the preset or of the file without .toml
};

/// The tables that choose an algorithm: [algorithm] and those of [[group]], where they are there.
std::vector<Table*> algorithm_tables(Table& root);

/// File or preset, then the device, then the assignments, then the seed. Errors of assignments are recorded, those of
/// the file thrown.
Layers read_layers(const Sources& sources, Problems& problems);

/// Puts the options of the preset that a table of an algorithm names below those that it has. The preset is NAME or
/// NAME-ALGORITHM in the directory of presets. Records E0207 if there is none, E0211 if it is for another algorithm.
void apply_algorithm_preset(Table& algorithm, const std::string& directory, const ComponentLookup& lookup,
                            Problems& problems);

}  // namespace spar::config
