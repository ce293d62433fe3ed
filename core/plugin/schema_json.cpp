#include "core/plugin/schema_json.hpp"

#include <boost/json.hpp>
#include <charconv>

#include "core/base/text.hpp"
#include "core/plugin/refusal.hpp"

namespace spar::plugin {
namespace {

namespace json = boost::json;
using config::Component;
using config::Param;

json::object to_json(const Param& param) {
  json::object out{{"name", param.name}, {"doc", param.doc}, {"type", param.type}, {"flags", param.flags}};
  if (param.default_json) out["default"] = *param.default_json;
  if (param.min) out["min"] = shortest_text(*param.min);
  if (param.max) out["max"] = shortest_text(*param.max);
  if (!param.choices.empty()) out["choices"] = json::value_from(param.choices);
  return out;
}

json::object to_json(const Component& component) {
  json::object out{{"kind", component.kind},   {"id", component.id},   {"version", component.version},
                   {"title", component.title}, {"doc", component.doc}, {"flags", component.flags}};
  json::array params;
  for (const auto& param : component.params) params.push_back(to_json(param));
  out["params"] = std::move(params);
  return out;
}

[[noreturn]] void damaged(std::string_view key) {
  throw Refusal{"`" + std::string(key) + "` is missing or of the wrong type", ""};
}

const json::object& object_of(const json::value& value) {
  if (!value.is_object()) damaged("component");
  return value.get_object();
}

const json::array& array_at(const json::object& object, const char* key) {
  const auto* value = object.if_contains(key);
  if (!value || !value->is_array()) damaged(key);
  return value->get_array();
}

std::string text_of(const json::value& value, const char* key) {
  if (!value.is_string()) damaged(key);
  return std::string(value.get_string());
}

std::string text_at(const json::object& object, const char* key) {
  const auto* value = object.if_contains(key);
  if (!value) damaged(key);
  return text_of(*value, key);
}

uint32_t number_at(const json::object& object, const char* key) {
  const auto* value = object.if_contains(key);
  if (!value || !value->is_int64() || value->get_int64() < 0 || value->get_int64() > UINT32_MAX) damaged(key);
  return static_cast<uint32_t>(value->get_int64());
}

std::optional<double> bound_at(const json::object& object, const char* key) {
  const auto* value = object.if_contains(key);
  if (!value) return std::nullopt;
  const std::string text = text_of(*value, key);
  double number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) damaged(key);
  return number;
}

Param param_from(const json::object& object) {
  Param param;
  param.name = text_at(object, "name");
  param.doc = text_at(object, "doc");
  param.type = number_at(object, "type");
  param.flags = number_at(object, "flags");
  if (const auto* value = object.if_contains("default")) param.default_json = text_of(*value, "default");
  param.min = bound_at(object, "min");
  param.max = bound_at(object, "max");
  if (object.contains("choices"))
    for (const auto& choice : array_at(object, "choices")) param.choices.push_back(text_of(choice, "choices"));
  return param;
}

}  // namespace

json::value components_to_json(const std::vector<Component>& components) {
  json::array out;
  for (const auto& component : components) out.push_back(to_json(component));
  return out;
}

std::vector<Component> components_from_json(const json::value& value) {
  if (!value.is_array()) damaged("components");
  std::vector<Component> out;
  for (const auto& item : value.get_array()) {
    const json::object& object = object_of(item);
    Component component;
    component.kind = number_at(object, "kind");
    component.id = text_at(object, "id");
    component.version = text_at(object, "version");
    component.title = text_at(object, "title");
    component.doc = text_at(object, "doc");
    component.flags = number_at(object, "flags");
    for (const auto& param : array_at(object, "params")) component.params.push_back(param_from(object_of(param)));
    out.push_back(std::move(component));
  }
  return out;
}

}  // namespace spar::plugin
