#include "dqn.hpp"

#include <algorithm>
#include <cmath>

#include "spar/rl/losses.hpp"
#include "spar/rl/schedule.hpp"
#include "spar/rl/targets.hpp"

namespace dqn {
namespace {

using spar::StatusError;
using spar::rl::View;
using Tensor = spar::TensorView<float>;

int64_t check_observation(const spar_space& space) {
  if (space.kind == SPAR_SPACE_BOX && space.code == SPAR_DTYPE_FLOAT && space.bits == 32)
    return spar::space_width(space);
  throw StatusError(SPAR_E_INVALID, "DQN with an mlp needs observations that are a Box of float32, found " +
                                        spar::space_name(space) + " of " + spar::dtype_name(space.code, space.bits));
}

int64_t check_action(const spar_space& space) {
  if (space.kind == SPAR_SPACE_DISCRETE) return space.n;
  throw StatusError(SPAR_E_INVALID, "DQN needs a Discrete action space, found " + spar::space_name(space) +
                                        ": choose an algorithm for continuous actions or a discrete environment");
}

const Options& check_offered(const Options& options) {
  const auto refuse = [](const std::string& what, const std::string& remedy) {
    throw StatusError(SPAR_E_UNSUPPORTED, what + " is not offered yet: " + remedy);
  };
  if (options.noisy) refuse("noisy = true", "use the epsilon schedule (noisy = false)");
  if (options.network != "mlp") refuse("network = \"" + options.network + "\"", "use network = \"mlp\"");
  if (options.device == "cuda") refuse("device = \"cuda\"", "use device = \"auto\" or \"cpu\"");
  if (options.buffer_size < options.batch_size) {
    throw StatusError(SPAR_E_INVALID, "buffer_size is " + std::to_string(options.buffer_size) +
                                          ", expected at least batch_size, which is " +
                                          std::to_string(options.batch_size));
  }
  return options;
}

spar::NetworkSpec network_spec(const Options& options, int64_t n_obs, int64_t n_actions, uint64_t max_rows) {
  spar::NetworkSpec spec;
  spec.inputs = {n_obs};
  spec.hidden = options.hidden_layers;
  spec.out = n_actions;
  spec.dueling = options.dueling;
  spec.slots = 1;
  spec.max_rows = max_rows;
  return spec;
}

/// Calls use(l) with the loss of one temporal difference that the options choose.
template <class Use>
double by_loss(const Options& options, Use&& use) {
  return options.loss == "huber" ? use(spar::rl::HuberError{}) : use(spar::rl::SquaredError{});
}

constexpr uint32_t kForget = 0, kKeep = 1;  // activation slots

}  // namespace

Dqn::Dqn(const spar::Context& ctx, const Options& options, const spar_algo_setup& setup)
    : ctx_(ctx),
      options_(check_offered(options)),
      n_obs_(check_observation(*setup.agent->obs)),
      n_actions_(check_action(*setup.agent->act)),
      online_(ctx_, "q",
              network_spec(options_, n_obs_, n_actions_,
                           std::max<uint64_t>(setup.max_rows, static_cast<uint64_t>(options_.batch_size)))),
      target_(ctx_, "q_target",
              network_spec(options_, n_obs_, n_actions_, static_cast<uint64_t>(options_.batch_size))) {
  target_.blend(online_, 1.0);
  adam_.lr = options_.lr;
  adam_.max_grad_norm = options_.max_grad_norm;

  const auto n = static_cast<size_t>(n_actions_), batch = static_cast<size_t>(options_.batch_size);
  q_act_.resize(setup.max_rows * n);
  for (auto* q : {&q_, &q_next_, &q_target_next_, &dq_}) q->resize(batch * n);
  for (auto* v : {&taken_, &target_value_, &slope_, &error_}) v->resize(batch);
  ones_.assign(batch, 1.0F);

  if (setup.role == SPAR_ROLE_TRAIN) {
    if (std::isnan(ctx_.progress())) {
      throw StatusError(SPAR_E_INVALID,
                        "epsilon and beta are schedules over the step budget, and the run has none: add "
                        "{ env_steps = N } to stop.any");
    }
    loss_metric_ = ctx_.metric("loss/q");
    q_metric_ = ctx_.metric("q/mean");
    norm_metric_ = ctx_.metric("grad_norm/q");
    epsilon_metric_ = ctx_.metric("epsilon", SPAR_METRIC_LAST);
  }
}

void Dqn::needs(spar_needs& out) const {
  out.buffer_kind = options_.prioritized ? SPAR_BUF_PRIORITIZED : SPAR_BUF_REPLAY;
  out.capacity = static_cast<uint64_t>(options_.buffer_size);
  out.warmup = static_cast<uint64_t>(options_.warm_up);
  out.rows_per_learn = static_cast<uint64_t>(options_.batch_size);
  out.learn_every = static_cast<uint64_t>(options_.update_freq);
  out.updates = static_cast<uint32_t>(options_.number_updates);
  out.n_step = static_cast<uint32_t>(options_.n_steps);
  out.gamma = options_.gamma;
  out.priority_alpha = options_.alpha;
  out.priority_eps = options_.priority_eps;
  out.state_transform = options_.state_transform.c_str();
  out.reward_transform = options_.reward_transform.c_str();
}

double Dqn::epsilon() const {
  return spar::rl::LinearSchedule{options_.epsilon_start, options_.epsilon_end, options_.epsilon_decay}.at(
      ctx_.progress());
}

double Dqn::beta() const { return spar::rl::LinearSchedule{options_.beta, 1.0, 1.0}.at(ctx_.progress()); }

void Dqn::act(const spar_act& how, const spar_batch& obs, spar_batch& out) {
  const auto x = spar::column<float>(obs, "obs");
  const auto action = spar::column<int64_t>(out, "action");
  const auto rows = static_cast<int64_t>(obs.rows);
  const auto n = static_cast<size_t>(n_actions_);

  online_.forward(kForget, Tensor(q_act_.data(), rows, n_actions_), Tensor(x));
  for (uint64_t i = 0; i < obs.rows; ++i) action(i) = static_cast<int64_t>(spar::rl::argmax(&q_act_[i * n], n));
  if (how.mode != SPAR_MODE_EXPLORE) return;

  const double eps = std::isnan(how.epsilon) ? epsilon() : how.epsilon;
  for (uint64_t i = 0; i < obs.rows; ++i) {
    if (ctx_.uniform() < eps) action(i) = static_cast<int64_t>(ctx_.below(n));
  }
  epsilon_metric_.record(how.step, eps);
}

void Dqn::value(const spar_batch& batch) {
  const uint64_t rows = batch.rows;
  const auto n = static_cast<size_t>(n_actions_);
  const auto obs = spar::column<float>(batch, "obs"), next_obs = spar::column<float>(batch, "next_obs");
  const auto action = spar::column<int64_t>(batch, "action");
  const View<const float> reward(spar::column<float>(batch, "reward").data, rows),
      discount(spar::column<float>(batch, "discount").data, rows);
  const auto tensor = [&](std::vector<float>& v) { return Tensor(v.data(), static_cast<int64_t>(rows), n_actions_); };
  const auto all = [&](std::vector<float>& v) { return View<float>(v.data(), rows * n); };
  const View<float> target(target_value_.data(), rows);

  // y = R + gamma^k (1 - terminated) Q'(s', argmax_a Q(s', a)); without double Q-learning the target network chooses
  // too.
  target_.forward(kForget, tensor(q_target_next_), Tensor(next_obs));
  if (options_.using_double_q) {
    online_.forward(kForget, tensor(q_next_), Tensor(next_obs));
    spar::rl::double_dqn_targets(reward, discount, all(q_next_), all(q_target_next_), target);
  } else {
    spar::rl::dqn_targets(reward, discount, all(q_target_next_), target);
  }

  online_.forward(kKeep, tensor(q_), Tensor(obs));
  for (uint64_t i = 0; i < rows; ++i) taken_[i] = q_[i * n + static_cast<size_t>(action(i))];
}

View<const float> Dqn::weights_of(const spar_batch& batch) const {
  return {batch.weight ? batch.weight : ones_.data(), batch.rows};
}

void Dqn::learn(uint64_t step) {
  const spar::Sample batch = ctx_.sample(static_cast<uint64_t>(options_.batch_size), beta());
  const uint64_t rows = batch.rows();
  const auto n = static_cast<size_t>(n_actions_);
  const auto action = batch.column<int64_t>("action");
  const auto per_row = [&](std::vector<float>& v) { return View<float>(v.data(), rows); };

  // L = 1/B sum_i w_i l(Q(s_i, a_i) - y_i), by each action taken only
  value(batch.batch());
  const double loss = by_loss(options_, [&](const auto& l) {
    spar::rl::mean_loss_gradient(l, per_row(taken_), per_row(target_value_), weights_of(batch.batch()),
                                 per_row(slope_));
    return spar::rl::mean_loss(l, per_row(taken_), per_row(target_value_), weights_of(batch.batch()));
  });
  std::fill(dq_.begin(), dq_.end(), 0.0F);
  for (uint64_t i = 0; i < rows; ++i) dq_[i * n + static_cast<size_t>(action(i))] = slope_[i];
  online_.backward(kKeep, Tensor(dq_.data(), static_cast<int64_t>(rows), n_actions_));

  loss_metric_.record(step, loss);  // before the step, which refuses a gradient that is not finite

  // Adam on the clipped gradient, then the target: softly with every update, or a hard copy now and then.
  const bool soft = options_.target_update_every == 0;
  const double norm = adam_.step(ctx_, online_, soft ? &target_ : nullptr, options_.tau);
  ++updates_;
  if (!soft && updates_ % static_cast<uint64_t>(options_.target_update_every) == 0) target_.blend(online_, 1.0);

  // p_i = |Q(s_i, a_i) - y_i|
  for (uint64_t i = 0; i < rows; ++i) error_[i] = std::abs(taken_[i] - target_value_[i]);
  if (options_.prioritized) batch.set_priorities(error_.data());

  double q_sum = 0;
  for (uint64_t i = 0; i < rows; ++i) q_sum += taken_[i];
  q_metric_.record(step, q_sum / static_cast<double>(rows));
  norm_metric_.record(step, norm);
}

double Dqn::value_loss(const spar_batch& batch) {
  spar::require_rows(batch, static_cast<uint64_t>(options_.batch_size));
  value(batch);
  return by_loss(options_, [&](const auto& l) {
    return spar::rl::mean_loss(l, View<float>(taken_.data(), batch.rows), View<float>(target_value_.data(), batch.rows),
                               weights_of(batch));
  });
}

void Dqn::save(spar::StreamWriter& writer) const { writer.put(updates_); }

void Dqn::load(spar::StreamReader& reader) { updates_ = reader.get<uint64_t>(); }

}  // namespace dqn
