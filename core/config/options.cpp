#include "core/config/options.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "core/base/text.hpp"
#include "core/config/convert.hpp"
#include "core/config/json.hpp"

namespace spar::config {
namespace {

std::string who(const Component& component) { return kind_name(component.kind) + " `" + short_id(component.id) + "`"; }

std::string see(const Component& component) { return "see: spar explain " + short_id(component.id); }

OptionValue default_value(const Component& component, const Param& param) {
  const auto fail = [&](const std::string& reason) {
    return Error("E0209", Exit::plugin,
                 "the default of `" + param.name + "` of " + who(component) + " is wrong: " + reason + ", found `" +
                     printable(*param.default_json) + "`")
        .help("this is a fault of the plugin, not of the configuration");
  };
  Value value;
  try {
    value = from_json(*param.default_json);
  } catch (const std::invalid_argument& error) {
    throw fail(error.what());
  }
  try {
    return convert(param, value, "");
  } catch (const Error&) {
    throw fail("expected " + type_and_range(param));
  }
}

/// The value without an entry; nothing if the parameter is required.
std::optional<OptionValue> absent(const Component& component, const Param& param) {
  if (param.default_json) return default_value(component, param);
  if (param.flags & SPAR_PARAM_OPTIONAL) return OptionValue{};
  return {};
}

/// The table that stands where a text is expected, and so for a group of parameters: `network = { kind = "torchscript",
/// file = "net.pt" }` is `network = "torchscript"` and `network_file = "net.pt"`. Null if `name` is no such group.
const Table* group_of(const Component& component, const Section& section, std::string_view name) {
  const Entry* entry = section.raw() ? section.raw()->find(name) : nullptr;
  const auto prefix = std::string(name) + "_";
  const bool text = std::ranges::any_of(
      component.params, [&](const Param& param) { return param.name == name && param.type == SPAR_T_STR; });
  const bool members =
      std::ranges::any_of(component.params, [&](const Param& param) { return param.name.starts_with(prefix); });
  return entry && text && members ? entry->value.table() : nullptr;
}

/// What the configuration says of a parameter, by itself or in a group.
const Entry* entry_of(const Component& component, Section& section, const Param& param) {
  const Entry* entry = section.find(param.name);
  if (entry) {
    const Table* group = group_of(component, section, param.name);
    return group ? group->find("kind") : entry;
  }
  for (size_t at = param.name.find('_'); at != std::string::npos; at = param.name.find('_', at + 1)) {
    const Table* group = group_of(component, section, param.name.substr(0, at));
    entry = group ? group->find(param.name.substr(at + 1)) : nullptr;
    if (!entry) continue;
    section.origins()[section.path(param.name)] = entry->value.origin;
    return entry;
  }
  return nullptr;
}

void refuse_unknown_members(const Component& component, Section& section, const std::string& name) {
  const Table* group = group_of(component, section, name);
  if (!group) return;
  std::vector<std::string> known = {"kind"};
  for (const auto& param : component.params)
    if (param.name.starts_with(name + "_")) known.push_back(param.name.substr(name.size() + 1));
  for (const auto& entry : group->entries) {
    if (std::ranges::find(known, entry.key) == known.end())
      section.add("E0203", "unknown key `" + printable(entry.key) + "` in `" + name + "` of " + who(component),
                  with_note(entry.place, did_you_mean(entry.key, known)), see(component));
    else if (entry.key != "kind" && section.raw()->find(name + "_" + entry.key))
      section.add("E0203", "`" + name + "_" + entry.key + "` of " + who(component) + " is given twice", entry.place,
                  "leave it out of the table or beside it");
  }
}

void refuse_unknown(const Component& component, Section& section, std::span<const std::string> reserved) {
  if (!section.raw()) return;
  std::vector<std::string> known(reserved.begin(), reserved.end());
  for (const auto& param : component.params) known.push_back(param.name);
  for (const auto& entry : section.raw()->entries) {
    refuse_unknown_members(component, section, entry.key);
    if (std::ranges::find(known, entry.key) != known.end()) continue;
    std::string note = did_you_mean(entry.key, known);
    const std::string near = nearest_key(entry.key, known);
    for (const auto& param : component.params)
      if (param.name == near)
        note += " (" + type_and_range(param) + ", " + default_text(param) + ": " + printable(param.doc) + ")";
    section.add("E0203", "unknown key `" + printable(entry.key) + "` for " + who(component),
                with_note(entry.place, note), see(component));
  }
}

}  // namespace

const OptionValue* Options::find(std::string_view name) const {
  for (size_t i = 0; i < values.size(); ++i)
    if (component->params[i].name == name) return &values[i];
  return nullptr;
}

Options read_options(const std::shared_ptr<const Component>& component, Section& section,
                     std::span<const std::string> reserved, std::vector<std::string>& warnings) {
  Options out{component, {}};
  for (const auto& param : component->params) {
    const Entry* entry = entry_of(*component, section, param);
    std::optional<OptionValue> value;
    try {
      if (entry) {
        value = convert(param, entry->value, "`" + param.name + "` of " + who(*component));
        if (param.flags & SPAR_PARAM_DEPRECATED)
          warnings.push_back("`" + section.path(param.name) + "` is deprecated: " + printable(param.doc));
      } else {
        value = absent(*component, param);
        if (!value) section.missing(param.name, type_and_range(param) + ": " + printable(param.doc), see(*component));
      }
    } catch (const Error& error) {
      section.problems().add(error);
    }
    out.values.push_back(value.value_or(OptionValue{}));
  }
  refuse_unknown(*component, section, reserved);
  return out;
}

Options default_options(const std::shared_ptr<const Component>& component) {
  Options out{component, {}};
  for (const auto& param : component->params) {
    auto value = absent(*component, param);
    if (!value)
      throw Error("E0206", Exit::usage, "`" + param.name + "` of " + who(*component) + " is missing")
          .help(see(*component));
    out.values.push_back(std::move(*value));
  }
  return out;
}

ConfigView::ConfigView(const Options& options) : values_(options.values) {
  for (const auto& value : values_) {
    spar_value raw{};
    raw.type = value.type;
    if (const auto* b = std::get_if<bool>(&value.data)) raw.u.i = *b;
    if (const auto* i = std::get_if<int64_t>(&value.data)) raw.u.i = *i;
    if (const auto* r = std::get_if<double>(&value.data)) raw.u.r = *r;
    if (const auto* s = std::get_if<std::string>(&value.data)) raw.u.s = {s->data(), s->size()};
    if (const auto* iv = std::get_if<std::vector<int64_t>>(&value.data)) {
      raw.count = static_cast<uint32_t>(iv->size());
      raw.u.iv = iv->data();
    }
    if (const auto* rv = std::get_if<std::vector<double>>(&value.data)) {
      raw.count = static_cast<uint32_t>(rv->size());
      raw.u.rv = rv->data();
    }
    raw_.push_back(raw);
  }
  config_ = {sizeof config_, static_cast<uint32_t>(raw_.size()), raw_.data()};
}

}  // namespace spar::config
