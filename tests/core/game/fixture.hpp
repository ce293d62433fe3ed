// Games of the plugin `games`, compiled.
#pragma once

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/config/options.hpp"
#include "core/game/plan.hpp"
#include "core/game/sequence_form.hpp"
#include "plugins/environments/environment_copies.hpp"
#include "support/json_file.hpp"

namespace spar::test {

using OptionData = decltype(config::OptionValue::data);

/// A host without services.
inline const spar_host& bare_host() {
  static const spar_host host = {sizeof(spar_host), SPAR_ABI_VERSION, "test", "1",
                                 [](const spar_host*, const char*) -> const void* { return nullptr; }};
  return host;
}

/// The defaults of a component's options but for `options`.
inline config::Options options_of(const spar_component& component, const std::map<std::string, OptionData>& options) {
  auto values = config::default_options(std::make_shared<config::Component>(config::copy_component(component)));
  for (size_t i = 0; i < values.values.size(); ++i) {
    const auto given = options.find(values.component->params[i].name);
    if (given == options.end()) continue;
    values.values[i].data = given->second;
    values.values[i].type = values.component->params[i].type;
  }
  return values;
}

/// use(position) at the root of a game.
template <class Use>
auto with_position(const spar_component& component, const std::map<std::string, OptionData>& options, Use&& use) {
  const auto values = options_of(component, options);
  const config::ConfigView view(values);
  game::Position position(bare_host(), component, *view.get());
  return use(position);
}

inline game::SequenceForm compiled(const spar_component& component,
                                   const std::map<std::string, OptionData>& options = {},
                                   uint64_t most = game::kMostHistories) {
  return with_position(component, options, [most](game::Position& position) { return game::compile(position, most); });
}
inline game::SequenceForm compiled(const std::string& id, const std::map<std::string, OptionData>& options = {}) {
  return compiled(environment_component("games", "org.spar.games/" + id), options);
}

inline const game::SequenceForm& kuhn() {
  static const game::SequenceForm form = compiled("kuhn_poker");
  return form;
}
inline const game::SequenceForm& leduc() {
  static const game::SequenceForm form = compiled("leduc_poker");
  return form;
}

/// One number for the probability of action `action` at the infoset of that key.
inline double& probability(const game::Player& player, game::Behaviour& behaviour, const std::string& key,
                           int64_t action) {
  for (size_t i = 0; i < player.infosets(); ++i) {
    if (player.key[i] != key) continue;
    for (int32_t s = player.first[i]; s < player.first[i + 1]; ++s)
      if (player.action[static_cast<size_t>(s)] == action) return behaviour[static_cast<size_t>(s)];
  }
  throw std::runtime_error("no such information set or action");
}

/// Plans of players who always take the action `wanted`; where it is not legal the next lower one, else the lowest.
inline std::vector<game::Plan> always_plans(const game::SequenceForm& form, int64_t wanted) {
  std::vector<game::Plan> plans;
  for (const game::Player& player : form.players) {
    plans.push_back(game::to_plan(player, game::always(player, [wanted](size_t, std::span<const int64_t> actions) {
                                    const auto above = std::ranges::upper_bound(actions, wanted);
                                    return above == actions.begin() ? size_t{0}
                                                                    : static_cast<size_t>(above - actions.begin()) - 1;
                                  })));
  }
  return plans;
}
inline std::vector<game::Plan> uniform_plans(const game::SequenceForm& form) {
  std::vector<game::Plan> plans;
  for (const game::Player& player : form.players) plans.push_back(game::to_plan(player, game::uniform(player)));
  return plans;
}

inline boost::json::value golden_game(const char* name) {
  return json_file("golden_games.json").at(std::string("game.") + name).at("expected");
}
/// A number of the golden file: {"fraction": .., "value": ..} or plain.
inline double golden_number(const boost::json::value& value) {
  return value.is_object() ? value.at("value").to_number<double>() : value.to_number<double>();
}
/// The file prints ten significant digits.
inline bool close(double a, double b, double tolerance = 1e-9) { return std::abs(a - b) <= tolerance; }

/// Code and sentence of the Error that the call throws, "" if it throws none.
template <class Call>
std::string refusal_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.code() + " " + error.what();
  }
  return "";
}

}  // namespace spar::test
