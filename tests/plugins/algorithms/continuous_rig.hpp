// An algorithm of continuous actions on the real host's services, but for the memory and the normal draws: the batch
// that learn() gets is the test's own, and draws can be given.
#pragma once

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "plugins/algorithms/instance.hpp"
#include "support/golden.hpp"

namespace spar::test {

inline std::vector<float> floats(const std::vector<double>& values) { return {values.begin(), values.end()}; }

/// Each number within 1e-5, relative above 1.
inline void check_near(const std::vector<float>& found, const std::vector<float>& expected) {
  BOOST_REQUIRE_EQUAL(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    BOOST_TEST(std::abs(found[i] - expected[i]) <= 1e-5F * std::max(1.0F, std::abs(expected[i])),
               "number " << i << " is " << found[i] << ", expected " << expected[i]);
}

/// Rows of a sample, row-major.
struct GivenTransitions {
  std::vector<float> obs, action, next_obs, reward, discount, weight;     ///< weight: empty if the memory is uniform
  std::vector<float> state, next_state, joint_action, next_joint_action;  ///< of a central critic; empty: there is none
  std::vector<float> priorities;                                          ///< that learn() gave back
  double beta = -1;                                                       ///< that learn() asked for
  std::vector<double> normals;                                            ///< the next draws; empty: the stream's own
  std::vector<std::string> warnings;

  std::vector<spar_column> columns;
  std::vector<std::vector<int64_t>> shapes;
  std::vector<uint64_t> index;
};

struct ContinuousContext : spar_ctx {
  GivenTransitions given;
};

inline GivenTransitions& transitions_of(spar_ctx* ctx) { return static_cast<ContinuousContext*>(ctx)->given; }

inline spar_status give_transitions(spar_ctx* ctx, const spar_query* query, spar_batch* out, spar_error*) {
  GivenTransitions& g = transitions_of(ctx);
  if (query) g.beta = query->beta;
  const auto rows = static_cast<int64_t>(g.reward.size());
  g.columns.clear();
  g.shapes.clear();
  g.shapes.reserve(12);
  const auto add = [&](const char* name, std::vector<float>& data, bool wide) {
    std::vector<int64_t> shape = {rows};
    if (wide) shape.push_back(static_cast<int64_t>(data.size()) / rows);
    g.shapes.push_back(std::move(shape));
    g.columns.push_back(column_over(name, data.data(), SPAR_DTYPE_FLOAT, 32, g.shapes.back()));
  };
  add("obs", g.obs, true);
  add("action", g.action, true);
  add("next_obs", g.next_obs, true);
  add("reward", g.reward, false);
  add("discount", g.discount, false);
  if (!g.state.empty()) {
    add("state", g.state, true);
    add("next_state", g.next_state, true);
    add("joint_action", g.joint_action, true);
    add("next_joint_action", g.next_joint_action, true);
  }
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

inline void draw_given(spar_ctx* ctx, double* dst, uint64_t n) {
  auto& normals = transitions_of(ctx).normals;
  for (uint64_t i = 0; i < n; ++i) {
    dst[i] = normals.empty() ? ctx->random.normal() : normals.front();
    if (!normals.empty()) normals.erase(normals.begin());
  }
}

inline const spar_host& continuous_host() {
  static constexpr spar_svc_buffer kGiven = {
      sizeof(spar_svc_buffer),
      0,
      [](spar_ctx* ctx) -> uint64_t { return transitions_of(ctx).reward.size(); },
      give_transitions,
      [](spar_ctx*, spar_batch*) {},
      [](spar_ctx* ctx, const uint64_t*, const float* p, uint64_t n, spar_error*) -> spar_status {
        transitions_of(ctx).priorities.assign(p, p + n);
        return SPAR_OK;
      }};
  static constexpr spar_svc_log kLog = {sizeof(spar_svc_log), 0, [](spar_ctx* ctx, uint32_t level, spar_str text) {
                                          if (level == SPAR_LOG_WARN)
                                            transitions_of(ctx).warnings.emplace_back(text.ptr, text.len);
                                        }};
  static const auto table = [] {
    auto host = std::make_unique<plugin::HostTable>();
    train::offer_services(*host);
    host->offer(SPAR_SVC_BUFFER, &kGiven);
    host->offer(SPAR_SVC_LOG, &kLog);
    static spar_svc_rng draws =
        *static_cast<const spar_svc_rng*>(host->host()->get_service(host->host(), SPAR_SVC_RNG));
    draws.normal = draw_given;
    host->offer(SPAR_SVC_RNG, &draws);
    return host;
  }();
  return *table->host();
}

struct ContinuousSetup {
  std::optional<uint64_t> budget_steps = 1'000;
  Space obs = Space::box(1, -10, 10), act = Space::box(1, -1, 1);
  uint32_t role = SPAR_ROLE_TRAIN, actor = 0, n_actors = 1;
  std::optional<Space> state = std::nullopt;  ///< of a central critic
  uint64_t joint_width = 0, own_offset = 0;
};

/// One instance of `Algorithm`, made through its function table.
template <class Algorithm>
class ContinuousRig : public Instance<ContinuousContext> {
 public:
  /// `set`: options other than their defaults, as JSON values.
  explicit ContinuousRig(const boost::json::object& set = {}, ContinuousSetup with = {})
      : Instance(with.budget_steps, std::move(with.obs), std::move(with.act)) {
    spar_algo_setup setup{};
    setup.role = with.role;
    setup.actor = with.actor;
    setup.n_actors = with.n_actors;
    setup.max_rows = 8;
    setup.state = with.state ? with.state->abi() : nullptr;
    setup.joint_width = with.joint_width;
    setup.own_offset = with.own_offset;
    create(*detail::component<Algorithm>(), set, continuous_host(), setup);
  }

  /// Actions for rows of observations; the rows belong to lanes 0, 1, ..
  std::vector<float> act(uint32_t mode, std::vector<float> obs, bool first = false, double epsilon = std::nan("")) {
    const auto n_obs = static_cast<int64_t>(obs_space.width()), n_actions = static_cast<int64_t>(act_space.width());
    const auto rows = static_cast<int64_t>(obs.size()) / n_obs;
    std::vector<float> actions(static_cast<size_t>(rows * n_actions), -77);
    std::vector<uint8_t> starts(static_cast<size_t>(rows), first ? 1 : 0);
    std::vector<uint64_t> lanes;
    for (int64_t i = 0; i < rows; ++i) lanes.push_back(static_cast<uint64_t>(i));
    std::vector<int64_t> in_shape = {rows, n_obs}, out_shape = {rows, n_actions}, flag_shape = {rows};
    spar_column in[] = {column_over("obs", obs.data(), SPAR_DTYPE_FLOAT, 32, in_shape),
                        column_over("first", starts.data(), SPAR_DTYPE_UINT, 8, flag_shape)};
    spar_column out = column_over("action", actions.data(), SPAR_DTYPE_FLOAT, 32, out_shape);
    const auto n = static_cast<uint64_t>(rows);
    const spar_batch seen{sizeof(spar_batch), 2, n, in, lanes.data(), nullptr, nullptr};
    spar_batch chosen{sizeof(spar_batch), 1, n, &out, lanes.data(), nullptr, nullptr};
    const spar_act how{sizeof(spar_act), mode, epsilon, 0};
    spar_error error = fresh_error();
    act_status = table->act(self, &how, &seen, &chosen, &error);
    message = error.message;
    return actions;
  }
  double metric(std::string_view name) {
    for (const auto& value : metrics.drain()) recorded[std::string(value.name)] = value.value;
    return recorded.contains(std::string(name)) ? recorded.at(std::string(name)) : std::nan("");
  }
  /// spar.algo.losses/1 of the given batch.
  double loss(bool policy) {
    spar_batch batch{};
    batch.struct_size = sizeof batch;
    give_transitions(&context, nullptr, &batch, nullptr);
    double out = 0;
    spar_error error = fresh_error();
    const spar_status told = (policy ? losses().policy : losses().value)(self, &batch, &out, &error);
    message = told < 0 ? error.message : "";
    return out;
  }

  std::map<std::string, double> recorded;
  spar_status act_status = SPAR_OK;
};

template <class Algorithm>
void check_defaults(const boost::json::object& documented) {
  check_defaults(*detail::component<Algorithm>(), documented);
}

inline boost::json::object with_option(boost::json::object options, const char* key, boost::json::value value) {
  options[key] = std::move(value);
  return options;
}

}  // namespace spar::test
