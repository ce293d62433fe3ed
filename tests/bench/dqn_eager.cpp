#include "dqn_eager.hpp"

#include <malloc.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/utils/clip_grad.h>
#include <torch/optim/adam.h>

#include <cstring>

namespace spar::bench {
namespace {

struct QNetImpl : torch::nn::Module {
  torch::nn::Linear first{nullptr}, second{nullptr}, last{nullptr};
  explicit QNetImpl(int64_t width) {
    first = register_module("first", torch::nn::Linear(kObs, width));
    second = register_module("second", torch::nn::Linear(width, width));
    last = register_module("last", torch::nn::Linear(width, kActions));
  }
  torch::Tensor forward(torch::Tensor x) {
    x = torch::relu(first->forward(x));
    x = torch::relu(second->forward(x));
    return last->forward(x);
  }
};
TORCH_MODULE(QNet);

torch::Tensor column(const std::vector<float>& values, std::vector<int64_t> shape) {
  return torch::tensor(at::ArrayRef<float>(values), torch::kFloat32).reshape(shape);
}

class Eager : public EagerDqn {
 public:
  Eager(int64_t width, const DqnBatch& batch, const std::vector<float>& values)
      : online_(width), target_(width), optimizer_(online_->parameters(), torch::optim::AdamOptions(kLearningRate)) {
    const auto rows = static_cast<int64_t>(batch.reward.size());
    obs_ = column(batch.obs, {rows, kObs});
    next_obs_ = column(batch.next_obs, {rows, kObs});
    reward_ = column(batch.reward, {rows});
    discount_ = column(batch.discount, {rows});
    action_ = torch::tensor(at::ArrayRef<int64_t>(batch.action)).unsqueeze(1);
    const torch::NoGradGuard guard;
    for (QNet* net : {&online_, &target_}) {
      int64_t at = 0;
      for (torch::Tensor& p : (*net)->parameters()) {
        const float* first = values.data() + at;
        p.copy_(column({first, first + p.numel()}, p.sizes().vec()));
        at += p.numel();
      }
    }
  }

  void update() override {
    torch::Tensor y;
    {
      const torch::NoGradGuard guard;
      const torch::Tensor best = online_->forward(next_obs_).argmax(1, true);
      y = reward_ + discount_ * target_->forward(next_obs_).gather(1, best).squeeze(1);
    }
    const torch::Tensor q = online_->forward(obs_).gather(1, action_).squeeze(1);
    const torch::Tensor loss = torch::smooth_l1_loss(q, y);
    optimizer_.zero_grad();
    loss.backward();
    torch::nn::utils::clip_grad_norm_(online_->parameters(), kMaxNorm);
    optimizer_.step();
    const torch::NoGradGuard guard;
    const auto from = online_->parameters();
    auto to = target_->parameters();
    for (size_t i = 0; i < from.size(); ++i) to[i].mul_(1.0 - kTau).add_(from[i], kTau);
  }

  std::vector<float> values(bool target) override {
    std::vector<float> all;
    for (const torch::Tensor& p : (target ? target_ : online_)->parameters()) {
      const torch::Tensor flat = p.detach().reshape({-1}).contiguous();
      all.insert(all.end(), flat.data_ptr<float>(), flat.data_ptr<float>() + flat.numel());
    }
    return all;
  }

 private:
  QNet online_, target_;
  torch::optim::Adam optimizer_;
  torch::Tensor obs_, next_obs_, reward_, discount_, action_;
};

}  // namespace

std::unique_ptr<EagerDqn> make_eager_dqn(int64_t width, const DqnBatch& batch, const std::vector<float>& values) {
  torch::set_num_threads(1);
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  return std::make_unique<Eager>(width, batch, values);
}

}  // namespace spar::bench
