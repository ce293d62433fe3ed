// A value-learning algorithm on the real host's services, but for the memory and the log: the batch that learn() gets
// is the test's own, and so are the lines that it logs.
#pragma once

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "plugins/algorithms/instance.hpp"

namespace spar::test {

/// Rows of a sample, row-major; two observations of width `n_obs`.
struct GivenBatch {
  size_t n_obs = 2;
  std::vector<float> obs, next_obs, reward, discount, weight;  ///< weight: empty if the memory is uniform
  std::vector<int64_t> action;
  std::vector<uint8_t> next_mask;  ///< empty: the agent has no masks
  std::vector<float> priorities;   ///< that learn() gave back
  double beta = -1;                ///< that learn() asked for

  std::vector<spar_column> columns;
  std::vector<std::vector<int64_t>> shapes;
  std::vector<uint64_t> index;
};

struct RigContext : spar_ctx {
  GivenBatch given;
  std::vector<std::string> warnings;
};

inline GivenBatch& given_of(spar_ctx* ctx) { return static_cast<RigContext*>(ctx)->given; }

inline spar_status give_batch(spar_ctx* ctx, const spar_query* query, spar_batch* out, spar_error*) {
  GivenBatch& g = given_of(ctx);
  g.beta = query->beta;
  const auto rows = static_cast<int64_t>(g.reward.size());
  g.columns.clear();
  g.shapes.clear();
  g.shapes.reserve(8);
  const auto add = [&](const char* name, void* data, uint8_t code, uint8_t bits, std::vector<int64_t> shape) {
    g.shapes.push_back(std::move(shape));
    g.columns.push_back(column_over(name, data, code, bits, g.shapes.back()));
  };
  const auto width = static_cast<int64_t>(g.n_obs);
  add("obs", g.obs.data(), SPAR_DTYPE_FLOAT, 32, {rows, width});
  add("action", g.action.data(), SPAR_DTYPE_INT, 64, {rows});
  add("next_obs", g.next_obs.data(), SPAR_DTYPE_FLOAT, 32, {rows, width});
  add("reward", g.reward.data(), SPAR_DTYPE_FLOAT, 32, {rows});
  add("discount", g.discount.data(), SPAR_DTYPE_FLOAT, 32, {rows});
  if (!g.next_mask.empty())
    add("next_action_mask", g.next_mask.data(), SPAR_DTYPE_UINT, 8,
        {rows, static_cast<int64_t>(g.next_mask.size()) / rows});
  g.index.resize(g.reward.size());
  spar_batch batch{};
  batch.n_columns = static_cast<uint32_t>(g.columns.size());
  batch.rows = g.reward.size();
  batch.columns = g.columns.data();
  batch.index = g.index.data();
  batch.weight = g.weight.empty() ? nullptr : g.weight.data();
  SPAR_STORE(out, batch);
  return SPAR_OK;
}

inline spar_status take_priorities(spar_ctx* ctx, const uint64_t*, const float* p, uint64_t n, spar_error*) {
  given_of(ctx).priorities.assign(p, p + n);
  return SPAR_OK;
}

inline void take_warning(spar_ctx* ctx, uint32_t level, spar_str text) {
  if (level == SPAR_LOG_WARN) static_cast<RigContext*>(ctx)->warnings.emplace_back(text.ptr, text.len);
}

inline const spar_host& rig_host() {
  static constexpr spar_svc_buffer kGiven = {sizeof(spar_svc_buffer),
                                             0,
                                             [](spar_ctx* ctx) -> uint64_t { return given_of(ctx).reward.size(); },
                                             give_batch,
                                             [](spar_ctx*, spar_batch*) {},
                                             take_priorities};
  static constexpr spar_svc_log kLog = {sizeof(spar_svc_log), 0, take_warning};
  static const auto table = [] {
    auto host = std::make_unique<plugin::HostTable>();
    train::offer_services(*host);
    host->offer(SPAR_SVC_BUFFER, &kGiven);
    host->offer(SPAR_SVC_LOG, &kLog);
    return host;
  }();
  return *table->host();
}

class AlgorithmRig : public Instance<RigContext> {
 public:
  AlgorithmRig(const spar_component& component, const boost::json::object& set, std::optional<uint64_t> budget_steps,
               Space obs, Space act, uint32_t role)
      : Instance(budget_steps, std::move(obs), std::move(act)) {
    spar_algo_setup setup{};
    setup.role = role;
    setup.n_actors = 1;
    setup.max_rows = 8;
    create(component, set, rig_host(), setup);
  }

  /// Actions for rows of observations of the space's width; mask: u8 [rows, n], or empty.
  std::vector<int64_t> act(uint32_t mode, std::vector<float> obs, double epsilon = std::nan(""),
                           std::vector<uint8_t> mask = {}) {
    const int64_t width = space_width(*spec.obs);
    const auto rows = static_cast<int64_t>(obs.size()) / width;
    std::vector<int64_t> actions(static_cast<size_t>(rows), -1);
    std::vector<int64_t> in_shape = {rows, width}, out_shape = {rows}, mask_shape = {rows, spec.act->n};
    spar_column in[] = {column_over("obs", obs.data(), SPAR_DTYPE_FLOAT, 32, in_shape),
                        column_over("action_mask", mask.data(), SPAR_DTYPE_UINT, 8, mask_shape)};
    spar_column out = column_over("action", actions.data(), SPAR_DTYPE_INT, 64, out_shape);
    const auto n = static_cast<uint64_t>(rows);
    const spar_batch seen{sizeof(spar_batch), mask.empty() ? 1U : 2U, n, in, nullptr, nullptr, nullptr};
    spar_batch chosen{sizeof(spar_batch), 1, n, &out, nullptr, nullptr, nullptr};
    const spar_act how{sizeof(spar_act), mode, epsilon, 0};
    spar_error error = fresh_error();
    BOOST_REQUIRE_MESSAGE(table->act(self, &how, &seen, &chosen, &error) == SPAR_OK, error.message);
    return actions;
  }
  /// spar.algo.losses/1 of the value on `batch`; the message if it is refused.
  std::variant<double, std::string> value_loss(const spar_batch& batch) {
    BOOST_TEST((losses().policy == nullptr));  // there is no policy beside the values
    double loss = 0;
    spar_error error = fresh_error();
    if (losses().value(self, &batch, &loss, &error) == SPAR_OK) return loss;
    return std::string(error.message);
  }
  double metric(std::string_view name) {
    for (const auto& value : metrics.drain())
      if (value.name == name) return value.value;
    return std::nan("");
  }
};

template <class Algorithm>
class RigOf : public AlgorithmRig {
 public:
  /// `set`: options other than their defaults, as JSON values.
  explicit RigOf(const boost::json::object& set = {}, std::optional<uint64_t> budget_steps = 1'000,
                 Space obs = Space::box(2, -10, 10), Space act = Space::discrete(2), uint32_t role = SPAR_ROLE_TRAIN)
      : AlgorithmRig(*detail::component<Algorithm>(), set, budget_steps, std::move(obs), std::move(act), role) {}
};

}  // namespace spar::test
