#include "appraisal.hpp"

#include <algorithm>
#include <numeric>

#include "spar/rl/advantages.hpp"

namespace ppo {

using spar::rl::View;

Appraisal::Appraisal(const Options& options, ActorCritic& nets, Policy& policy, const spar::InputSpec& obs,
                     const spar::InputSpec* seen, uint64_t chunk, uint64_t rows)
    : options_(options),
      central_(seen != nullptr),
      input_(obs),
      seen_(seen ? *seen : obs),
      nets_(nets),
      policy_(policy),
      chunk_(chunk),
      outputs_(chunk * static_cast<uint64_t>(policy.outputs())),
      end_value_(chunk),
      end_seen_(seen_, chunk),
      end_(chunk) {
  for (auto* v : {&value, &advantage, &target, &log_prob, &next_value_}) v->reserve(rows);
  rows_.reserve(rows);
  of_row.reserve(rows);
}

void Appraisal::take(const spar_batch& rollout, const ActedOutputs* acted) {
  const uint64_t rows = rollout.rows;
  for (auto* v : {&value, &advantage, &target, &log_prob, &next_value_}) v->resize(rows);
  rows_.resize(rows);
  std::iota(rows_.begin(), rows_.end(), uint64_t{0});

  const Observations obs(rollout, "obs", input_), seen(rollout, central_ ? "state" : "obs", seen_);
  entropy = 0;
  for (uint64_t begin = 0; begin < rows; begin += chunk_) {
    const uint64_t n = std::min(chunk_, rows - begin);
    const bool known = acted && acted->take(obs, rows, begin, n, outputs_.data());
    nets_.forward(kForget, obs.view(begin, n), known ? nullptr : outputs_.data(), central_ ? nullptr : &value[begin]);
    if (central_) nets_.forward(kForget, seen.view(begin, n), nullptr, &value[begin]);
    policy_.take(rollout, &rows_[begin], n);
    entropy += policy_.log_prob(outputs_.data(), &log_prob[begin]) * static_cast<double>(n) / static_cast<double>(rows);
  }
  bootstrap(rollout);

  // A_t = delta_t + gamma lambda (1 - last_t) A_{t+1}, R_t = A_t + V(s_t): not of the normalised advantages
  const auto all = [rows](const auto* data) { return View(data, rows); };
  spar::rl::gae(all(spar::column<float>(rollout, "reward").data),
                all(spar::column<uint8_t>(rollout, "terminated").data),
                all(spar::column<uint8_t>(rollout, "last").data), value, next_value_, options_.gamma,
                options_.using_gae ? options_.gae_lambda : 1.0, advantage);
  of_row.resize(rows);
  for (uint64_t i = 0; i < rows; ++i) {
    target[i] = advantage[i] + value[i];
    of_row[i] = {value[i], advantage[i], target[i], log_prob[i]};
  }
}

/// V(s') is the next row's V, but where a segment ends: there it is V of the true next observation (or state), and of
/// no use after a termination.
void Appraisal::bootstrap(const spar_batch& rollout) {
  const Observations next_seen(rollout, central_ ? "next_state" : "next_obs", seen_);
  const auto terminated = spar::column<uint8_t>(rollout, "terminated"), last = spar::column<uint8_t>(rollout, "last");
  uint64_t waiting = 0;  // ends whose V is still to be computed
  const auto value_ends = [&] {
    if (waiting == 0) return;
    nets_.forward(kForget, end_seen_.view(waiting), nullptr, end_value_.data());
    for (uint64_t i = 0; i < waiting; ++i) next_value_[end_[i]] = end_value_[i];
    waiting = 0;
  };
  for (uint64_t t = 0; t < rollout.rows; ++t) {
    if (!last(t)) {
      next_value_[t] = value[t + 1];
    } else if (terminated(t)) {
      next_value_[t] = 0;
    } else {
      end_seen_.put(waiting, next_seen, t);
      end_[waiting++] = t;
      if (waiting == chunk_) value_ends();
    }
  }
  value_ends();
}

}  // namespace ppo
