// One double-Q update (van Hasselt et al. 2016) through the table spar.nn/1, as an algorithm plugin would write it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/nn/network_set.hpp"
#include "core/nn/service.hpp"
#include "core/plugin/context.hpp"

namespace spar::bench {

constexpr int64_t kObs = 4, kActions = 2;
constexpr double kGamma = 0.99, kMaxNorm = 10.0, kTau = 0.005, kLearningRate = 1e-3;

struct DqnBatch {
  std::vector<float> obs, next_obs, reward, discount;
  std::vector<int64_t> action;
};

inline DqnBatch make_batch(int64_t rows) {
  Philox random(7, "bench");
  DqnBatch batch;
  for (int64_t i = 0; i < rows * kObs; ++i) {
    batch.obs.push_back(static_cast<float>(random.normal()));
    batch.next_obs.push_back(static_cast<float>(random.normal()));
  }
  for (int64_t i = 0; i < rows; ++i) {
    batch.reward.push_back(static_cast<float>(random.normal()));
    batch.discount.push_back(i % 9 == 0 ? 0.0f : static_cast<float>(kGamma));
    batch.action.push_back(i % kActions);
  }
  return batch;
}

class FusedDqn {
 public:
  FusedDqn(int64_t width, const DqnBatch& batch)
      : batch_(batch),
        rows_(static_cast<int64_t>(batch.reward.size())),
        q_(size()),
        next_online_(size()),
        next_(size()),
        dq_(size()) {
    ctx_.name = "algorithm/bench";
    ctx_.root_seed = 1;
    ctx_.networks = &networks_;
    error_.struct_size = sizeof error_;
    const spar_column_spec obs{sizeof(spar_column_spec), 0, "obs", SPAR_DTYPE_FLOAT, 32, 1, 1, &kObs};
    const spar_column_spec* inputs[] = {&obs};
    const std::string json = "{\"hidden\":[" + std::to_string(width) + "," + std::to_string(width) + "]}";
    spar_net_spec spec{};
    spec.struct_size = sizeof spec;
    spec.inputs = inputs;
    spec.n_inputs = 1;
    spec.slots = 1;
    spec.out = kActions;
    spec.max_rows = static_cast<uint64_t>(rows_);
    spec.json = json.c_str();
    check(nn_.create(&ctx_, {"q", 1}, &spec, &online_, &error_));
    check(nn_.create(&ctx_, {"q_target", 8}, &spec, &target_, &error_));
    check(nn_.blend(target_, online_, 1.0, &error_));
  }

  void update() {
    std::array<int64_t, 2> x_shape{rows_, kObs};
    std::array<int64_t, 3> y_shape{1, rows_, kActions};
    const spar_tensor x = tensor(batch_.obs, x_shape), x_next = tensor(batch_.next_obs, x_shape);
    spar_tensor q = tensor(q_, y_shape), next_online = tensor(next_online_, y_shape), next = tensor(next_, y_shape),
                dq = tensor(dq_, y_shape);
    const spar_tensor *now[] = {&x}, *then[] = {&x_next};
    check(nn_.forward(online_, 0, 0, then, &next_online, &error_));
    check(nn_.forward(target_, 0, 0, then, &next, &error_));
    check(nn_.forward(online_, 1, 0, now, &q, &error_));
    const float scale = 1.0f / static_cast<float>(rows_);
    for (size_t i = 0; i < static_cast<size_t>(rows_); ++i) {
      const float* choice = next_online_.data() + i * kActions;
      const auto best = static_cast<size_t>(std::max_element(choice, choice + kActions) - choice);
      const float y = batch_.reward[i] + batch_.discount[i] * next_[i * kActions + best];
      float* d = dq_.data() + i * kActions;
      std::fill(d, d + kActions, 0.0f);
      const auto a = static_cast<size_t>(batch_.action[i]);
      d[a] = std::clamp(q_[i * kActions + a] - y, -1.0f, 1.0f) * scale;  // Huber
    }
    check(nn_.backward(online_, 1, &dq, nullptr, SPAR_NET_PARAMS, &error_));
    spar_update step{};
    step.struct_size = sizeof step;
    step.n_nets = 1;
    step.nets = &online_;
    step.targets = &target_;
    step.lr = kLearningRate;
    step.beta1 = 0.9;
    step.beta2 = 0.999;
    step.eps = 1e-8;
    step.max_grad_norm = kMaxNorm;
    step.tau = kTau;
    double norm = 0.0;
    check(nn_.update(&ctx_, &step, &norm, &error_));
  }

  std::vector<float> values(bool target = false) {
    spar_net* net = target ? target_ : online_;
    std::vector<float> values(nn_.bytes(net, SPAR_NET_VALUES) / sizeof(float));
    check(nn_.read(net, SPAR_NET_VALUES, values.data(), values.size() * sizeof(float), &error_));
    return values;
  }

  /// What an update cannot do without: three forward passes, the gradients of all weights and of all inputs but the
  /// first layer's.
  static double flops(int64_t width, int64_t rows) {
    const auto h = static_cast<double>(width), b = static_cast<double>(rows);
    const double weights = kObs * h + h * h + h * kActions;
    return 2.0 * b * (4.0 * weights + h * h + h * kActions);
  }

 private:
  size_t size() const { return static_cast<size_t>(rows_ * kActions); }
  template <size_t kDims>
  static spar_tensor tensor(const std::vector<float>& data, std::array<int64_t, kDims>& shape) {
    spar_tensor t{};
    t.data = const_cast<float*>(data.data());
    t.device_type = SPAR_DEVICE_CPU;
    t.ndim = kDims;
    t.code = SPAR_DTYPE_FLOAT;
    t.bits = 32;
    t.lanes = 1;
    t.shape = shape.data();
    return t;
  }
  void check(spar_status status) const {
    if (status != SPAR_OK) throw std::runtime_error(error_.message);
  }

  const DqnBatch& batch_;
  int64_t rows_;
  std::vector<float> q_, next_online_, next_, dq_;
  nn::NetworkSet networks_;
  spar_ctx ctx_;
  spar_error error_{};
  const spar_svc_nn& nn_ = nn::nn_service();
  spar_net *online_ = nullptr, *target_ = nullptr;
};

}  // namespace spar::bench
