#include "core/agent/options.hpp"

#include <stdexcept>

#include "core/base/text.hpp"
#include "core/config/convert.hpp"
#include "core/config/json.hpp"
#include "core/config/toml.hpp"

namespace spar {
namespace {

constexpr const char* kName = "options";  // stands where messages name the file

/// JSON carries no places: messages name the text as a whole.
void stamp(config::Value& value) {
  value.place.file = kName;
  if (auto* array = std::get_if<config::Array>(&value.data)) {
    for (config::Value& item : *array) stamp(item);
  }
  if (auto* table = std::get_if<config::Table>(&value.data)) {
    for (config::Entry& entry : table->entries) {
      entry.place.file = kName;
      stamp(entry.value);
    }
  }
}

config::Table parse_json(std::string_view text) {
  const auto fail = [](const std::string& problem) {
    Place place;
    place.file = kName;
    return Error("E0201", Exit::usage, "the options cannot be read: " + problem)
        .at(std::move(place))
        .help("write a JSON object, {\"lr\": 1e-3}, or TOML, lr = 1e-3");
  };
  try {
    config::Value value = config::from_json(text);
    stamp(value);
    if (auto* table = std::get_if<config::Table>(&value.data)) {
      for (const config::Entry& entry : table->entries) {
        if (table->find(entry.key) != &entry) throw fail("`" + printable(entry.key) + "` is there twice");
      }
      return std::move(*table);
    }
  } catch (const std::invalid_argument& error) {
    throw fail(error.what());
  }
  throw fail("expected an object");
}

}  // namespace

AgentOptions::AgentOptions(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  table_ =
      first != std::string_view::npos && text[first] == '{' ? parse_json(text) : config::parse_toml(text, kName, {});
}

AgentOptions AgentOptions::file(const std::filesystem::path& path) {
  return config::parse_toml_file(path.string(), {config::Layer::file, path.string(), 0});
}

config::Options AgentOptions::resolve(const std::shared_ptr<const config::Component>& component,
                                      std::vector<std::string>& warnings) const {
  config::Problems problems;
  config::Origins origins;
  Place place;
  place.file = kName;
  config::Section section(&table_, "algorithm", place, problems, origins);
  config::Options options = config::read_options(component, section, {}, warnings);
  problems.throw_if_any();
  return options;
}

std::string options_json(const config::Options& options) {
  config::Table table;
  for (size_t i = 0; i < options.values.size(); ++i) {
    if (options.values[i].type == SPAR_T_NONE) continue;
    table.entries.push_back({options.component->params[i].name, {}, config::to_value(options.values[i])});
  }
  return config::to_json({std::move(table), {}, {}});
}

}  // namespace spar
