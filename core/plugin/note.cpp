#include "core/plugin/note.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>

#include "core/base/text.hpp"
#include "spar/abi.h"

namespace spar::plugin {
namespace {

namespace json = boost::json;

constexpr std::array<std::pair<uint32_t, std::string_view>, 4> kKinds{{{SPAR_KIND_ENV, "environment"},
                                                                       {SPAR_KIND_ALGO, "algorithm"},
                                                                       {SPAR_KIND_STRATEGY, "strategy"},
                                                                       {SPAR_KIND_BACKEND, "backend"}}};
constexpr size_t kMostListed = 1024, kMostServices = 64, kLongestId = 255;

[[noreturn]] void wrong(const std::string& problem) {
  throw Refusal{"has a note that " + problem, "see spar/abi/plugin.h for its format, then build the plugin again"};
}

std::string word(const json::object& object, const char* key, const char* of) {
  const auto* value = object.if_contains(key);
  if (!value || !value->is_string()) wrong(std::string("gives ") + of + " no text `" + key + "`");
  const std::string_view text = value->get_string();
  const bool clean = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("._-/+").find(c) != std::string_view::npos;
  });
  if (text.empty() || text.size() > kLongestId || !clean)
    wrong(std::string("gives ") + of + " the " + key + " \"" + printable(text.substr(0, 64)) +
          "\"; 1 to 255 letters, digits and . _ - / + are allowed");
  return std::string(text);
}

const json::array& list(const json::value& value, const char* key, size_t most) {
  if (!value.is_array()) wrong(std::string("has a `") + key + "` that is not a list");
  if (value.get_array().size() > most) wrong(std::string("lists more than ") + std::to_string(most) + " " + key);
  return value.get_array();
}

Note parse(std::string_view text) {
  json::parse_options options;
  options.max_depth = 8;
  json::error_code problem;
  const json::value root = json::parse(json::string_view(text.data(), text.size()), problem, {}, options);
  if (problem) wrong("is not JSON (" + problem.message() + ")");
  if (!root.is_object()) wrong("is not a JSON object");
  const json::object& object = root.get_object();

  Note note;
  note.id = word(object, "id", "the plugin");
  note.version = word(object, "version", "the plugin");
  const auto* components = object.if_contains("components");
  if (!components) wrong("has no list `components`");
  for (const auto& item : list(*components, "components", kMostListed)) {
    if (!item.is_object()) wrong("lists a component that is not an object");
    NoteComponent component;
    component.kind_name = word(item.get_object(), "kind", "a component");
    component.kind = kind_of(component.kind_name);
    component.id = word(item.get_object(), "id", "a component");
    if (std::find(note.components.begin(), note.components.end(), component) != note.components.end())
      wrong("lists the " + component.kind_name + " `" + component.id + "` twice");
    note.components.push_back(std::move(component));
  }
  if (note.components.empty()) wrong("lists no component");
  if (const auto* services = object.if_contains("requires")) {
    for (const auto& item : list(*services, "requires", kMostServices)) {
      if (!item.is_string()) wrong("requires a service that is not a text");
      note.requires_services.push_back(printable(std::string_view(item.get_string()).substr(0, kLongestId)));
    }
  }
  return note;
}

}  // namespace

std::string_view kind_name(uint32_t kind) {
  for (const auto& [number, name] : kKinds)
    if (number == kind) return name;
  return "component";
}

uint32_t kind_of(std::string_view name) {
  for (const auto& [number, text] : kKinds)
    if (text == name) return number;
  return 0;
}

std::variant<Note, Refusal> parse_note(std::string_view text) {
  try {
    return parse(text);
  } catch (Refusal& refusal) {
    return std::move(refusal);
  }
}

}  // namespace spar::plugin
