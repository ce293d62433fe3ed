#include "torch_hosted.hpp"

#include <torch/autograd.h>
#include <torch/types.h>
#include <torch/utils.h>

#include "core/nn/network_set.hpp"
#include "core/plugin/context.hpp"
#include "spar/torch_network.hpp"
#include "torch_batch.hpp"
#include "torch_setup.hpp"

namespace spar::bench {
namespace {

using torch::Tensor;

/// What the host gives to a component.
struct Host {
  nn::NetworkSet networks;
  spar_ctx inside;
  Context ctx;

  explicit Host(Plugins& plugins) : ctx(plugins.table().host(), &inside) {
    inside.name = "algorithm/third_party";
    inside.root_seed = 1;
    inside.networks = &networks;
    prepare_torch();
  }
};

NetworkSpec mlp_of(std::vector<InputSpec> inputs, int64_t width, int64_t out, uint32_t members, uint32_t slots,
                   int64_t rows) {
  NetworkSpec spec;
  spec.inputs = std::move(inputs);
  spec.hidden = {width, width};
  spec.out = out;
  spec.ensemble = members;
  spec.slots = slots;
  spec.max_rows = static_cast<uint64_t>(rows);
  return spec;
}

class Dqn : public EagerDqn {
 public:
  Dqn(Plugins& plugins, int64_t width, const DqnBatch& batch, const std::vector<float>& values)
      : host_(plugins),
        spec_(mlp_of({kObs}, width, kActions, 1, 1, static_cast<int64_t>(batch.reward.size()))),
        online_(host_.ctx, "q", spec_),
        target_(host_.ctx, "q_target", spec_),
        q_(online_, spec_),
        frozen_(target_, spec_),
        batch_(batch) {
    for (const char* name : {"q", "q_target"})
      host_.networks.find(name)->write(SPAR_NET_VALUES, values.data(), values.size() * sizeof(float));
    adam_.lr = kLearningRate;
    adam_.max_grad_norm = kMaxNorm;
  }

  void update() override {
    Tensor y;
    {
      const torch::NoGradGuard guard;
      const Tensor best = q_.forward(0, {batch_.next_obs}).argmax(1, true);
      y = batch_.reward + batch_.discount * frozen_.forward(0, {batch_.next_obs}).gather(1, best).squeeze(1);
    }
    const Tensor q = q_.forward(1, {batch_.obs}).gather(1, batch_.action).squeeze(1);
    torch::smooth_l1_loss(q, y).backward();
    adam_.step(host_.ctx, online_, &target_, kTau);
  }

  std::vector<float> values(bool target) override {
    const nn::Network& net = *host_.networks.find(target ? "q_target" : "q");
    std::vector<float> out(net.bytes(SPAR_NET_VALUES) / sizeof(float));
    net.read(SPAR_NET_VALUES, out.data(), out.size() * sizeof(float));
    return out;
  }

 private:
  Host host_;
  NetworkSpec spec_;
  Network online_, target_;
  TorchNetwork q_, frozen_;
  Adam adam_;
  TorchBatch batch_;
};

constexpr double kAlpha = 0.2, kSacLearningRate = 3e-4, kHalfLog2Pi = 0.9189385332046727;
constexpr int64_t kSacObs = 3, kSacActions = 1;

class Sac : public EagerSac {
 public:
  Sac(Plugins& plugins, int64_t width, int64_t rows)
      : host_(plugins),
        actor_spec_(mlp_of({kSacObs}, width, 2 * kSacActions, 1, 1, rows)),
        critic_spec_(mlp_of({kSacObs, kSacActions}, width, 1, 2, 1, rows)),
        actor_net_(host_.ctx, "actor", actor_spec_),
        critic_net_(host_.ctx, "critic", critic_spec_),
        target_net_(host_.ctx, "critic_target", critic_spec_),
        actor_(actor_net_, actor_spec_),
        critics_(critic_net_, critic_spec_),
        targets_(target_net_, critic_spec_),
        obs_(torch::randn({rows, kSacObs})),
        next_obs_(torch::randn({rows, kSacObs})),
        action_(torch::rand({rows, kSacActions}) * 2 - 1),
        reward_(torch::randn({rows})),
        discount_(torch::full({rows}, 0.99)) {
    target_net_.blend(critic_net_, 1.0);
    adam_.lr = kSacLearningRate;
    adam_.max_grad_norm = kMaxNorm;
  }

  void update() override {
    Tensor y;
    {
      const torch::NoGradGuard guard;
      const Draw next = sample(0, next_obs_);
      const Tensor q = targets_.forward(0, {next_obs_, next.action}).squeeze(2).amin(0);
      y = reward_ + discount_ * (q - kAlpha * next.log_prob);
    }
    const Tensor q = critics_.forward(1, {obs_, action_}).squeeze(2);
    (torch::mse_loss(q, y.expand_as(q)) * 2).backward();
    adam_.step(host_.ctx, critic_net_, &target_net_, kTau);

    const Draw now = sample(1, obs_);
    const Tensor worth = critics_.through(1, {obs_, now.action}).squeeze(2).amin(0);
    (kAlpha * now.log_prob - worth).mean().backward();
    adam_.step(host_.ctx, actor_net_);
  }

 private:
  struct Draw {
    Tensor action, log_prob;
  };

  Draw sample(uint32_t slot, const Tensor& obs) {
    const auto parts = actor_.forward(slot, {obs}).chunk(2, 1);
    const Tensor log_std = parts[1].clamp(-20, 2), noise = torch::randn_like(parts[0]);
    const Tensor u = parts[0] + log_std.exp() * noise;
    const Tensor log_det = 2 * (0.6931471805599453 - u - torch::softplus(-2 * u));
    return {torch::tanh(u), (-0.5 * noise * noise - log_std - kHalfLog2Pi - log_det).sum(1)};
  }

  Host host_;
  NetworkSpec actor_spec_, critic_spec_;
  Network actor_net_, critic_net_, target_net_;
  TorchNetwork actor_, critics_, targets_;
  Adam adam_;
  Tensor obs_, next_obs_, action_, reward_, discount_;
};

}  // namespace

std::unique_ptr<EagerDqn> make_hosted_dqn(Plugins& plugins, int64_t width, const DqnBatch& batch,
                                          const std::vector<float>& values) {
  return std::make_unique<Dqn>(plugins, width, batch, values);
}

std::unique_ptr<EagerSac> make_hosted_sac(Plugins& plugins, int64_t width, int64_t rows) {
  return std::make_unique<Sac>(plugins, width, rows);
}

}  // namespace spar::bench
