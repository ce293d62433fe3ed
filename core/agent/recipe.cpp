#include "core/agent/recipe.hpp"

#include "core/base/crew.hpp"
#include "core/base/text.hpp"
#include "core/config/convert.hpp"
#include "core/rollout/space.hpp"

namespace spar {
namespace {

/// A copy, because the C form of a space points into the object.
rollout::Space host_space(Space space) { return rollout::copy_space(*space.abi(), "an agent"); }

void save_space(const Space& space, ByteWriter& writer) {
  const rollout::Space copy = host_space(space);
  writer.put(copy.kind);
  writer.put(copy.code);
  writer.put(copy.n);
  writer.array<int64_t>(copy.shape);
  writer.array<double>(copy.low);
  writer.array<double>(copy.high);
}

Space load_space(ByteReader& reader) {
  const auto kind = reader.get<uint32_t>();
  const auto code = reader.get<uint8_t>();
  const auto n = reader.get<int64_t>();
  const auto shape = reader.vector<int64_t>();
  auto low = reader.vector<double>(), high = reader.vector<double>();
  if (kind == SPAR_SPACE_DISCRETE) return Space::discrete(n);
  if (code == SPAR_DTYPE_UINT && shape.size() == 3) return Space::image(shape[0], shape[1], shape[2]);
  return Space::box(std::move(low), std::move(high));
}

std::string bytes_of(const Space& space) {
  ByteWriter writer;
  save_space(space, writer);
  const auto bytes = writer.take();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void check_same_space(const char* which, const Space& saved, const Space& own) {
  if (bytes_of(saved) == bytes_of(own)) return;
  const std::string a = host_space(saved).name(), b = host_space(own).name();
  throw Error("E1004", Exit::usage,
              std::string("the state is of another agent: its ") + which + " space is " + a + ", this one's is " + b +
                  (a == b ? " with other bounds" : ""));
}

}  // namespace

Recipe make_recipe(Plugins& plugins, std::string_view algorithm, const Spaces& spaces, const AgentOptions& options,
                   const AgentSettings& settings) {
  const auto refuse = [](const std::string& problem) {
    throw Error("E1001", Exit::usage, "Agent::create(): " + problem);
  };
  if (settings.copies == 0) refuse("copies is 0, expected at least 1");
  if (settings.threads < 1 || settings.threads > Crew::kMostThreads)
    refuse("threads is " + std::to_string(settings.threads) + ", expected 1 to " + std::to_string(Crew::kMostThreads));
  if (settings.name.empty()) refuse("name is empty, expected the name of its random streams");
  Recipe recipe{"", spaces, {}, settings, {}};
  auto component = std::make_shared<const config::Component>(plugins.registry().schema(SPAR_KIND_ALGO, algorithm));
  recipe.algorithm = component->id;
  recipe.options = options.resolve(component, recipe.warnings);
  recipe.settings.max_rows = std::max(settings.max_rows, settings.copies);
  return recipe;
}

void save_recipe(const Recipe& recipe, ByteWriter& writer) {
  writer.text(recipe.algorithm);
  writer.text(options_json(recipe.options));
  save_space(recipe.spaces.observation, writer);
  save_space(recipe.spaces.action, writer);
  writer.put<uint8_t>(recipe.spaces.masked);
  const AgentSettings& settings = recipe.settings;
  writer.put<uint8_t>(settings.steps.has_value());
  writer.put<uint64_t>(settings.steps.value_or(0));
  writer.put(settings.seed);
  writer.put(settings.copies);
  writer.put(settings.max_rows);
  writer.text(settings.name);
  writer.text(settings.strategy);
}

Recipe load_recipe(Plugins& plugins, ByteReader& reader) {
  const std::string algorithm = reader.text(), options = reader.text();
  Space observation = load_space(reader), action = load_space(reader);
  const bool masked = reader.get<uint8_t>() != 0;
  AgentSettings settings;
  const bool has_steps = reader.get<uint8_t>() != 0;
  const auto steps = reader.get<uint64_t>();
  if (has_steps) settings.steps = steps;
  settings.seed = reader.get<uint64_t>();
  settings.copies = reader.get<uint64_t>();
  settings.max_rows = reader.get<uint64_t>();
  settings.name = reader.text();
  settings.strategy = reader.text();
  return make_recipe(plugins, algorithm, {std::move(observation), std::move(action), masked}, options, settings);
}

void check_same(const Recipe& saved, const Recipe& own) {
  const auto differ = [](const std::string& what, const std::string& a, const std::string& b) {
    if (a == b) return;
    throw Error("E1004", Exit::usage,
                "the state is of another agent: its " + what + " is " + printable(a) + ", this one's is " + b)
        .help("Agent::from_state() makes an agent as it was saved");
  };
  differ("algorithm", saved.algorithm, own.algorithm);
  check_same_space("observation", saved.spaces.observation, own.spaces.observation);
  check_same_space("action", saved.spaces.action, own.spaces.action);
  differ("spaces' masked", saved.spaces.masked ? "true" : "false", own.spaces.masked ? "true" : "false");
  for (size_t i = 0; i < own.options.values.size(); ++i)
    differ("option `" + own.options.component->params[i].name + "`", text_of(saved.options.values[i]),
           text_of(own.options.values[i]));
  const AgentSettings &a = saved.settings, &b = own.settings;
  differ("setting `copies`", std::to_string(a.copies), std::to_string(b.copies));
  differ("setting `seed`", std::to_string(a.seed), std::to_string(b.seed));
  differ("setting `steps`", a.steps ? std::to_string(*a.steps) : "left out",
         b.steps ? std::to_string(*b.steps) : "left out");
  differ("setting `name`", a.name, b.name);
  differ("setting `strategy`", a.strategy, b.strategy);
}

}  // namespace spar
