// What an agent is made from: enough to make it again.
#pragma once

#include <string>
#include <vector>

#include "core/agent/agent.hpp"
#include "core/base/bytes.hpp"

namespace spar {

struct Recipe {
  std::string algorithm;  ///< full id
  Spaces spaces;
  config::Options options;
  AgentSettings settings;
  std::vector<std::string> warnings;
};

/// Finds the algorithm and checks the options. Throws as Agent::create() does.
Recipe make_recipe(Plugins& plugins, std::string_view algorithm, const Spaces& spaces, const AgentOptions& options,
                   const AgentSettings& settings);

void save_recipe(const Recipe& recipe, ByteWriter& writer);
/// Throws E0501, and what make_recipe() throws if the algorithm of this program does not know the options any more.
Recipe load_recipe(Plugins& plugins, ByteReader& reader);

/// Throws Error E1004, naming the first difference, unless states of `saved` fit an agent made from `own`.
void check_same(const Recipe& saved, const Recipe& own);

}  // namespace spar
