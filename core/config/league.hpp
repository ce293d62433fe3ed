// [scenario] of a league.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/config/experiment.hpp"
#include "core/config/section.hpp"

namespace spar::config {

/// Records E0203 to E0207 and E0211 for what does not fit.
LeagueConfig read_league(Section& scenario);

/// The text of `key` if it is one of `known`; else E0207 is recorded and the answer is `fallback`.
std::string read_choice(Section& section, const std::string& key, std::string fallback,
                        std::span<const std::string_view> known, const std::string& what);

}  // namespace spar::config
