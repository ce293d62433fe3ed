// PPO on the real host's services, its rollout memory included: the test is the environment.
#pragma once

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/replay/buffer.hpp"
#include "plugins/algorithms/instance.hpp"
#include "plugins/algorithms/ppo/ppo.hpp"

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
  std::vector<float> state = {}, next_state = {};  ///< of a central critic
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
  std::optional<Space> state = std::nullopt;  ///< of a central critic
};

class PpoRig : public Instance<> {
 public:
  /// `set`: options other than their defaults, as JSON values.
  explicit PpoRig(const boost::json::object& set = {}, PpoSetup with = {})
      : Instance(with.budget, std::move(with.obs), std::move(with.act)), masked_(with.masked) {
    context.root_seed = 1;
    spec.n_columns = masked_ ? 1 : 0;
    spec.columns = &mask_column_;
    spar_algo_setup setup{};
    setup.role = with.role;
    setup.n_actors = 1;
    setup.max_rows = with.max_rows;
    setup.lanes = with.role == SPAR_ROLE_TRAIN ? with.lanes : 0;
    setup.state = with.state ? with.state->abi() : nullptr;
    central_ = setup.state != nullptr;
    create(*detail::component<ppo::Ppo>(), set, ppo_host(), setup);
    if (status != SPAR_OK || with.role != SPAR_ROLE_TRAIN) return;
    replay::BufferSpec memory = replay::buffer_spec(needs(), spec, with.lanes);
    if (central_) memory.observed.push_back(replay::observation_columns(*setup.state, "state").front());
    buffer = std::make_unique<replay::Buffer>(std::move(memory), Philox(1, "rollout"));
    context.buffer = buffer.get();
  }

  void remember(const Step& step) {
    const auto discrete = static_cast<int64_t>(step.action.at(0));
    const void* action = act_space.kind() == SPAR_SPACE_DISCRETE ? static_cast<const void*>(&discrete)
                                                                 : static_cast<const void*>(step.action.data());
    std::vector<const void*> observed = {step.obs.data()}, next = {step.next_obs.data()};
    if (masked_) {
      observed.push_back(step.mask.data());
      next.push_back(step.next_mask.data());
    }
    if (central_) {
      observed.push_back(step.state.data());
      next.push_back(step.next_state.data());
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
    spar_batch batch{};
    batch.struct_size = sizeof batch;
    buffer->sample(0, 0, &batch);
    double out = 0;
    spar_error error = fresh_error();
    BOOST_REQUIRE_MESSAGE((of == "policy" ? losses().policy : losses().value)(self, &batch, &out, &error) == SPAR_OK,
                          error.message);
    buffer->release(&batch);
    return out;
  }

  /// Actions for rows of observations, as numbers; `masks`: u8 [rows, n], empty if there are none.
  std::vector<float> act(uint32_t mode, std::vector<float> obs, std::vector<uint8_t> masks = {}) {
    const int64_t width = obs_space.width();
    const auto rows = static_cast<int64_t>(obs.size()) / width;
    const bool discrete = act_space.kind() == SPAR_SPACE_DISCRETE;
    const int64_t numbers = discrete ? 1 : act_space.width();
    std::vector<int64_t> chosen(static_cast<size_t>(rows), -1);
    std::vector<float> actions(static_cast<size_t>(rows * numbers), -99);
    std::vector<int64_t> in_shape = {rows, width}, out_shape = {rows}, mask_shape = {rows, act_space.n()};
    if (!discrete) out_shape.push_back(numbers);
    spar_column in[] = {column_over("obs", obs.data(), SPAR_DTYPE_FLOAT, 32, in_shape),
                        column_over("action_mask", masks.data(), SPAR_DTYPE_UINT, 8, mask_shape)};
    spar_column out = discrete ? column_over("action", chosen.data(), SPAR_DTYPE_INT, 64, out_shape)
                               : column_over("action", actions.data(), SPAR_DTYPE_FLOAT, 32, out_shape);
    const auto n = static_cast<uint64_t>(rows);
    const spar_batch seen{sizeof(spar_batch), masks.empty() ? 1U : 2U, n, in, nullptr, nullptr, nullptr};
    spar_batch answer{sizeof(spar_batch), 1, n, &out, nullptr, nullptr, nullptr};
    const spar_act how{sizeof(spar_act), mode, std::nan(""), 0};
    spar_error error = fresh_error();
    BOOST_REQUIRE_MESSAGE(table->act(self, &how, &seen, &answer, &error) == SPAR_OK, error.message);
    if (discrete) actions.assign(chosen.begin(), chosen.end());
    return actions;
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

  std::unique_ptr<replay::Buffer> buffer;

 private:
  bool masked_, central_ = false;
  const char* mask_column_ = "action_mask";
};

}  // namespace spar::test
