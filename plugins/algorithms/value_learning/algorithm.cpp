#include "algorithm.hpp"

#include <cmath>

#include "spar/rl/schedule.hpp"
#include "spar/rl/targets.hpp"

namespace value_learning {
namespace {

using spar::StatusError;

int64_t check_action(const char* name, const spar_space& space) {
  if (space.kind == SPAR_SPACE_DISCRETE) return space.n;
  throw StatusError(SPAR_E_INVALID, std::string(name) + " needs a Discrete action space, found " +
                                        spar::space_name(space) +
                                        ": choose an algorithm for continuous actions or a discrete environment");
}

const Options& check_offered(const Options& options) {
  if (options.network == "torchscript" && options.noisy) {
    throw StatusError(SPAR_E_UNSUPPORTED,
                      "noisy = true asks for noisy layers, and those of network = \"torchscript\" are in its file: use "
                      "noisy = false");
  }
  common::check_replay(options);
  return options;
}

void check_budget(const Options& options, const spar::Context& ctx) {
  if ((options.noisy && !options.prioritized) || !std::isnan(ctx.progress())) return;
  const std::string schedules = options.noisy          ? "beta is a schedule"
                                : !options.prioritized ? "epsilon is a schedule"
                                                       : "epsilon and beta are schedules";
  throw StatusError(SPAR_E_INVALID, schedules +
                                        " over the step budget, and the run has none: add { env_steps = N } to "
                                        "stop.any (stop.training.any for learned responses)");
}

spar::NetworkSpec network_spec(const Options& options, const spar::InputSpec& obs, int64_t n_actions, int64_t atoms,
                               uint64_t max_rows) {
  spar::NetworkSpec spec;
  spec.inputs = {obs};
  spec.hidden = options.hidden_layers;
  spec.out = n_actions;
  spec.atoms = atoms;
  spec.dueling = options.dueling;
  spec.noisy = options.noisy ? kSigma0 : 0;
  spec.slots = 1;
  spec.max_rows = max_rows;
  options.place(spec);
  return spec;
}

}  // namespace

Algorithm::Algorithm(const char* name, const spar::Context& ctx, const Options& options, const spar_algo_setup& setup,
                     int64_t atoms)
    : ctx_(ctx),
      options_(check_offered(options)),
      n_actions_(check_action(name, *setup.agent->act)),
      atoms_(atoms),
      online_(ctx_, "q",
              network_spec(options_, spar::observation_input(name, options_, *setup.agent->obs), n_actions_, atoms,
                           std::max<uint64_t>(setup.max_rows, static_cast<uint64_t>(options_.batch_size)))),
      target_(ctx_, "q_target",
              network_spec(options_, spar::observation_input(name, options_, *setup.agent->obs), n_actions_, atoms,
                           static_cast<uint64_t>(options_.batch_size))) {
  target_.blend(online_, 1.0);
  adam_.lr = options_.lr;
  adam_.max_grad_norm = options_.max_grad_norm;
  ones_.assign(static_cast<size_t>(options_.batch_size), 1.0F);
  if (setup.role != SPAR_ROLE_TRAIN) return;
  check_budget(options_, ctx_);
  loss_metric_ = ctx_.metric("loss/q");
  q_metric_ = ctx_.metric("q/mean");
  norm_metric_ = ctx_.metric("grad_norm/q");
  if (!options_.noisy) epsilon_metric_ = ctx_.metric("epsilon", SPAR_METRIC_LAST);
}

void Algorithm::needs(spar_needs& out) const {
  common::need_replay(options_, out);
  out.n_step = static_cast<uint32_t>(options_.n_steps);
  out.gamma = options_.gamma;
  common::need_transforms(options_, out);
}

double Algorithm::epsilon() const {
  if (options_.noisy) return 0;
  return spar::rl::LinearSchedule{options_.epsilon_start, options_.epsilon_end, options_.epsilon_decay}.at(
      ctx_.progress());
}

void Algorithm::forward_to_act(const spar_act& how, const spar_batch& obs, Floats& y) {
  const spar::ColumnView x(obs, "obs");
  if (options_.noisy && how.mode == SPAR_MODE_EXPLORE) {
    online_.resample();
    online_.forward(kForget, tensor(y, obs.rows), x);
  } else {
    online_.forward_quiet(kForget, tensor(y, obs.rows), x);
  }
}

void Algorithm::choose(const spar_act& how, const spar_batch& obs, Floats& q, spar_batch& out) {
  const auto action = spar::column<int64_t>(out, "action");
  const auto mask = spar::optional_column<uint8_t>(obs, "action_mask");
  const auto n = static_cast<size_t>(n_actions_);

  forbid(mask, q.data());
  for (uint64_t i = 0; i < obs.rows; ++i) action(i) = static_cast<int64_t>(spar::rl::argmax(&q[i * n], n));
  if (how.mode != SPAR_MODE_EXPLORE) return;

  const double eps = std::isnan(how.epsilon) ? epsilon() : how.epsilon;
  for (uint64_t i = 0; i < obs.rows; ++i) {
    if (ctx_.uniform() >= eps) continue;
    const size_t allowed = mask.data ? count_allowed(mask, i) : 0;
    action(i) = static_cast<int64_t>(allowed ? allowed_action(mask, i, ctx_.below(allowed)) : ctx_.below(n));
  }
  epsilon_metric_.record(how.step, eps);
}

spar::Sample Algorithm::sample() const { return common::sample_replay(options_, ctx_); }

void Algorithm::resample() const {
  if (!options_.noisy) return;
  online_.resample();
  target_.resample();
}

spar::rl::View<const float> Algorithm::weights_of(const spar_batch& batch) const {
  return {batch.weight ? batch.weight : ones_.data(), batch.rows};
}

double Algorithm::descend() {
  const bool soft = options_.target_update_every == 0;
  const double norm = adam_.step(ctx_, online_, soft ? &target_ : nullptr, options_.tau);
  ++updates_;
  if (!soft && updates_ % static_cast<uint64_t>(options_.target_update_every) == 0) target_.blend(online_, 1.0);
  return norm;
}

void Algorithm::save(spar::StreamWriter& writer) const { writer.put(updates_); }

void Algorithm::load(spar::StreamReader& reader) { updates_ = reader.get<uint64_t>(); }

}  // namespace value_learning
