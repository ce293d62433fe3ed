// The names under which a component may be asked for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace spar::plugin {

/// Id first, then the short forms: "org.spar.dqn" -> {"org.spar.dqn", "dqn"}; "org.spar.classic/CartPole-v1" ->
/// {itself, "classic/CartPole-v1", "CartPole-v1"}.
std::vector<std::string> names_of(std::string_view id);

/// Which of `ids` `name` stands for: the id itself, else those with that short form, else those of which a name begins
/// with it. Several: ambiguous; none: unknown.
std::vector<std::string> resolve(std::string_view name, const std::vector<std::string>& ids);

}  // namespace spar::plugin
