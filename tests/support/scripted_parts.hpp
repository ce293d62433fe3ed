// What the three kinds of scripted components share: how a script travels to its instances, and how it fails.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "support/scripted.hpp"

namespace spar::test {

/// The schema of every scripted component: the address of its script.
inline std::shared_ptr<const config::Component> schema(uint32_t kind, const std::string& id) {
  config::Component component;
  component.kind = kind;
  component.id = id;
  component.version = "1.0.0";
  config::Param param;
  param.name = "script";
  param.type = SPAR_T_INT;
  component.params.push_back(param);
  return std::make_shared<const config::Component>(component);
}

inline config::Options options_of(const void* script, uint32_t kind, const std::string& id) {
  config::OptionValue value;
  value.type = SPAR_T_INT;
  value.data = static_cast<int64_t>(reinterpret_cast<intptr_t>(script));
  return {schema(kind, id), {value}};
}

inline spar_component component_of(uint32_t kind, const char* id, const void* table) {
  spar_component c{};
  c.struct_size = sizeof c;
  c.kind = kind;
  c.id = id;
  c.version = "1.0.0";
  c.title = c.doc = "scripted";
  c.vtbl = table;
  return c;
}

template <class Script>
Script& script_of(const spar_config* config) {
  return *reinterpret_cast<Script*>(static_cast<intptr_t>(config->values[0].u.i));
}

/// SPAR_OK, or the failure that the script asks for in this call.
template <class Script>
spar_status outcome(const Script& script, const char* call, spar_error* error) {
  if (script.fails_in != call) return SPAR_OK;
  error->code = script.status;
  std::snprintf(error->message, sizeof error->message, "%s", script.message.c_str());
  return script.status;
}

inline int64_t write_all(const spar_stream* stream, const void* data, uint64_t n) {
  return n == 0 ? 0 : stream->write(stream->ctx, data, n);
}

inline std::string read_all(const spar_stream* stream) {
  std::string text;
  char piece[7];  // short reads are legal
  for (int64_t n = 0; (n = stream->read(stream->ctx, piece, sizeof piece)) > 0;)
    text.append(piece, static_cast<size_t>(n));
  return text;
}

}  // namespace spar::test
