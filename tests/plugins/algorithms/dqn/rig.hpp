// DQN on the real host's services, but for the memory: the batch that learn() gets is the test's own.
#pragma once

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/config/options.hpp"
#include "core/config/schema.hpp"
#include "core/nn/network_set.hpp"
#include "core/plugin/context.hpp"
#include "core/plugin/host_table.hpp"
#include "core/train/budget.hpp"
#include "core/train/metrics.hpp"
#include "core/train/session.hpp"
#include "plugins/algorithms/dqn/dqn.hpp"
#include "spar/plugin.hpp"
#include "spar/space.hpp"

namespace spar::test {

/// Rows of a sample, row-major; two observations of width `n_obs`.
struct GivenBatch {
  size_t n_obs = 2;
  std::vector<float> obs, next_obs, reward, discount, weight;  ///< weight: empty if the memory is uniform
  std::vector<int64_t> action;
  std::vector<float> priorities;  ///< that learn() gave back
  double beta = -1;               ///< that learn() asked for

  std::vector<spar_column> columns;
  std::vector<std::vector<int64_t>> shapes;
  std::vector<uint64_t> index;
};

struct RigContext : spar_ctx {
  GivenBatch given;
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
    spar_column c{};
    c.name = str(name);
    c.t.data = data;
    c.t.device_type = SPAR_DEVICE_CPU;
    c.t.ndim = static_cast<int32_t>(g.shapes.back().size());
    c.t.code = code;
    c.t.bits = bits;
    c.t.lanes = 1;
    c.t.shape = g.shapes.back().data();
    g.columns.push_back(c);
  };
  const auto width = static_cast<int64_t>(g.n_obs);
  add("obs", g.obs.data(), SPAR_DTYPE_FLOAT, 32, {rows, width});
  add("action", g.action.data(), SPAR_DTYPE_INT, 64, {rows});
  add("next_obs", g.next_obs.data(), SPAR_DTYPE_FLOAT, 32, {rows, width});
  add("reward", g.reward.data(), SPAR_DTYPE_FLOAT, 32, {rows});
  add("discount", g.discount.data(), SPAR_DTYPE_FLOAT, 32, {rows});
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

inline const spar_host& rig_host() {
  static constexpr spar_svc_buffer kGiven = {sizeof(spar_svc_buffer),
                                             0,
                                             [](spar_ctx* ctx) -> uint64_t { return given_of(ctx).reward.size(); },
                                             give_batch,
                                             [](spar_ctx*, spar_batch*) {},
                                             take_priorities};
  static const auto table = [] {
    auto host = std::make_unique<plugin::HostTable>();
    train::offer_services(*host);
    host->offer(SPAR_SVC_BUFFER, &kGiven);
    return host;
  }();
  return *table->host();
}

/// One instance, made through its function table.
class Rig {
 public:
  /// `set`: options other than their defaults, as JSON values.
  explicit Rig(const boost::json::object& set = {}, std::optional<uint64_t> budget_steps = 1'000,
               Space obs = Space::box(2, -10, 10), Space act = Space::discrete(2), uint32_t role = SPAR_ROLE_TRAIN)
      : budget(budget_steps), obs_space(std::move(obs)), act_space(std::move(act)) {
    context.name = "learner/agent_0";
    context.random = Philox(1, context.name);
    context.networks = &networks;
    context.metrics = &metrics;
    context.budget = &budget;
    const spar_component& component = *detail::component<dqn::Dqn>();
    table = static_cast<const spar_algo_vtbl*>(component.vtbl);
    auto options =
        config::default_options(std::make_shared<const config::Component>(config::copy_component(component)));
    for (const auto& [name, value] : set) {
      for (size_t i = 0; i < options.values.size(); ++i) {
        if (options.component->params[i].name != name) continue;
        auto& data = options.values[i].data;
        if (std::holds_alternative<bool>(data))
          data = value.as_bool();
        else if (std::holds_alternative<int64_t>(data))
          data = value.to_number<int64_t>();
        else if (std::holds_alternative<double>(data))
          data = value.to_number<double>();
        else if (std::holds_alternative<std::string>(data))
          data = std::string(value.as_string());
        else
          data = boost::json::value_to<std::vector<int64_t>>(value);
      }
    }
    const config::ConfigView view(options);
    spec.struct_size = sizeof spec;
    spec.id = "agent_0";
    spec.obs = obs_space.abi();
    spec.act = act_space.abi();
    spar_algo_setup setup{};
    setup.struct_size = sizeof setup;
    setup.role = role;
    setup.agent = &spec;
    setup.n_actors = 1;
    setup.max_rows = 8;
    spar_error error = fresh_error();
    status = table->create(&rig_host(), &context, view.get(), &setup, &self, &error);
    message = error.message;
  }
  ~Rig() {
    if (self) table->destroy(self);
  }
  Rig(const Rig&) = delete;
  Rig& operator=(const Rig&) = delete;

  void learn(uint64_t step = 0) {
    spar_error error = fresh_error();
    BOOST_REQUIRE_MESSAGE(table->learn(self, step, &error) == SPAR_OK, error.message);
  }
  /// Actions for rows of observations of width 2.
  std::vector<int64_t> act(uint32_t mode, std::vector<float> obs, double epsilon = std::nan("")) {
    const auto rows = static_cast<int64_t>(obs.size() / 2);
    std::vector<int64_t> actions(static_cast<size_t>(rows), -1);
    int64_t in_shape[] = {rows, 2}, out_shape[] = {rows};
    spar_column in{}, out{};
    in.name = str("obs");
    in.t = {obs.data(), SPAR_DEVICE_CPU, 0, 2, SPAR_DTYPE_FLOAT, 32, 1, in_shape, nullptr, 0};
    out.name = str("action");
    out.t = {actions.data(), SPAR_DEVICE_CPU, 0, 1, SPAR_DTYPE_INT, 64, 1, out_shape, nullptr, 0};
    const auto n = static_cast<uint64_t>(rows);
    const spar_batch seen{sizeof(spar_batch), 1, n, &in, nullptr, nullptr, nullptr};
    spar_batch chosen{sizeof(spar_batch), 1, n, &out, nullptr, nullptr, nullptr};
    const spar_act how{sizeof(spar_act), mode, epsilon, 0};
    spar_error error = fresh_error();
    BOOST_REQUIRE_MESSAGE(table->act(self, &how, &seen, &chosen, &error) == SPAR_OK, error.message);
    return actions;
  }
  std::vector<float> values(const char* network) const {
    const nn::Network& net = *networks.find(network);
    std::vector<float> out(net.bytes(SPAR_NET_VALUES) / sizeof(float));
    net.read(SPAR_NET_VALUES, out.data(), out.size() * sizeof(float));
    return out;
  }
  void set_values(const char* network, const std::vector<float>& values) {
    networks.find(network)->write(SPAR_NET_VALUES, values.data(), values.size() * sizeof(float));
  }
  double metric(std::string_view name) {
    for (const auto& value : metrics.drain())
      if (value.name == name) return value.value;
    return std::nan("");
  }

  nn::NetworkSet networks;
  train::Metrics metrics;
  train::Budget budget;
  Space obs_space, act_space;
  spar_agent_spec spec{};
  RigContext context;
  const spar_algo_vtbl* table = nullptr;
  spar_algo* self = nullptr;
  spar_status status = SPAR_OK;
  std::string message;
};

}  // namespace spar::test
