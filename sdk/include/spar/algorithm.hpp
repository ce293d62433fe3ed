// What an algorithm's author derives from.
//
//   struct Dqn : spar::Algorithm {
//     static constexpr const char *id = "org.spar.dqn", *version = "1.0.0", *title = "DQN";
//     static constexpr uint32_t kFlags = SPAR_ALGO_DISCRETE | SPAR_ALGO_HOSTED_NETWORKS;
//     using Config = DqnConfig;
//     static const spar::Schema<Config>& schema();
//     Dqn(spar::Context ctx, const Config& config, const spar_algo_setup& setup);
//     void needs(spar_needs& out) const;
//     void act(const spar_act& how, const spar_batch& obs, spar_batch& out);
//     void learn(uint64_t step);
//     void save(spar::StreamWriter&) const;   // optional, both or neither: what spar.nn and the host do not own
//     void load(spar::StreamReader&);
//   };
#pragma once

#include <memory>
#include <type_traits>

#include "spar/context.hpp"
#include "spar/schema.hpp"
#include "spar/stream.hpp"

namespace spar {

namespace detail {
template <class T, class = void>
struct saves_state : std::false_type {};
template <class T>
struct saves_state<T, std::void_t<decltype(std::declval<const T&>().save(std::declval<StreamWriter&>()))>>
    : std::true_type {};

template <class T>
struct AlgorithmTable {
  static T& self(spar_algo* p) { return *reinterpret_cast<T*>(p); }

  static spar_status create(const spar_host* host, spar_ctx* ctx, const spar_config* config,
                            const spar_algo_setup* setup, spar_algo** out, spar_error* error) {
    return barrier(error, [&] {
      auto instance = std::make_unique<T>(Context(host, ctx), T::schema().parse(config), *setup);
      *out = reinterpret_cast<spar_algo*>(instance.release());
    });
  }
  static void destroy(spar_algo* p) { delete &self(p); }
  static spar_status needs(spar_algo* p, spar_needs* out, spar_error* error) {
    return barrier(error, [&] {
      spar_needs local{};
      local.struct_size = sizeof local;
      local.learn_every = local.rows_per_learn = 1;
      local.updates = local.n_step = 1;
      local.gamma = 1;
      self(p).needs(local);
      SPAR_STORE(out, local);
    });
  }
  static spar_status act(spar_algo* p, const spar_act* how, const spar_batch* obs, spar_batch* out, spar_error* error) {
    return barrier(error, [&] { self(p).act(*how, *obs, *out); });
  }
  static spar_status learn(spar_algo* p, uint64_t step, spar_error* error) {
    return barrier(error, [&] { self(p).learn(step); });
  }
  static spar_status save(spar_algo* p, const spar_stream* stream, spar_error* error) {
    return barrier(error, [&] {
      StreamWriter writer(*stream);
      if constexpr (saves_state<T>::value) self(p).save(writer);
    });
  }
  static spar_status load(spar_algo* p, const spar_stream* stream, spar_error* error) {
    return barrier(error, [&] {
      StreamReader reader(*stream);
      if constexpr (saves_state<T>::value) self(p).load(reader);
    });
  }
  static constexpr spar_algo_vtbl kTable = {
      sizeof(spar_algo_vtbl), T::kFlags, create, destroy, needs, act, learn, save, load, nullptr, nullptr, nullptr};
};
}  // namespace detail

struct Algorithm {
  static constexpr uint32_t kKind = SPAR_KIND_ALGO;
  template <class T>
  static const void* table() {
    return &detail::AlgorithmTable<T>::kTable;
  }
};

}  // namespace spar
