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

#include "core/config/options.hpp"
#include "core/config/schema.hpp"
#include "core/nn/network_set.hpp"
#include "core/plugin/context.hpp"
#include "core/plugin/host_table.hpp"
#include "core/train/budget.hpp"
#include "core/train/metrics.hpp"
#include "core/train/session.hpp"
#include "spar/plugin.hpp"
#include "spar/space.hpp"

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

/// One instance, made through its function table.
class AlgorithmRig {
 public:
  AlgorithmRig(const spar_component& component, const boost::json::object& set, std::optional<uint64_t> budget_steps,
               Space obs, Space act, uint32_t role)
      : budget(budget_steps), obs_space(std::move(obs)), act_space(std::move(act)) {
    context.name = "learner/agent_0";
    context.random = Philox(1, context.name);
    context.networks = &networks;
    context.metrics = &metrics;
    context.budget = &budget;
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
  ~AlgorithmRig() {
    if (self) table->destroy(self);
  }
  AlgorithmRig(const AlgorithmRig&) = delete;
  AlgorithmRig& operator=(const AlgorithmRig&) = delete;

  void learn(uint64_t step = 0) {
    spar_error error = fresh_error();
    BOOST_REQUIRE_MESSAGE(table->learn(self, step, &error) == SPAR_OK, error.message);
  }
  /// Actions for rows of observations of the space's width; mask: u8 [rows, n], or empty.
  std::vector<int64_t> act(uint32_t mode, std::vector<float> obs, double epsilon = std::nan(""),
                           std::vector<uint8_t> mask = {}) {
    const int64_t width = space_width(*spec.obs);
    const auto rows = static_cast<int64_t>(obs.size()) / width;
    std::vector<int64_t> actions(static_cast<size_t>(rows), -1);
    int64_t in_shape[] = {rows, width}, out_shape[] = {rows}, mask_shape[] = {rows, spec.act->n};
    spar_column in[2]{}, out{};
    in[0].name = str("obs");
    in[0].t = {obs.data(), SPAR_DEVICE_CPU, 0, 2, SPAR_DTYPE_FLOAT, 32, 1, in_shape, nullptr, 0};
    in[1].name = str("action_mask");
    in[1].t = {mask.data(), SPAR_DEVICE_CPU, 0, 2, SPAR_DTYPE_UINT, 8, 1, mask_shape, nullptr, 0};
    out.name = str("action");
    out.t = {actions.data(), SPAR_DEVICE_CPU, 0, 1, SPAR_DTYPE_INT, 64, 1, out_shape, nullptr, 0};
    const auto n = static_cast<uint64_t>(rows);
    const spar_batch seen{sizeof(spar_batch), mask.empty() ? 1U : 2U, n, in, nullptr, nullptr, nullptr};
    spar_batch chosen{sizeof(spar_batch), 1, n, &out, nullptr, nullptr, nullptr};
    const spar_act how{sizeof(spar_act), mode, epsilon, 0};
    spar_error error = fresh_error();
    BOOST_REQUIRE_MESSAGE(table->act(self, &how, &seen, &chosen, &error) == SPAR_OK, error.message);
    return actions;
  }
  std::vector<float> values(const char* network, uint32_t what = SPAR_NET_VALUES) const {
    const nn::Network& net = *networks.find(network);
    std::vector<float> out(net.bytes(what) / sizeof(float));
    net.read(what, out.data(), out.size() * sizeof(float));
    return out;
  }
  /// The algorithm's own state.
  std::string save() const {
    std::string saved;
    const spar_stream out{sizeof(spar_stream), 0, &saved, nullptr, [](void* to, const void* from, uint64_t n) {
                            static_cast<std::string*>(to)->append(static_cast<const char*>(from), n);
                            return static_cast<int64_t>(n);
                          }};
    spar_error error = fresh_error();
    BOOST_REQUIRE(table->save(self, &out, &error) == SPAR_OK);
    return saved;
  }
  void load(std::string saved) {
    const spar_stream in{sizeof(spar_stream), 0, &saved,
                         [](void* from, void* to, uint64_t n) {
                           auto& text = *static_cast<std::string*>(from);
                           const auto take = std::min<uint64_t>(n, text.size());
                           std::copy_n(text.data(), take, static_cast<char*>(to));
                           text.erase(0, take);
                           return static_cast<int64_t>(take);
                         },
                         nullptr};
    spar_error error = fresh_error();
    BOOST_REQUIRE(table->load(self, &in, &error) == SPAR_OK);
  }
  /// spar.algo.losses/1 of the value on `batch`; the message if it is refused.
  std::variant<double, std::string> value_loss(const spar_batch& batch) {
    const auto* losses = static_cast<const spar_ext_algo_losses*>(table->get_extension(self, SPAR_EXT_ALGO_LOSSES));
    BOOST_REQUIRE(losses != nullptr);
    BOOST_TEST((losses->policy == nullptr));  // there is no policy beside the values
    double loss = 0;
    spar_error error = fresh_error();
    if (losses->value(self, &batch, &loss, &error) == SPAR_OK) return loss;
    return std::string(error.message);
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

/// The parameters of a component are those of `documented`, with these defaults.
inline void check_defaults(const spar_component& source, const boost::json::object& documented) {
  const auto component = config::copy_component(source);
  BOOST_TEST(component.params.size() == documented.size());
  for (const auto& param : component.params) {
    BOOST_REQUIRE_MESSAGE(documented.contains(param.name), "undocumented option " << param.name);
    const auto found = boost::json::parse(param.default_json.value());
    const auto& expected = documented.at(param.name);
    if (expected.is_number())
      BOOST_TEST(found.to_number<double>() == expected.to_number<double>(), param.name);
    else
      BOOST_TEST((found == expected), param.name << " defaults to " << found);
  }
}

template <class Algorithm>
class RigOf : public AlgorithmRig {
 public:
  /// `set`: options other than their defaults, as JSON values.
  explicit RigOf(const boost::json::object& set = {}, std::optional<uint64_t> budget_steps = 1'000,
                 Space obs = Space::box(2, -10, 10), Space act = Space::discrete(2), uint32_t role = SPAR_ROLE_TRAIN)
      : AlgorithmRig(*detail::component<Algorithm>(), set, budget_steps, std::move(obs), std::move(act), role) {}
};

}  // namespace spar::test
