// What the oracles share: whole updates in the words of LibTorch, in double precision.
#pragma once

#include <torch/autograd.h>
#include <torch/optim/adam.h>
#include <torch/types.h>

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

namespace spar::test {

/// Parameters that gradients are asked of.
using Leaves = std::vector<torch::Tensor>;

inline torch::Tensor tensor_of(const std::vector<float>& values, const std::vector<int64_t>& shape) {
  return torch::tensor(at::ArrayRef<float>(values), torch::kFloat32).to(torch::kFloat64).reshape(shape);
}

/// All of their numbers, one leaf after the other.
inline torch::Tensor flat(const Leaves& leaves) {
  std::vector<torch::Tensor> parts;
  for (const torch::Tensor& leaf : leaves) parts.push_back(leaf.detach().reshape({-1}));
  return torch::cat(parts);
}

/// |a - b| / |b|
inline double distance(const std::vector<float>& a, const torch::Tensor& b) {
  const torch::Tensor expected = b.detach().reshape({-1});
  BOOST_REQUIRE_EQUAL(static_cast<int64_t>(a.size()), expected.numel());
  return ((tensor_of(a, {-1}) - expected).norm() / expected.norm()).item<double>();
}

inline void check_equal(const std::vector<float>& found, const Leaves& expected, const std::string& what) {
  const double off = distance(found, flat(expected));
  BOOST_TEST(off <= 1e-5, what << " is off by " << off);
}

/// One Adam step on the gradients of `loss`, clipped to the global norm `max_norm`, which they exceed.
inline void clipped_step(const torch::Tensor& loss, const Leaves& leaves, torch::optim::Adam& adam, double max_norm) {
  const auto gradients = torch::autograd::grad({loss}, leaves);
  double squares = 0;
  for (const auto& g : gradients) squares += g.square().sum().item<double>();
  const double norm = std::sqrt(squares);
  BOOST_TEST(norm > max_norm);  // or the clipping would not be part of the test
  for (size_t i = 0; i < leaves.size(); ++i) leaves[i].mutable_grad() = gradients[i] * (max_norm / norm);
  adam.step();
}

}  // namespace spar::test
