#include "core/config/explain.hpp"

#include <algorithm>

#include "core/base/text.hpp"
#include "core/config/options.hpp"

namespace spar::config {
namespace {

/// Section of an experiment in which a component's options are written.
std::string section_of(uint32_t kind) {
  if (kind == SPAR_KIND_ENV) return "env";
  if (kind == SPAR_KIND_STRATEGY) return "strategy";
  return kind == SPAR_KIND_ALGO ? "algorithm" : "";
}

std::string remarks(const Param& param) {
  std::string out;
  if (param.flags & SPAR_PARAM_DEPRECATED) out += " (deprecated)";
  if (param.flags & SPAR_PARAM_ADVANCED) out += " (advanced)";
  return out;
}

/// A value for the example: the default, or what the range allows.
std::string example(const Param& param) {
  if (param.default_json) return printable(*param.default_json);
  if (!param.choices.empty()) return toml_text(std::string_view(param.choices.front()));
  switch (param.type) {
    case SPAR_T_BOOL:
      return "true";
    case SPAR_T_STR:
      return "\"..\"";
    case SPAR_T_INTS:
    case SPAR_T_REALS:
    case SPAR_T_JSON:
      return "[..]";
    default:
      return "..";
  }
}

std::string padded(std::string text, size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

}  // namespace

std::string explain_parameter(const Component& component, std::string_view name) {
  std::vector<std::string> names;
  for (const auto& param : component.params) {
    names.push_back(param.name);
    if (param.name != name) continue;
    std::string out = short_id(component.id) + "." + param.name + ": " + type_and_range(param) + ", " +
                      default_text(param) + remarks(param) + "\n";
    if (!param.doc.empty()) out += "  " + printable(param.doc) + "\n";
    const std::string section = section_of(component.kind);
    if (!section.empty()) {
      out += "  In an experiment: [" + section + "] " + param.name + " = " + example(param);
      out += "; on the command line: '" + section + "." + param.name + "=" + example(param) + "'\n";
    }
    return out;
  }
  const std::string note = did_you_mean(name, names);
  throw Error(
      "E0203", Exit::usage,
      kind_name(component.kind) + " `" + short_id(component.id) + "` has no parameter `" + printable(name) + "`")
      .help((note.empty() ? "" : note + " ") + "its parameters: " + (names.empty() ? "none" : listing(names)));
}

std::string explain_component(const Component& component) {
  std::string out = short_id(component.id) + ": " + kind_name(component.kind) + " " + printable(component.id) + " " +
                    printable(component.version) + "\n";
  if (!component.title.empty()) out += "  " + printable(component.title) + "\n";
  if (!component.doc.empty() && component.doc != component.title) out += "  " + printable(component.doc) + "\n";
  if (component.params.empty()) return out + "\nIt has no parameters.\n";
  size_t names = 0, types = 0, defaults = 0;
  for (const auto& param : component.params) {
    names = std::max(names, param.name.size());
    types = std::max(types, type_and_range(param).size());
    defaults = std::max(defaults, default_text(param).size());
  }
  out += "\n";
  for (const auto& param : component.params)
    out += "  " + padded(param.name, names) + "  " + padded(type_and_range(param), types) + "  " +
           padded(default_text(param), defaults) + "  " + printable(param.doc) + remarks(param) + "\n";
  return out;
}

std::string option_table(const Component& component) {
  const auto cell = [](const std::string& text) {
    std::string out;
    for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
    return out;
  };
  std::string out = "| option | type | default | meaning |\n|---|---|---|---|\n";
  for (const auto& param : component.params)
    out += "| `" + param.name + "` | " + cell(type_and_range(param)) + " | " +
           (param.default_json ? "`" + printable(*param.default_json) + "`" : default_text(param)) + " | " +
           cell(printable(param.doc)) + remarks(param) + " |\n";
  return out;
}

}  // namespace spar::config
