#include "sac_eager.hpp"

#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/utils/clip_grad.h>
#include <torch/optim/adam.h>

#include "torch_setup.hpp"

namespace spar::bench {
namespace {

constexpr int64_t kObs = 3, kActions = 1;
constexpr double kAlpha = 0.2, kTau = 0.005, kLearningRate = 3e-4, kMaxNorm = 10.0, kHalfLog2Pi = 0.9189385332046727;

torch::nn::Sequential mlp(int64_t in, int64_t width, int64_t out) {
  return torch::nn::Sequential(torch::nn::Linear(in, width), torch::nn::ReLU(), torch::nn::Linear(width, width),
                               torch::nn::ReLU(), torch::nn::Linear(width, out));
}

struct Draw {
  torch::Tensor action, log_prob;
};

class Eager : public EagerSac {
 public:
  Eager(int64_t width, int64_t rows)
      : actor_(mlp(kObs, width, 2 * kActions)),
        critics_{mlp(kObs + kActions, width, 1), mlp(kObs + kActions, width, 1)},
        targets_{mlp(kObs + kActions, width, 1), mlp(kObs + kActions, width, 1)},
        actor_adam_(actor_->parameters(), torch::optim::AdamOptions(kLearningRate)),
        critic_adam_(both(), torch::optim::AdamOptions(kLearningRate)),
        obs_(torch::randn({rows, kObs})),
        next_obs_(torch::randn({rows, kObs})),
        action_(torch::rand({rows, kActions}) * 2 - 1),
        reward_(torch::randn({rows})),
        discount_(torch::full({rows}, 0.99)) {
    follow(1.0);
  }

  void update() override {
    torch::Tensor y;
    {
      const torch::NoGradGuard guard;
      const Draw next = sample(next_obs_);
      const torch::Tensor q =
          torch::min(value(targets_[0], next_obs_, next.action), value(targets_[1], next_obs_, next.action));
      y = reward_ + discount_ * (q - kAlpha * next.log_prob);
    }
    const torch::Tensor loss =
        torch::mse_loss(value(critics_[0], obs_, action_), y) + torch::mse_loss(value(critics_[1], obs_, action_), y);
    critic_adam_.zero_grad();
    loss.backward();
    torch::nn::utils::clip_grad_norm_(both(), kMaxNorm);
    critic_adam_.step();

    const Draw now = sample(obs_);
    const torch::Tensor q = torch::min(value(critics_[0], obs_, now.action), value(critics_[1], obs_, now.action));
    const torch::Tensor actor_loss = (kAlpha * now.log_prob - q).mean();
    actor_adam_.zero_grad();
    actor_loss.backward();
    torch::nn::utils::clip_grad_norm_(actor_->parameters(), kMaxNorm);
    actor_adam_.step();
    follow(kTau);
  }

 private:
  std::vector<torch::Tensor> both() {
    std::vector<torch::Tensor> all = critics_[0]->parameters();
    for (const torch::Tensor& p : critics_[1]->parameters()) all.push_back(p);
    return all;
  }

  static torch::Tensor value(torch::nn::Sequential& critic, const torch::Tensor& obs, const torch::Tensor& action) {
    return critic->forward(torch::cat({obs, action}, 1)).squeeze(1);
  }

  Draw sample(const torch::Tensor& obs) {
    const auto parts = actor_->forward(obs).chunk(2, 1);
    const torch::Tensor log_std = parts[1].clamp(-20, 2), noise = torch::randn_like(parts[0]);
    const torch::Tensor u = parts[0] + log_std.exp() * noise;
    const torch::Tensor log_det = 2 * (0.6931471805599453 - u - torch::softplus(-2 * u));
    return {torch::tanh(u), (-0.5 * noise * noise - log_std - kHalfLog2Pi - log_det).sum(1)};
  }

  void follow(double tau) {
    const torch::NoGradGuard guard;
    for (size_t k = 0; k < 2; ++k) {
      const auto from = critics_[k]->parameters();
      auto to = targets_[k]->parameters();
      for (size_t i = 0; i < from.size(); ++i) to[i].mul_(1.0 - tau).add_(from[i], tau);
    }
  }

  torch::nn::Sequential actor_, critics_[2], targets_[2];
  torch::optim::Adam actor_adam_, critic_adam_;
  torch::Tensor obs_, next_obs_, action_, reward_, discount_;
};

}  // namespace

std::unique_ptr<EagerSac> make_eager_sac(int64_t width, int64_t rows) {
  prepare_torch();
  return std::make_unique<Eager>(width, rows);
}

}  // namespace spar::bench
