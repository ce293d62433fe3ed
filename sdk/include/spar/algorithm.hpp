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
//     double policy_loss(const spar_batch&);          // optional, each by itself: spar.algo.losses/1, the loss that
//     double value_loss(const spar_batch&);           // learn() would minimise on this batch; changes nothing
//   };
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "spar/context.hpp"
#include "spar/schema.hpp"
#include "spar/stream.hpp"

namespace spar {

/// Throws SPAR_E_INVALID unless the batch has 1 to `most` rows: for policy_loss() and value_loss(), whose memory is
/// made for the batches of learn().
inline void require_rows(const spar_batch& batch, uint64_t most) {
  if (batch.rows >= 1 && batch.rows <= most) return;
  throw StatusError(SPAR_E_INVALID,
                    "the batch has " + std::to_string(batch.rows) + " rows, expected 1 to " + std::to_string(most));
}

namespace detail {
template <class T, class = void>
struct saves_state : std::false_type {};
template <class T>
struct saves_state<T, std::void_t<decltype(std::declval<const T&>().save(std::declval<StreamWriter&>()))>>
    : std::true_type {};

template <class T, class = void>
struct has_policy_loss : std::false_type {};
template <class T>
struct has_policy_loss<T, std::void_t<decltype(std::declval<T&>().policy_loss(std::declval<const spar_batch&>()))>>
    : std::true_type {};
template <class T, class = void>
struct has_value_loss : std::false_type {};
template <class T>
struct has_value_loss<T, std::void_t<decltype(std::declval<T&>().value_loss(std::declval<const spar_batch&>()))>>
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
  static spar_status policy_loss(spar_algo* p, const spar_batch* batch, double* out, spar_error* error) {
    return barrier(error, [&] {
      if constexpr (has_policy_loss<T>::value) *out = self(p).policy_loss(*batch);
    });
  }
  static spar_status value_loss(spar_algo* p, const spar_batch* batch, double* out, spar_error* error) {
    return barrier(error, [&] {
      if constexpr (has_value_loss<T>::value) *out = self(p).value_loss(*batch);
    });
  }
  static constexpr bool kHasLosses = has_policy_loss<T>::value || has_value_loss<T>::value;
  static constexpr spar_ext_algo_losses kLosses = {sizeof(spar_ext_algo_losses), 0,
                                                   has_policy_loss<T>::value ? policy_loss : nullptr,
                                                   has_value_loss<T>::value ? value_loss : nullptr};
  static const void* get_extension(spar_algo*, const char* id) {
    return kHasLosses && id && std::string_view(id) == SPAR_EXT_ALGO_LOSSES ? &kLosses : nullptr;
  }
  static constexpr spar_algo_vtbl kTable = {
      sizeof(spar_algo_vtbl), T::kFlags, create, destroy, needs, act, learn, save, load, nullptr, nullptr,
      get_extension};
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
