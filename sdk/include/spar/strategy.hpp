// What a strategy's author derives from: which groups, what next. A strategy with the member
// `void set_groups(const spar_group* const* groups, uint32_t n)` serves the groups of an experiment
// (SPAR_EXT_STRATEGY_GROUPS); it is called before plan().
#pragma once

#include <cstring>
#include <memory>

#include "spar/algorithm.hpp"

namespace spar {

namespace detail {
template <class T, class = void>
struct serves_groups : std::false_type {};
template <class T>
struct serves_groups<
    T, std::void_t<decltype(std::declval<T&>().set_groups(std::declval<const spar_group* const*>(), uint32_t{}))>>
    : std::true_type {};

template <class T>
struct StrategyTable {
  static T& self(spar_strategy* p) { return *reinterpret_cast<T*>(p); }

  static spar_status create(const spar_host* host, spar_ctx* ctx, const spar_config* config, const spar_world* world,
                            spar_strategy** out, spar_error* error) {
    return barrier(error, [&] {
      auto instance = std::make_unique<T>(Context(host, ctx), T::schema().parse(config), *world);
      *out = reinterpret_cast<spar_strategy*>(instance.release());
    });
  }
  static void destroy(spar_strategy* p) { delete &self(p); }
  static spar_status plan(spar_strategy* p, spar_plan* out, spar_error* error) {
    return barrier(error, [&] {
      spar_plan local{};
      local.struct_size = sizeof local;
      self(p).plan(local);
      SPAR_STORE(out, local);
    });
  }
  static spar_status next(spar_strategy* p, const spar_progress* progress, spar_directive* out, spar_error* error) {
    return barrier(error, [&] {
      spar_directive local{};
      local.struct_size = sizeof local;
      self(p).next(*progress, local);
      SPAR_STORE(out, local);
    });
  }
  static spar_status save(spar_strategy* p, const spar_stream* stream, spar_error* error) {
    return barrier(error, [&] {
      StreamWriter writer(*stream);
      if constexpr (saves_state<T>::value) self(p).save(writer);
    });
  }
  static spar_status load(spar_strategy* p, const spar_stream* stream, spar_error* error) {
    return barrier(error, [&] {
      StreamReader reader(*stream);
      if constexpr (saves_state<T>::value) self(p).load(reader);
    });
  }
  static spar_status set_groups(spar_strategy* p, const spar_group* const* groups, uint32_t n, spar_error* error) {
    return barrier(error, [&] {
      if constexpr (serves_groups<T>::value) self(p).set_groups(groups, n);
    });
  }
  static constexpr spar_ext_strategy_groups kGroups = {sizeof(spar_ext_strategy_groups), 0, set_groups};
  static const void* get_extension(spar_strategy*, const char* id) {
    return serves_groups<T>::value && std::strcmp(id, SPAR_EXT_STRATEGY_GROUPS) == 0 ? &kGroups : nullptr;
  }
  static constexpr spar_strategy_vtbl kTable = {
      sizeof(spar_strategy_vtbl), 0, create, destroy, plan, next, nullptr, save, load, get_extension};
};
}  // namespace detail

struct Strategy {
  static constexpr uint32_t kKind = SPAR_KIND_STRATEGY;
  template <class T>
  static const void* table() {
    return &detail::StrategyTable<T>::kTable;
  }
};

}  // namespace spar
