// A batch of DQN as tensors of LibTorch. For the files that include LibTorch
// anyway.
#pragma once

#include <torch/types.h>

#include "dqn_fused.hpp"

namespace spar::bench {

inline torch::Tensor column(const std::vector<float>& values, std::vector<int64_t> shape) {
  return torch::tensor(at::ArrayRef<float>(values), torch::kFloat32).reshape(shape);
}

struct TorchBatch {
  explicit TorchBatch(const DqnBatch& batch) : TorchBatch(batch, static_cast<int64_t>(batch.reward.size())) {}

  torch::Tensor obs, next_obs, reward, discount;
  torch::Tensor action;  ///< [rows, 1]

 private:
  TorchBatch(const DqnBatch& batch, int64_t rows)
      : obs(column(batch.obs, {rows, kObs})),
        next_obs(column(batch.next_obs, {rows, kObs})),
        reward(column(batch.reward, {rows})),
        discount(column(batch.discount, {rows})),
        action(torch::tensor(at::ArrayRef<int64_t>(batch.action)).unsqueeze(1)) {}
};

}  // namespace spar::bench
