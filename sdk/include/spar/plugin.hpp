// SPAR_PLUGIN(ID, VERSION, COMPONENT..): the entry point and the ELF note of a plugin, in its only file that sees them.
//
// A component is a class with a base that sets kKind and table<T>() (Algorithm, Strategy, Environment) and with
//   static constexpr const char *id, *version, *title;      and optionally *doc
//   static const spar::Schema<Config>& schema();
// and optionally `static constexpr const char* kServices[]`: service ids that it cannot live without; a host that lacks
// one refuses the plugin by name, before loading it.
#pragma once

#include <string_view>
#include <type_traits>

#include "spar/schema.hpp"

namespace spar::detail {

constexpr std::string_view kind_name(uint32_t kind) {
  return kind == SPAR_KIND_ENV        ? "environment"
         : kind == SPAR_KIND_ALGO     ? "algorithm"
         : kind == SPAR_KIND_STRATEGY ? "strategy"
                                      : "backend";
}

template <class T, class = void>
struct has_services : std::false_type {};
template <class T>
struct has_services<T, std::void_t<decltype(T::kServices)>> : std::true_type {};

template <class T, class = void>
struct has_doc : std::false_type {};
template <class T>
struct has_doc<T, std::void_t<decltype(T::doc)>> : std::true_type {};

/// Calls put(text) with each piece of the note's JSON, in order.
template <class... Components, class Put>
constexpr void note_pieces(std::string_view id, std::string_view version, Put&& put) {
  put("{\"id\":\""), put(id), put("\",\"version\":\""), put(version), put("\",\"components\":[");
  bool first = true;
  ((put(first ? "{\"kind\":\"" : ",{\"kind\":\""), first = false, put(kind_name(Components::kKind)),
    put("\",\"id\":\""), put(std::string_view(Components::id)), put("\"}")),
   ...);
  put("],\"requires\":[");
  first = true;
  const auto services = [&](auto* component) {
    using T = std::remove_pointer_t<decltype(component)>;
    if constexpr (has_services<T>::value) {
      for (const char* service : T::kServices) {
        put(first ? "\"" : ",\""), put(std::string_view(service)), put("\"");
        first = false;
      }
    }
  };
  (services(static_cast<Components*>(nullptr)), ...);
  put("]}");
}

template <class... Components>
constexpr size_t note_size(std::string_view id, std::string_view version) {
  size_t size = 1;  // the terminating NUL
  note_pieces<Components...>(id, version, [&size](std::string_view piece) { size += piece.size(); });
  return size;
}

/// Layout of an ELF note; Size is the payload with its NUL, the padding to 4 bytes is the struct's.
template <size_t Size>
struct Note {
  uint32_t namesz = 5, descsz = Size, type = SPAR_ABI_VERSION;
  char name[8] = {'S', 'P', 'A', 'R', 0, 0, 0, 0};
  char desc[(Size + 3) & ~size_t{3}] = {};
};

template <size_t Size, class... Components>
constexpr Note<Size> make_note(std::string_view id, std::string_view version) {
  Note<Size> note;
  size_t at = 0;
  note_pieces<Components...>(id, version, [&note, &at](std::string_view piece) {
    for (const char c : piece) note.desc[at++] = c;
  });
  return note;
}

template <class T>
const spar_component* component() {
  static const auto instance = [] {
    spar_component c{};
    c.struct_size = sizeof c;
    c.kind = T::kKind;
    c.id = T::id;
    c.version = T::version;
    c.title = T::title;
    c.doc = T::title;
    if constexpr (has_doc<T>::value) c.doc = T::doc;
    c.params = T::schema().table();
    c.n_params = T::schema().size();
    c.vtbl = T::template table<T>();
    return c;
  }();
  return &instance;
}

template <class... Components>
const spar_plugin* plugin(const char* id, const char* version) {
  static const spar_component* const components[] = {component<Components>()...};
  static const auto instance = [id, version] {
    spar_plugin p{};
    p.struct_size = sizeof p;
    p.abi_version = SPAR_ABI_VERSION;
    p.id = id;
    p.version = version;
    p.vendor = "";
    p.license = "";
    p.components = components;
    p.n_components = sizeof...(Components);
    return p;
  }();
  return &instance;
}

}  // namespace spar::detail

#define SPAR_PLUGIN(ID, VERSION, ...)                                                                           \
  __attribute__((section(".note.spar"), used, aligned(4))) static constexpr auto spar_note_ =                   \
      ::spar::detail::make_note<::spar::detail::note_size<__VA_ARGS__>(ID, VERSION), __VA_ARGS__>(ID, VERSION); \
  extern "C" SPAR_EXPORT const spar_plugin* spar_plugin_entry_v1(uint32_t) {                                    \
    return ::spar::detail::plugin<__VA_ARGS__>(ID, VERSION);                                                    \
  }
