// [[group]] and `mapping`: which agents belong together.
#pragma once

#include <functional>

#include "core/config/experiment.hpp"
#include "core/config/section.hpp"

namespace spar::config {

using ReadAlgorithm = std::function<AlgorithmConfig(Section)>;

/// Of the whole configuration `root`. Records E0203 to E0206 and E0211 for what is wrong in it, E0213 for patterns that
/// are none. Which agents there are is not known here: see core/train/groups.hpp.
std::vector<GroupConfig> read_groups(Section& root, const ReadAlgorithm& read_algorithm);

}  // namespace spar::config
