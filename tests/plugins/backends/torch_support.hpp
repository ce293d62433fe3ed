// Networks of the host's kernels beside networks of the backend `torch`, through the same table.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "core/nn/grid.hpp"
#include "core/rollout/backends.hpp"
#include "support/training_run.hpp"

namespace spar::nn::test {

inline BackendOpener torch_opener(const std::string& scope = "algorithm/agent_0", uint64_t seed = 1) {
  auto& plugins = spar::test::plugins();
  return rollout::backend_opener(
      *plugins.host.host(),
      [&plugins](uint32_t kind, std::string_view id) -> const spar_component& {
        return plugins.registry->load(kind, id);
      },
      scope, seed);
}

struct TorchInstance : Instance {
  explicit TorchInstance(uint64_t seed = 1) : Instance(seed, "algorithm/agent_0", torch_opener()) {}
};

/// The same network on the backend.
inline NetPlan on_torch(NetPlan plan) {
  if (plan.json.empty()) plan.json = "{}";
  plan.json.insert(1, plan.json == "{}" ? R"("backend":"torch")" : R"("backend":"torch",)");
  return plan;
}

/// |a - b| / |b|; infinite where the lengths differ.
inline double distance(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return INFINITY;
  double difference = 0, size = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    difference += (static_cast<double>(a[i]) - b[i]) * (static_cast<double>(a[i]) - b[i]);
    size += static_cast<double>(b[i]) * b[i];
  }
  return std::sqrt(difference) / std::max(std::sqrt(size), 1e-12);
}

struct PassResult {
  std::vector<float> y;
  std::vector<std::vector<float>> dx;
};

/// Forward into slot 1, then backward to parameters and inputs.
inline PassResult pass(Instance& instance, spar_net* net, Batch& batch, uint32_t flags = 0) {
  PassResult result;
  std::vector<std::unique_ptr<Tensor>> tensors;
  std::vector<const spar_tensor*> x;
  std::vector<spar_tensor*> dx;
  for (const auto& input : batch.x) result.dx.emplace_back(input.size(), 99.0f);
  for (size_t i = 0; i < batch.x.size(); ++i) {
    tensors.push_back(std::make_unique<Tensor>(batch.x[i].data(), batch.shapes[i]));
    x.push_back(&tensors.back()->t);
    tensors.push_back(std::make_unique<Tensor>(result.dx[i].data(), batch.shapes[i]));
    dx.push_back(&tensors.back()->t);
  }
  result.y.resize(batch.dy.size());
  Tensor y(result.y.data(), batch.y_shape);
  const Tensor dy(batch.dy.data(), batch.y_shape);
  instance.require(instance.nn.forward(net, 1, flags, x.data(), &y.t, &instance.error));
  const uint32_t what = batch.x.empty() ? SPAR_NET_PARAMS : SPAR_NET_PARAMS | SPAR_NET_INPUT;
  instance.require(instance.nn.backward(net, 1, &dy.t, dx.data(), what, &instance.error));
  return result;
}

inline double step(Instance& instance, const spar_update& update) {
  double norm = 0;
  instance.require(instance.nn.update(&instance.ctx, &update, &norm, &instance.error));
  return norm;
}

}  // namespace spar::nn::test
