// What a strategy's author derives from: which groups, what next.
#pragma once

#include <memory>

#include "spar/algorithm.hpp"

namespace spar {

namespace detail {
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
  static constexpr spar_strategy_vtbl kTable = {
      sizeof(spar_strategy_vtbl), 0, create, destroy, plan, next, nullptr, save, load, nullptr};
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
