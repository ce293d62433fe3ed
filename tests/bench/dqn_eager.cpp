#include "dqn_eager.hpp"

#include <torch/nn/modules/linear.h>
#include <torch/nn/utils/clip_grad.h>
#include <torch/optim/adam.h>

#include <cstring>

#include "torch_batch.hpp"
#include "torch_setup.hpp"

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

class Eager : public EagerDqn {
 public:
  Eager(int64_t width, const DqnBatch& batch, const std::vector<float>& values)
      : batch_(batch),
        online_(width),
        target_(width),
        optimizer_(online_->parameters(), torch::optim::AdamOptions(kLearningRate)) {
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
      const torch::Tensor best = online_->forward(batch_.next_obs).argmax(1, true);
      y = batch_.reward + batch_.discount * target_->forward(batch_.next_obs).gather(1, best).squeeze(1);
    }
    const torch::Tensor q = online_->forward(batch_.obs).gather(1, batch_.action).squeeze(1);
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
  TorchBatch batch_;
  QNet online_, target_;
  torch::optim::Adam optimizer_;
};

}  // namespace

std::unique_ptr<EagerDqn> make_eager_dqn(int64_t width, const DqnBatch& batch, const std::vector<float>& values) {
  prepare_torch();
  return std::make_unique<Eager>(width, batch, values);
}

}  // namespace spar::bench
