#include "core/nn/replicas.hpp"

#include <utility>
#include <vector>

#include "core/nn/native_network.hpp"

namespace spar::nn {
namespace {

std::vector<float> numbers_of(const Network& network, uint32_t what) {
  std::vector<float> out(network.bytes(what) / sizeof(float));
  network.read(what, out.data(), out.size() * sizeof(float));
  return out;
}

void set_gradients(Network& network, const std::vector<float>& to) {
  network.write(SPAR_NET_GRADIENTS, to.data(), to.size() * sizeof(float));
}

NativeNetwork* native(Network& network) { return dynamic_cast<NativeNetwork*>(&network); }

void average_native(std::span<Network* const> from, NativeNetwork& to) {
  Parameters& mean = to.parameters();
  const auto share = 1.0F / static_cast<float>(from.size());
  for (size_t i = 0; i < from.size(); ++i) {
    Parameters& one = static_cast<NativeNetwork&>(*from[i]).parameters();
    const Floats& g = one.summed_gradients();
    float* sum = mean.gradients.data();
    const bool last = i + 1 == from.size();
    for (size_t j = 0; j < g.size(); ++j) {
      const float added = i == 0 ? g[j] : sum[j] + g[j];
      sum[j] = last ? added * share : added;
    }
    one.no_gradients = true;
  }
  mean.no_gradients = false;
}

}  // namespace

void copy_values(const Network& from, Network& to) {
  if (to.take_values(from)) return;
  const std::vector<float> values = numbers_of(from, SPAR_NET_VALUES);
  to.write(SPAR_NET_VALUES, values.data(), values.size() * sizeof(float));
}

void move_gradients(Network& from, Network& to) {
  NativeNetwork *source = native(from), *target = native(to);
  if (source && target) {
    std::swap(source->parameters().gradients, target->parameters().gradients);
    target->parameters().no_gradients = std::exchange(source->parameters().no_gradients, true);
    return;
  }
  std::vector<float> gradients = numbers_of(from, SPAR_NET_GRADIENTS);
  set_gradients(to, gradients);
  gradients.assign(gradients.size(), 0.0F);
  set_gradients(from, gradients);
}

void average_gradients(std::span<Network* const> from, Network& to) {
  if (NativeNetwork* target = native(to)) return average_native(from, *target);
  std::vector<float> mean(to.bytes(SPAR_NET_GRADIENTS) / sizeof(float), 0.0F);
  const std::vector<float> none(mean);
  for (Network* network : from) {
    const std::vector<float> g = numbers_of(*network, SPAR_NET_GRADIENTS);
    for (size_t j = 0; j < g.size(); ++j) mean[j] += g[j];
    set_gradients(*network, none);
  }
  for (float& g : mean) g *= 1.0F / static_cast<float>(from.size());
  set_gradients(to, mean);
}

}  // namespace spar::nn
