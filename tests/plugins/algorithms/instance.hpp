// One instance of an algorithm plugin, made through its function table on services that a rig chooses.
#pragma once

#include <algorithm>
#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>
#include <memory>
#include <optional>
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

namespace spar::test {

/// A column over `data`; `shape` must outlive it.
inline spar_column column_over(const char* name, void* data, uint8_t code, uint8_t bits, std::vector<int64_t>& shape) {
  spar_column column{};
  column.name = str(name);
  column.t = {data, SPAR_DEVICE_CPU, 0, static_cast<int32_t>(shape.size()), code, bits, 1, shape.data(), nullptr, 0};
  return column;
}

/// `component`'s options: its defaults, but for `set`.
inline config::Options options_of(const spar_component& component, const boost::json::object& set) {
  auto options = config::default_options(std::make_shared<const config::Component>(config::copy_component(component)));
  for (size_t i = 0; i < options.values.size(); ++i) {
    const auto& param = options.component->params[i];
    const auto* value = set.if_contains(param.name);
    if (!value) continue;
    config::OptionValue& option = options.values[i];
    option.type = param.type;
    switch (param.type) {
      case SPAR_T_BOOL:
        option.data = value->as_bool();
        break;
      case SPAR_T_INT:
        option.data = value->to_number<int64_t>();
        break;
      case SPAR_T_REAL:
        option.data = value->to_number<double>();
        break;
      case SPAR_T_STR:
        option.data = std::string(value->as_string());
        break;
      default:
        option.data = boost::json::value_to<std::vector<int64_t>>(*value);
    }
  }
  return options;
}

/// Every option of a component has the documented default, and there are no others. JSON null: may be left out.
inline void check_defaults(const spar_component& source, const boost::json::object& documented) {
  const auto component = config::copy_component(source);
  BOOST_TEST(component.params.size() == documented.size());
  for (const auto& param : component.params) {
    BOOST_REQUIRE_MESSAGE(documented.contains(param.name), "undocumented option " << param.name);
    const auto& expected = documented.at(param.name);
    if (expected.is_null()) {
      BOOST_TEST((!param.default_json && (param.flags & SPAR_PARAM_OPTIONAL)), param.name);
      continue;
    }
    const auto found = boost::json::parse(param.default_json.value());
    if (expected.is_number())
      BOOST_TEST(found.to_number<double>() == expected.to_number<double>(), param.name);
    else
      BOOST_TEST((found == expected), param.name << " defaults to " << found);
  }
}

/// Context: spar_ctx, or what derives from it.
template <class Context = spar_ctx>
class Instance {
 public:
  Instance(const Instance&) = delete;
  Instance& operator=(const Instance&) = delete;

  void learn(uint64_t step = 0) {
    spar_error error = fresh_error();
    BOOST_REQUIRE_MESSAGE(table->learn(self, step, &error) == SPAR_OK, error.message);
  }
  std::vector<float> values(const char* network, uint32_t what = SPAR_NET_VALUES) const {
    const nn::Network& net = *networks.find(network);
    std::vector<float> out(net.bytes(what) / sizeof(float));
    net.read(what, out.data(), out.size() * sizeof(float));
    return out;
  }
  void set_values(const char* network, const std::vector<float>& values) {
    networks.find(network)->write(SPAR_NET_VALUES, values.data(), values.size() * sizeof(float));
  }
  /// The algorithm's own state.
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
  spar_status try_load(std::string saved) {
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
    const spar_status result = table->load(self, &in, &error);
    message = error.message;
    return result;
  }
  void load(std::string saved) { BOOST_REQUIRE_MESSAGE(try_load(std::move(saved)) == SPAR_OK, message); }
  spar_needs needs() const {
    spar_needs out{};
    out.struct_size = sizeof out;
    spar_error error = fresh_error();
    BOOST_REQUIRE(table->needs(self, &out, &error) == SPAR_OK);
    return out;
  }
  /// What the algorithm offers of spar.algo.losses/1.
  const spar_ext_algo_losses& losses() const {
    const auto* found = static_cast<const spar_ext_algo_losses*>(table->get_extension(self, SPAR_EXT_ALGO_LOSSES));
    BOOST_REQUIRE(found != nullptr);
    return *found;
  }

  nn::NetworkSet networks;
  train::Metrics metrics;
  train::Budget budget;
  Space obs_space, act_space;
  spar_agent_spec spec{};
  Context context;
  const spar_algo_vtbl* table = nullptr;
  spar_algo* self = nullptr;
  spar_status status = SPAR_OK;
  std::string message;

 protected:
  Instance(std::optional<uint64_t> budget_steps, Space obs, Space act)
      : budget(budget_steps), obs_space(std::move(obs)), act_space(std::move(act)) {
    context.name = "learner/agent_0";
    context.random = Philox(1, context.name);
    context.networks = &networks;
    context.metrics = &metrics;
    context.budget = &budget;
    spec.struct_size = sizeof spec;
    spec.id = "agent_0";
    spec.obs = obs_space.abi();
    spec.act = act_space.abi();
  }
  ~Instance() {
    if (self) table->destroy(self);
  }

  /// Fills status and message. setup: role, actor, rows and lanes.
  void create(const spar_component& component, const boost::json::object& set, const spar_host& host,
              spar_algo_setup setup) {
    table = static_cast<const spar_algo_vtbl*>(component.vtbl);
    const config::Options options = options_of(component, set);
    const config::ConfigView view(options);
    setup.struct_size = sizeof setup;
    setup.agent = &spec;
    spar_error error = fresh_error();
    status = table->create(&host, &context, view.get(), &setup, &self, &error);
    message = error.message;
  }
};

}  // namespace spar::test
