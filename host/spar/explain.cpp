#include "core/config/explain.hpp"

#include <algorithm>
#include <boost/json.hpp>

#include "core/base/text.hpp"
#include "core/plugin/note.hpp"
#include "host/spar/engine.hpp"
#include "host/spar/output.hpp"
#include "host/spar/verbs.hpp"

namespace spar::host {
namespace {

constexpr uint32_t kKinds[] = {SPAR_KIND_ALGO, SPAR_KIND_ENV, SPAR_KIND_STRATEGY, SPAR_KIND_BACKEND};

bool is_code(const std::string& text) {
  return text.size() == 5 && (text[0] == 'E' || text[0] == 'e') &&
         std::all_of(text.begin() + 1, text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string explain_code(std::string code) {
  code[0] = 'E';
  if (const auto text = config::explain(code)) return *text;
  const auto codes = config::error_codes();
  throw Error("E0403", Exit::usage, "there is no error code `" + code + "`").help("codes: " + listing(codes));
}

/// The component of any kind that `name` means; null if there is none. Throws what is wrong with one that there is.
const config::Component* component_named(plugin::Registry& registry, const std::string& name) {
  for (const uint32_t kind : kKinds) {
    try {
      return &registry.schema(kind, name);
    } catch (const Error& error) {
      if (error.code() != "E0110") throw;
    }
  }
  return nullptr;
}

std::vector<std::string> known_names(const plugin::Registry& registry) {
  std::vector<std::string> out;
  for (const auto& file : registry.files())
    for (const auto& component : file.components)
      if (file.status == plugin::Status::usable) out.push_back(config::short_id(component.id));
  return out;
}

std::string explain_component(Engine& engine, const std::string& name, bool markdown) {
  if (const auto* component = component_named(engine.registry(), name))
    return markdown ? config::option_table(*component) : config::explain_component(*component);
  // Ids may hold dots: the parameter is behind the last one.
  const size_t dot = name.rfind('.');
  if (dot != std::string::npos)
    if (const auto* component = component_named(engine.registry(), name.substr(0, dot)))
      return config::explain_parameter(*component, name.substr(dot + 1));
  static constexpr std::string_view kScenarios[] = {"marl", "psro", "cfr", "cfr_plus", "league"};
  if (std::ranges::find(kScenarios, std::string_view(name).substr(0, dot)) != std::end(kScenarios))
    throw Error("E0207", Exit::usage, "`" + printable(name) + "` is no component")
        .help("`" + name.substr(0, dot) + "` is a scenario, chosen by [scenario] id: see share/doc/games.md");
  const std::string near = nearest(name.substr(0, dot), known_names(engine.registry()));
  throw Error("E0207", Exit::usage, "no component `" + printable(name) + "` is known")
      .help((near.empty() ? "" : "did you mean `" + near + "`? ") + "`spar plugin list` shows them all");
}

}  // namespace

int run_explain(const Arguments& arguments, const Terminal&) {
  if (arguments.positional.size() != 1)
    throw Error("E0403", Exit::usage, "`spar explain` wants one thing to explain").help("e.g. spar explain dqn.lr");
  const std::string& name = arguments.positional[0];
  std::string text;
  if (is_code(name)) {
    text = explain_code(name);
  } else {
    Engine engine(arguments);
    text = explain_component(engine, name, arguments.has("markdown"));
  }
  if (arguments.json)
    print_json({{"event", "explain"}, {"subject", name}, {"text", text}});
  else
    print(text);
  return 0;
}

}  // namespace spar::host
