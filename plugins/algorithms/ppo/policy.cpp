#include "policy.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "actor_critic.hpp"
#include "spar/rl/categorical_policy.hpp"
#include "spar/rl/gaussian.hpp"
#include "spar/rl/targets.hpp"

namespace ppo {
namespace {

using spar::rl::View;

class Categorical final : public Policy {
 public:
  Categorical(const spar::Context& ctx, int64_t n, uint64_t batch)
      : ctx_(ctx),
        n_(static_cast<size_t>(n)),
        actions_(batch),
        log_p_(batch * n_),
        masks_(batch * n_),
        entropy_(batch) {}

  int64_t outputs() const override { return static_cast<int64_t>(n_); }

  void choose(const spar_batch& obs, bool greedy, float* outputs, spar_batch& out) override {
    const auto mask = spar::optional_column<uint8_t>(obs, "action_mask");
    const auto action = spar::column<int64_t>(out, "action");
    const View<float> log_p(outputs, obs.rows * n_);
    if (mask.data) spar::rl::mask_logits(View<const uint8_t>(mask.data, log_p.size()), n_, log_p);
    if (!greedy) spar::rl::log_softmax(log_p, n_, log_p);
    for (uint64_t i = 0; i < obs.rows; ++i) {
      const float* row = outputs + i * n_;
      action(i) = static_cast<int64_t>(greedy ? spar::rl::argmax(row, n_)
                                              : spar::rl::categorical_sample(row, n_, ctx_.uniform()));
    }
  }

  void take(const spar_batch& rollout, const uint64_t* rows, size_t n) override {
    rows_ = n;
    const auto action = spar::column<int64_t>(rollout, "action");
    const auto mask = spar::optional_column<uint8_t>(rollout, "action_mask");
    masked_ = mask.data != nullptr;
    for (size_t i = 0; i < n; ++i) {
      actions_[i] = action(rows[i]);
      if (masked_) std::copy_n(mask.row(rows[i]), n_, &masks_[i * n_]);
    }
  }

  double log_prob(float* outputs, float* log_prob) override {
    const View<float> logits(outputs, rows_ * n_), log_p(log_p_.data(), rows_ * n_), entropy(entropy_.data(), rows_);
    if (masked_) spar::rl::mask_logits(View<const uint8_t>(masks_.data(), logits.size()), n_, logits);
    spar::rl::log_softmax(logits, n_, log_p);
    spar::rl::categorical_log_prob(log_p, taken(), View<float>(log_prob, rows_));
    spar::rl::categorical_entropy(log_p, entropy);
    double sum = 0;
    for (size_t i = 0; i < rows_; ++i) sum += static_cast<double>(entropy[i]);
    return sum / static_cast<double>(rows_);
  }

  void gradient(const float* dlog_prob, double dentropy, float* doutputs) override {
    spar::rl::categorical_gradient(View<const float>(log_p_.data(), rows_ * n_), taken(),
                                   View<const float>(dlog_prob, rows_), dentropy, View<float>(doutputs, rows_ * n_));
  }

 private:
  View<const int64_t> taken() const { return {actions_.data(), rows_}; }

  spar::Context ctx_;
  size_t n_, rows_ = 0;
  bool masked_ = false;
  std::vector<int64_t> actions_;
  std::vector<float> log_p_;
  std::vector<uint8_t> masks_;
  std::vector<float> entropy_;
};

class Gaussian final : public Policy {
 public:
  Gaussian(const spar::Context& ctx, const Options& options, int64_t n, uint64_t batch)
      : ctx_(ctx),
        n_(static_cast<size_t>(n)),
        network_(ctx, "log_std", free_vector(options, n)),
        log_std_(n_),
        std_(n_),
        dlog_std_(n_),
        actions_(batch * n_),
        means_(batch * n_) {}

  int64_t outputs() const override { return static_cast<int64_t>(n_); }
  const spar::Network* beside() const override { return &network_; }

  void choose(const spar_batch& obs, bool greedy, float* outputs, spar_batch& out) override {
    const auto action = spar::column<float>(out, "action");
    std::copy_n(outputs, obs.rows * n_, action.data);
    if (greedy) return;
    read_log_std(kForget);
    for (size_t i = 0; i < n_; ++i) std_[i] = std::exp(log_std_[i]);
    double normals[64];
    const size_t numbers = obs.rows * n_;
    size_t j = 0;
    for (size_t begin = 0; begin < numbers; begin += std::size(normals)) {
      const size_t count = std::min(std::size(normals), numbers - begin);
      ctx_.normals(normals, count);
      for (size_t k = 0; k < count; ++k) {  // a = mu + sigma epsilon
        action.data[begin + k] += std_[j] * static_cast<float>(normals[k]);
        if (++j == n_) j = 0;
      }
    }
  }

  void take(const spar_batch& rollout, const uint64_t* rows, size_t n) override {
    rows_ = n;
    const auto action = spar::column<float>(rollout, "action");
    float* to = actions_.data();
    for (size_t i = 0; i < n; ++i)
      for (const float *from = action.row(rows[i]), *end = from + n_; from < end;) *to++ = *from++;
  }

  double log_prob(float* outputs, float* log_prob) override {
    read_log_std(kKeep);
    std::copy_n(outputs, rows_ * n_, means_.data());
    spar::rl::gaussian_log_prob(means(), log_std_, taken(), View<float>(log_prob, rows_));
    return spar::rl::gaussian_entropy(log_std_.data(), n_);
  }

  void gradient(const float* dlog_prob, double dentropy, float* doutputs) override {
    spar::rl::gaussian_gradient(means(), log_std_, taken(), View<const float>(dlog_prob, rows_), dentropy,
                                View<float>(doutputs, rows_ * n_), dlog_std_);
    network_.backward(kKeep, spar::TensorView<float>(dlog_std_.data(), 1, static_cast<int64_t>(n_)));
  }

 private:
  static spar::NetworkSpec free_vector(const Options& options, int64_t n) {
    spar::NetworkSpec spec;
    spec.out = n;
    spec.value.assign(static_cast<size_t>(n), options.initial_log_std);
    spec.slots = 1;
    options.place(spec);
    return spec;
  }
  void read_log_std(uint32_t slot) {
    network_.forward(slot, spar::TensorView<float>(log_std_.data(), 1, static_cast<int64_t>(n_)));
  }
  View<const float> means() const { return {means_.data(), rows_ * n_}; }
  View<const float> taken() const { return {actions_.data(), rows_ * n_}; }

  spar::Context ctx_;
  size_t n_, rows_ = 0;
  spar::Network network_;
  std::vector<float> log_std_, std_, dlog_std_;
  std::vector<float> actions_, means_;  ///< [batch, n]
};

}  // namespace

std::unique_ptr<Policy> make_policy(const spar::Context& ctx, const Options& options, const spar_space& space,
                                    uint64_t batch) {
  if (space.kind == SPAR_SPACE_DISCRETE) return std::make_unique<Categorical>(ctx, space.n, batch);
  if (space.kind == SPAR_SPACE_BOX) return std::make_unique<Gaussian>(ctx, options, spar::space_width(space), batch);
  throw spar::StatusError(SPAR_E_INVALID, "PPO needs Discrete or Box actions, found " + spar::space_name(space) +
                                              ": choose another environment");
}

}  // namespace ppo
