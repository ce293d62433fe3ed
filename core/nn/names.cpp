#include "core/nn/names.hpp"

#include "core/nn/layout.hpp"

namespace spar::nn {
namespace {

class Names {
 public:
  void add(const std::string& name, std::vector<int64_t> shape) {
    size_t size = 1;
    for (const int64_t extent : shape) size *= static_cast<size_t>(extent);
    tensors.push_back({name, std::move(shape), at_, size});
    at_ += size;
  }
  void branch(const std::string& prefix, const std::vector<Layer>& layers, bool noisy) {
    for (size_t i = 0; i < layers.size(); ++i) {
      const std::string layer = prefix + (layers[i].last ? "out" : "hidden" + std::to_string(i));
      const auto out = static_cast<int64_t>(layers[i].out), in = static_cast<int64_t>(layers[i].in);
      add(layer + ".weight", {out, in});
      add(layer + ".bias", {out});
      if (!noisy) continue;
      add(layer + ".weight_sigma", {out, in});
      add(layer + ".bias_sigma", {out});
    }
  }
  std::vector<NamedTensor> tensors;

 private:
  size_t at_ = 0;
};

}  // namespace

std::vector<NamedTensor> named_tensors(const Network& network) {
  const Layout layout(network.spec());
  const size_t members = network.spec().ensemble;
  const bool plain = layout.heads.size() == 1 && layout.heads[0].size() == 1;
  if (members * layout.parameters != network.parameter_count())  // its layers are not ours to know
    return {{network.name(), {static_cast<int64_t>(network.parameter_count())}, 0, network.parameter_count()}};
  Names names;
  for (size_t member = 0; member < members; ++member) {
    std::string prefix = network.name();
    if (members > 1) prefix += ".member" + std::to_string(member);
    if (layout.free_out > 0) {
      names.add(prefix, {static_cast<int64_t>(layout.free_out)});
      continue;
    }
    const bool noisy = layout.sigma > 0;
    names.branch(prefix + ".", layout.trunk, noisy);
    for (size_t head = 0; head < layout.heads.size(); ++head)
      names.branch(prefix + (plain ? "." : ".head" + std::to_string(head) + "."), layout.heads[head], noisy);
  }
  return std::move(names.tensors);
}

}  // namespace spar::nn
