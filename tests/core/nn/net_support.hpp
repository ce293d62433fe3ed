// A component instance with networks, driven through the C table as a plugin would.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "core/nn/network_set.hpp"
#include "core/nn/service.hpp"
#include "core/plugin/context.hpp"

namespace spar::nn::test {

/// A tensor over memory of the test.
struct Tensor {
  std::vector<int64_t> shape;
  spar_tensor t{};
  Tensor(void* data, std::vector<int64_t> dims, bool bytes = false) : shape(std::move(dims)) {
    t.data = data;
    t.device_type = SPAR_DEVICE_CPU;
    t.ndim = static_cast<int32_t>(shape.size());
    t.code = bytes ? SPAR_DTYPE_UINT : SPAR_DTYPE_FLOAT;
    t.bits = bytes ? 8 : 32;
    t.lanes = 1;
    t.shape = shape.data();
  }
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;
};

struct NetPlan {
  std::vector<int64_t> inputs;  ///< widths
  int64_t out = 1;
  std::string json = "{}";
  uint32_t ensemble = 1, slots = 1;
  uint64_t max_rows = 64;
  bool bytes = false;                             ///< u8 inputs
  std::vector<std::vector<int64_t>> shapes = {};  ///< of the inputs instead of widths, where they are no vectors
};

struct Instance {
  NetworkSet networks;
  spar_ctx ctx;
  spar_error error{};
  const spar_svc_nn& nn = nn_service();

  explicit Instance(uint64_t seed = 1, const std::string& name = "algorithm/agent_0", BackendOpener open = {},
                    Crew* crew = nullptr)
      : networks(std::move(open), crew) {
    ctx.name = name;
    ctx.root_seed = seed;
    ctx.networks = &networks;
    error.struct_size = sizeof error;
  }
  spar_status try_create(const std::string& name, const NetPlan& plan, spar_net** net) {
    std::vector<spar_column_spec> columns(plan.inputs.size());
    std::vector<const spar_column_spec*> pointers;
    std::vector<std::string> names;
    for (size_t i = 0; i < columns.size(); ++i) names.push_back("in" + std::to_string(i));
    for (size_t i = 0; i < columns.size(); ++i) {
      columns[i] = {sizeof(spar_column_spec),
                    0,
                    names[i].c_str(),
                    static_cast<uint8_t>(plan.bytes ? 1 : 2),
                    static_cast<uint8_t>(plan.bytes ? 8 : 32),
                    1,
                    plan.shapes.empty() ? 1 : static_cast<int32_t>(plan.shapes[i].size()),
                    plan.shapes.empty() ? &plan.inputs[i] : plan.shapes[i].data()};
      pointers.push_back(&columns[i]);
    }
    spar_net_spec spec{};
    spec.struct_size = sizeof spec;
    spec.ensemble = plan.ensemble;
    spec.inputs = pointers.data();
    spec.n_inputs = static_cast<uint32_t>(pointers.size());
    spec.slots = plan.slots;
    spec.out = plan.out;
    spec.max_rows = plan.max_rows;
    spec.json = plan.json.c_str();
    return nn.create(&ctx, {name.data(), name.size()}, &spec, net, &error);
  }
  /// Throws with the message when create fails.
  spar_net* create(const std::string& name, const NetPlan& plan) {
    spar_net* net = nullptr;
    require(try_create(name, plan, &net));
    return net;
  }
  void require(spar_status status) const {
    if (status != SPAR_OK) throw std::runtime_error("status " + std::to_string(status) + ": " + error.message);
  }
  std::string message() const { return error.message; }

  std::vector<float> read(spar_net* net, uint32_t what = SPAR_NET_VALUES) {
    std::vector<float> values(nn.bytes(net, what) / sizeof(float));
    require(nn.read(net, what, values.data(), values.size() * sizeof(float), &error));
    return values;
  }
  void resample(spar_net* net) { require(nn.resample(net, &error)); }
  void write(spar_net* net, const std::vector<float>& values, uint32_t what = SPAR_NET_VALUES) {
    require(nn.write(net, what, values.data(), values.size() * sizeof(float), &error));
  }
  uint64_t steps(spar_net* net) {
    uint64_t steps = 0;
    require(nn.read(net, SPAR_NET_STEPS, &steps, sizeof steps, &error));
    return steps;
  }
  /// One f32 input of `width`, without ensemble dimension.
  spar_status try_forward(spar_net* net, uint32_t slot, std::vector<float>& x, int64_t width, std::vector<float>& y,
                          uint32_t flags = 0) {
    const int64_t out = static_cast<int64_t>(network_of(net).spec().out);
    const int64_t members = static_cast<int64_t>(network_of(net).spec().ensemble);
    const int64_t rows = static_cast<int64_t>(x.size()) / width;
    y.assign(static_cast<size_t>(members * rows * out), -7.0f);
    const Tensor tx(x.data(), {rows, width});
    Tensor ty(y.data(), {members, rows, out});
    const spar_tensor* inputs[] = {&tx.t};
    return nn.forward(net, slot, flags, inputs, &ty.t, &error);
  }
  std::vector<float> forward(spar_net* net, uint32_t slot, std::vector<float> x, int64_t width, uint32_t flags = 0) {
    std::vector<float> y;
    require(try_forward(net, slot, x, width, y, flags));
    return y;
  }
  spar_status try_backward(spar_net* net, uint32_t slot, std::vector<float> dy) {
    const int64_t out = static_cast<int64_t>(network_of(net).spec().out);
    const int64_t members = static_cast<int64_t>(network_of(net).spec().ensemble);
    const Tensor t(dy.data(), {members, static_cast<int64_t>(dy.size()) / (out * members), out});
    return nn.backward(net, slot, &t.t, nullptr, SPAR_NET_PARAMS, &error);
  }
  void backward(spar_net* net, uint32_t slot, const std::vector<float>& dy) { require(try_backward(net, slot, dy)); }
};

inline spar_update adam(spar_net* const* nets, uint32_t n, double lr = 1e-3, double eps = 1e-8) {
  spar_update step{};
  step.struct_size = sizeof step;
  step.n_nets = n;
  step.nets = nets;
  step.lr = lr;
  step.beta1 = 0.9;
  step.beta2 = 0.999;
  step.eps = eps;
  return step;
}

inline std::vector<float> random_floats(size_t n, uint32_t seed, float scale = 1.0f) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal(0.0f, scale);
  std::vector<float> values(n);
  for (float& value : values) value = normal(generator);
  return values;
}

}  // namespace spar::nn::test
