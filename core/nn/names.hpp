// Names of a network's parameters, tensor by tensor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/nn/network.hpp"

namespace spar::nn {

/// One tensor in a network's canonical vector of values.
struct NamedTensor {
  std::string name;
  std::vector<int64_t> shape;
  size_t offset;  ///< of its first number
  size_t size;    ///< numbers
};

/// In canonical order, "NETWORK.LAYER.weight" [out, in] and "NETWORK.LAYER.bias" [out]; noisy layers go on with
/// .weight_sigma and .bias_sigma of the same shapes. LAYER: hidden0, hidden1, .. of the trunk, then out; with several
/// heads or layers in a head: head0.hidden0, head0.out, head1.out, ..; ensembles have member0, member1, .. before it. A
/// free vector is one tensor with the name of the network, and so is a network whose layers the host does not know.
std::vector<NamedTensor> named_tensors(const Network& network);

}  // namespace spar::nn
