// An algorithm of continuous actions on the real host's services, but for the memory and the normal draws: the batch
// that learn() gets is the test's own, and draws can be given.
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
#include "spar/plugin.hpp"
#include "spar/space.hpp"
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
  std::vector<float> obs, action, next_obs, reward, discount, weight;  ///< weight: empty if the memory is uniform
  std::vector<float> priorities;                                       ///< that learn() gave back
  double beta = -1;                                                    ///< that learn() asked for
  std::vector<double> normals;                                         ///< the next draws; empty: the stream's own
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
  g.shapes.reserve(8);
  const auto add = [&](const char* name, std::vector<float>& data, bool wide) {
    std::vector<int64_t> shape = {rows};
    if (wide) shape.push_back(static_cast<int64_t>(data.size()) / rows);
    g.shapes.push_back(std::move(shape));
    spar_column c{};
    c.name = str(name);
    c.t = {data.data(), SPAR_DEVICE_CPU, 0, wide ? 2 : 1, SPAR_DTYPE_FLOAT, 32, 1, g.shapes.back().data(), nullptr, 0};
    g.columns.push_back(c);
  };
  add("obs", g.obs, true);
  add("action", g.action, true);
  add("next_obs", g.next_obs, true);
  add("reward", g.reward, false);
  add("discount", g.discount, false);
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
};

/// One instance of `Algorithm`, made through its function table.
template <class Algorithm>
class ContinuousRig {
 public:
  /// `set`: options other than their defaults, as JSON values.
  explicit ContinuousRig(const boost::json::object& set = {}, ContinuousSetup with = {})
      : budget(with.budget_steps), obs_space(std::move(with.obs)), act_space(std::move(with.act)) {
    context.name = "learner/agent_0";
    context.random = Philox(1, context.name);
    context.networks = &networks;
    context.metrics = &metrics;
    context.budget = &budget;
    const spar_component& component = *detail::component<Algorithm>();
    table = static_cast<const spar_algo_vtbl*>(component.vtbl);
    auto options =
        config::default_options(std::make_shared<const config::Component>(config::copy_component(component)));
    for (const auto& [name, value] : set) {
      for (size_t i = 0; i < options.values.size(); ++i) {
        if (options.component->params[i].name == name) put(options.component->params[i].type, options.values[i], value);
      }
    }
    const config::ConfigView view(options);
    spec.struct_size = sizeof spec;
    spec.id = "agent_0";
    spec.obs = obs_space.abi();
    spec.act = act_space.abi();
    spar_algo_setup setup{};
    setup.struct_size = sizeof setup;
    setup.role = with.role;
    setup.agent = &spec;
    setup.actor = with.actor;
    setup.n_actors = with.n_actors;
    setup.max_rows = 8;
    spar_error error = fresh_error();
    status = table->create(&continuous_host(), &context, view.get(), &setup, &self, &error);
    message = error.message;
  }
  ~ContinuousRig() {
    if (self) table->destroy(self);
  }
  ContinuousRig(const ContinuousRig&) = delete;
  ContinuousRig& operator=(const ContinuousRig&) = delete;

  void learn(uint64_t step = 0) {
    spar_error error = fresh_error();
    BOOST_REQUIRE_MESSAGE(table->learn(self, step, &error) == SPAR_OK, error.message);
  }
  /// Actions for rows of observations; the rows belong to lanes 0, 1, ..
  std::vector<float> act(uint32_t mode, std::vector<float> obs, bool first = false, double epsilon = std::nan("")) {
    const auto n_obs = static_cast<int64_t>(obs_space.width()), n_actions = static_cast<int64_t>(act_space.width());
    const auto rows = static_cast<int64_t>(obs.size()) / n_obs;
    std::vector<float> actions(static_cast<size_t>(rows * n_actions), -77);
    std::vector<uint8_t> starts(static_cast<size_t>(rows), first ? 1 : 0);
    std::vector<uint64_t> lanes;
    for (int64_t i = 0; i < rows; ++i) lanes.push_back(static_cast<uint64_t>(i));
    int64_t in_shape[] = {rows, n_obs}, out_shape[] = {rows, n_actions}, flag_shape[] = {rows};
    spar_column in[2]{}, out{};
    in[0].name = str("obs");
    in[0].t = {obs.data(), SPAR_DEVICE_CPU, 0, 2, SPAR_DTYPE_FLOAT, 32, 1, in_shape, nullptr, 0};
    in[1].name = str("first");
    in[1].t = {starts.data(), SPAR_DEVICE_CPU, 0, 1, SPAR_DTYPE_UINT, 8, 1, flag_shape, nullptr, 0};
    out.name = str("action");
    out.t = {actions.data(), SPAR_DEVICE_CPU, 0, 2, SPAR_DTYPE_FLOAT, 32, 1, out_shape, nullptr, 0};
    const auto n = static_cast<uint64_t>(rows);
    const spar_batch seen{sizeof(spar_batch), 2, n, in, lanes.data(), nullptr, nullptr};
    spar_batch chosen{sizeof(spar_batch), 1, n, &out, lanes.data(), nullptr, nullptr};
    const spar_act how{sizeof(spar_act), mode, epsilon, 0};
    spar_error error = fresh_error();
    act_status = table->act(self, &how, &seen, &chosen, &error);
    message = error.message;
    return actions;
  }
  std::vector<float> numbers_of(const char* network, uint32_t what = SPAR_NET_VALUES) const {
    const nn::Network& net = *networks.find(network);
    std::vector<float> out(net.bytes(what) / sizeof(float));
    net.read(what, out.data(), out.size() * sizeof(float));
    return out;
  }
  void set_values(const char* network, const std::vector<float>& values) {
    networks.find(network)->write(SPAR_NET_VALUES, values.data(), values.size() * sizeof(float));
  }
  double metric(std::string_view name) {
    for (const auto& value : metrics.drain()) recorded[std::string(value.name)] = value.value;
    return recorded.contains(std::string(name)) ? recorded.at(std::string(name)) : std::nan("");
  }
  std::string save() const {
    std::string saved;
    const spar_stream out{sizeof(spar_stream), 0, &saved, nullptr, [](void* to, const void* from, uint64_t n) {
                            static_cast<std::string*>(to)->append(static_cast<const char*>(from), n);
                            return static_cast<int64_t>(n);
                          }};
    spar_error error = fresh_error();
    BOOST_REQUIRE_MESSAGE(table->save(self, &out, &error) == SPAR_OK, error.message);
    return saved;
  }
  spar_status load(std::string saved) {
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
    const spar_status status_of_load = table->load(self, &in, &error);
    message = error.message;
    return status_of_load;
  }
  spar_needs needs() {
    spar_needs out{};
    out.struct_size = sizeof out;
    spar_error error = fresh_error();
    BOOST_REQUIRE(table->needs(self, &out, &error) == SPAR_OK);
    return out;
  }
  /// spar.algo.losses/1 of the given batch.
  double loss(bool policy) {
    const auto* losses = static_cast<const spar_ext_algo_losses*>(table->get_extension(self, SPAR_EXT_ALGO_LOSSES));
    BOOST_REQUIRE(losses != nullptr);
    spar_batch batch{};
    batch.struct_size = sizeof batch;
    give_transitions(&context, nullptr, &batch, nullptr);
    double out = 0;
    spar_error error = fresh_error();
    const spar_status told = (policy ? losses->policy : losses->value)(self, &batch, &out, &error);
    message = told < 0 ? error.message : "";
    return out;
  }

  nn::NetworkSet networks;
  train::Metrics metrics;
  std::map<std::string, double> recorded;
  train::Budget budget;
  Space obs_space, act_space;
  spar_agent_spec spec{};
  ContinuousContext context;
  const spar_algo_vtbl* table = nullptr;
  spar_algo* self = nullptr;
  spar_status status = SPAR_OK, act_status = SPAR_OK;
  std::string message;

 private:
  static void put(uint32_t type, config::OptionValue& to, const boost::json::value& value) {
    to.type = type;
    switch (type) {
      case SPAR_T_BOOL:
        to.data = value.as_bool();
        break;
      case SPAR_T_INT:
        to.data = value.to_number<int64_t>();
        break;
      case SPAR_T_REAL:
        to.data = value.to_number<double>();
        break;
      case SPAR_T_STR:
        to.data = std::string(value.as_string());
        break;
      default:
        to.data = boost::json::value_to<std::vector<int64_t>>(value);
    }
  }
};

/// Every option of an algorithm has the documented default, and there are no others. JSON null: may be left out.
inline void check_options(const config::Component& component, const boost::json::object& documented) {
  BOOST_TEST(component.params.size() == documented.size());
  for (const auto& param : component.params) {
    BOOST_REQUIRE_MESSAGE(documented.contains(param.name), "undocumented option " << param.name);
    const auto& expected = documented.at(param.name);
    const auto found = param.default_json ? boost::json::parse(*param.default_json) : boost::json::value(nullptr);
    if (expected.is_number())
      BOOST_TEST(found.to_number<double>() == expected.to_number<double>(), param.name);
    else
      BOOST_TEST((found == expected), param.name << " defaults to " << found);
  }
}

template <class Algorithm>
void check_defaults(const boost::json::object& documented) {
  check_options(config::copy_component(*detail::component<Algorithm>()), documented);
}

inline boost::json::object with_option(boost::json::object options, const char* key, boost::json::value value) {
  options[key] = std::move(value);
  return options;
}

}  // namespace spar::test
