// The function that a network computes, in the words of LibTorch.
#pragma once

#include <torch/types.h>

#include <memory>
#include <vector>

#include "plan.hpp"

namespace torch_backend {

/// Of every tensor here; the default element type belongs to the whole process.
inline at::TensorOptions floats(at::Device device) { return at::TensorOptions(at::kFloat).device(device); }

class Model {
 public:
  virtual ~Model() = default;

  /// x: one tensor for each input, f32, [rows, ..] or [ensemble, rows, ..]. Returns [ensemble, rows, out]. `rows` is
  /// what a free vector goes by. quiet: noisy layers use their means.
  virtual at::Tensor forward(const std::vector<at::Tensor>& x, int64_t rows, bool quiet) const = 0;

  /// Leaves in canonical order, f32 on the device. Their memory may be exchanged (set_data), their shapes may not.
  std::vector<at::Tensor> parameters;
  /// Standard normal numbers in canonical order, one vector for each eps_in and eps_out of a noisy layer.
  std::vector<at::Tensor> noise;
};

/// Free vectors, mlp and nature_cnn; parameters and noise are zero.
std::unique_ptr<Model> make_layers(const Plan& plan, at::Device device);

/// The module in plan.file, in evaluation mode. Throws SPAR_E_INVALID if LibTorch cannot read it or if it does not take
/// and give what the plan says.
std::unique_ptr<Model> load_script(const Plan& plan, at::Device device);

}  // namespace torch_backend
