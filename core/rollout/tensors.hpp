// The parameters of a learner's networks as named tensors: what is published, and what an embedder reads and sets.
#pragma once

#include <span>
#include <vector>

#include "core/nn/network_set.hpp"
#include "core/params/store.hpp"

namespace spar::rollout {

/// f32 tensors named as nn::named_tensors() says; networks in the order in which they were made.
std::vector<params::Tensor> tensors_of(const nn::NetworkSet& networks);

/// Sets the values of every network. Throws Error E1004, and changes nothing, if a tensor is missing, unknown, of
/// another type or shape (both are named), or holds a number that is not finite.
void set_tensors(nn::NetworkSet& networks, std::span<const params::Tensor> tensors);

/// "f32 [64, 4]".
std::string type_text(const params::Tensor& tensor);

}  // namespace spar::rollout
