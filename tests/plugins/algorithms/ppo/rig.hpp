// PPO on the real host's services, its rollout memory included: the test is the environment.
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
#include "core/replay/buffer.hpp"
#include "core/train/budget.hpp"
#include "core/train/metrics.hpp"
#include "core/train/session.hpp"
#include "plugins/algorithms/ppo/ppo.hpp"
#include "spar/plugin.hpp"
#include "spar/space.hpp"

namespace spar::test {

inline const spar_host& ppo_host() {
  static const auto table = [] {
    auto host = std::make_unique<plugin::HostTable>();
    train::offer_services(*host);
    return host;
  }();
  return *table->host();
}

/// One transition of one lane; `action` is the number of a discrete one.
struct Step {
  std::vector<float> obs, action;
  float reward = 0;
  std::vector<float> next_obs;
  bool terminated = false, truncated = false;
  uint64_t lane = 0;
  std::vector<uint8_t> mask = {}, next_mask = {};
};

inline boost::json::object merged(boost::json::object options, const boost::json::object& more) {
  for (const auto& [key, value] : more) options[key] = value;
  return options;
}

struct PpoSetup {
  Space obs = Space::box(2, -10, 10), act = Space::discrete(2);
  uint64_t lanes = 1, max_rows = 8;
  bool masked = false;
  std::optional<uint64_t> budget = 1'000;
  uint32_t role = SPAR_ROLE_TRAIN;
};

class PpoRig {
 public:
  /// `set`: options other than their defaults, as JSON values.
  explicit PpoRig(const boost::json::object& set = {}, PpoSetup with = {})
      : budget(with.budget), setup_(std::move(with)) {
    context.name = "learner/agent_0";
    context.root_seed = 1;
    context.random = Philox(1, context.name);
    context.networks = &networks;
    context.metrics = &metrics;
    context.budget = &budget;
    const spar_component& component = *detail::component<ppo::Ppo>();
    table = static_cast<const spar_algo_vtbl*>(component.vtbl);
    auto options =
        config::default_options(std::make_shared<const config::Component>(config::copy_component(component)));
    for (size_t i = 0; i < options.values.size(); ++i) {
      const auto& param = options.component->params[i];
      if (const auto* value = set.if_contains(param.name)) put(options.values[i], param.type, *value);
    }
    const config::ConfigView view(options);
    spec.struct_size = sizeof spec;
    spec.id = "agent_0";
    spec.obs = setup_.obs.abi();
    spec.act = setup_.act.abi();
    spec.n_columns = setup_.masked ? 1 : 0;
    spec.columns = &mask_column_;
    spar_algo_setup setup{};
    setup.struct_size = sizeof setup;
    setup.role = setup_.role;
    setup.agent = &spec;
    setup.n_actors = 1;
    setup.max_rows = setup_.max_rows;
    setup.lanes = setup_.role == SPAR_ROLE_TRAIN ? setup_.lanes : 0;
    spar_error error = fresh_error();
    status = table->create(&ppo_host(), &context, view.get(), &setup, &self, &error);
    message = error.message;
    if (status != SPAR_OK || setup_.role != SPAR_ROLE_TRAIN) return;
    needs.struct_size = sizeof needs;
    BOOST_REQUIRE(table->needs(self, &needs, &error) == SPAR_OK);
    buffer = std::make_unique<replay::Buffer>(replay::buffer_spec(needs, spec, setup_.lanes), Philox(1, "rollout"));
    context.buffer = buffer.get();
  }
  ~PpoRig() {
    if (self) table->destroy(self);
  }
  PpoRig(const PpoRig&) = delete;
  PpoRig& operator=(const PpoRig&) = delete;

  void remember(const Step& step) {
    const auto discrete = static_cast<int64_t>(step.action.at(0));
    const void* action = setup_.act.kind() == SPAR_SPACE_DISCRETE ? static_cast<const void*>(&discrete)
                                                                  : static_cast<const void*>(step.action.data());
    std::vector<const void*> observed = {step.obs.data()}, next = {step.next_obs.data()};
    if (setup_.masked) {
      observed.push_back(step.mask.data());
      next.push_back(step.next_mask.data());
    }
    const uint8_t terminated = step.terminated, truncated = step.truncated;
    replay::StepRows rows;
    rows.rows = 1;
    rows.lane = &step.lane;
    rows.observed = observed;
    rows.acted = {&action, 1};
    rows.next = next;
    rows.reward = &step.reward;
    rows.terminated = &terminated;
    rows.truncated = &truncated;
    buffer->append(rows);
  }
  void remember(const std::vector<Step>& steps) {
    for (const Step& step : steps) remember(step);
  }

  spar_status try_learn(uint64_t step = 0) {
    spar_error error = fresh_error();
    const spar_status result = table->learn(self, step, &error);
    message = error.message;
    buffer->after_learn();
    return result;
  }
  void learn(uint64_t step = 0) { BOOST_REQUIRE_MESSAGE(try_learn(step) == SPAR_OK, message); }

  /// Losses of everything that is stored; "policy" or "value".
  double loss(const std::string& of) {
    const auto& losses = *static_cast<const spar_ext_algo_losses*>(table->get_extension(self, SPAR_EXT_ALGO_LOSSES));
    spar_batch batch{};
    batch.struct_size = sizeof batch;
    buffer->sample(0, 0, &batch);
    double out = 0;
    spar_error error = fresh_error();
    BOOST_REQUIRE_MESSAGE((of == "policy" ? losses.policy : losses.value)(self, &batch, &out, &error) == SPAR_OK,
                          error.message);
    buffer->release(&batch);
    return out;
  }

  /// Actions for rows of observations, as numbers; `masks`: u8 [rows, n], empty if there are none.
  std::vector<float> act(uint32_t mode, std::vector<float> obs, std::vector<uint8_t> masks = {}) {
    const int64_t width = setup_.obs.width();
    const auto rows = static_cast<int64_t>(obs.size()) / width;
    const bool discrete = setup_.act.kind() == SPAR_SPACE_DISCRETE;
    const int64_t numbers = discrete ? 1 : setup_.act.width();
    std::vector<int64_t> chosen(static_cast<size_t>(rows), -1);
    std::vector<float> actions(static_cast<size_t>(rows * numbers), -99);
    int64_t in_shape[] = {rows, width}, out_shape[] = {rows, numbers}, mask_shape[] = {rows, setup_.act.n()};
    spar_column in[2] = {}, out{};
    in[0].name = str("obs");
    in[0].t = {obs.data(), SPAR_DEVICE_CPU, 0, 2, SPAR_DTYPE_FLOAT, 32, 1, in_shape, nullptr, 0};
    in[1].name = str("action_mask");
    in[1].t = {masks.data(), SPAR_DEVICE_CPU, 0, 2, SPAR_DTYPE_UINT, 8, 1, mask_shape, nullptr, 0};
    out.name = str("action");
    out.t = {actions.data(), SPAR_DEVICE_CPU, 0, 2, SPAR_DTYPE_FLOAT, 32, 1, out_shape, nullptr, 0};
    if (discrete) out.t = {chosen.data(), SPAR_DEVICE_CPU, 0, 1, SPAR_DTYPE_INT, 64, 1, out_shape, nullptr, 0};
    const auto n = static_cast<uint64_t>(rows);
    const spar_batch seen{sizeof(spar_batch), masks.empty() ? 1U : 2U, n, in, nullptr, nullptr, nullptr};
    spar_batch answer{sizeof(spar_batch), 1, n, &out, nullptr, nullptr, nullptr};
    const spar_act how{sizeof(spar_act), mode, std::nan(""), 0};
    spar_error error = fresh_error();
    BOOST_REQUIRE_MESSAGE(table->act(self, &how, &seen, &answer, &error) == SPAR_OK, error.message);
    if (discrete) actions.assign(chosen.begin(), chosen.end());
    return actions;
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
  /// Optimiser steps that a network took.
  uint64_t steps(const char* network) const {
    uint64_t count = 0;
    networks.find(network)->read(SPAR_NET_STEPS, &count, sizeof count);
    return count;
  }
  /// Means of what was recorded since the last call.
  std::map<std::string, double> recorded() {
    std::map<std::string, double> all;
    for (const auto& [name, value] : metrics.drain()) all[std::string(name)] = value;
    return all;
  }

  nn::NetworkSet networks;
  train::Metrics metrics;
  train::Budget budget;
  spar_agent_spec spec{};
  spar_ctx context;
  spar_needs needs{};
  std::unique_ptr<replay::Buffer> buffer;
  const spar_algo_vtbl* table = nullptr;
  spar_algo* self = nullptr;
  spar_status status = SPAR_OK;
  std::string message;

 private:
  static void put(config::OptionValue& option, uint32_t type, const boost::json::value& value) {
    option.type = type;
    if (type == SPAR_T_BOOL)
      option.data = value.as_bool();
    else if (type == SPAR_T_INT)
      option.data = value.to_number<int64_t>();
    else if (type == SPAR_T_REAL)
      option.data = value.to_number<double>();
    else if (type == SPAR_T_STR)
      option.data = std::string(value.as_string());
    else
      option.data = boost::json::value_to<std::vector<int64_t>>(value);
  }

  PpoSetup setup_;
  const char* mask_column_ = "action_mask";
};

}  // namespace spar::test
