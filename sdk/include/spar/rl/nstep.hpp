// n-step returns of one environment copy (Sutton 1988; in the form of Hessel et al., "Rainbow", 2018).
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

namespace spar::rl {

/// What a closed window says about the transition that opened it, so that its target is y = reward + discount * V(s')
/// with s' the observation after the window's last step.
struct NStepReturn {
  uint64_t start = 0;       ///< number of the step that opened it, counted from 0 since construction or clear()
  double reward = 0;        ///< R = sum_i gamma^i r_i, i = 0 .. length-1
  uint32_t length = 0;      ///< k, 1 .. n
  double discount = 0;      ///< gamma^k, or 0 if the episode terminated
  bool terminated = false;  ///< the window's last step terminated the episode
};

/// The open windows of one environment copy. Every step opens one window and each window closes exactly once: after n
/// steps, or with the episode (all that are open then, oldest first). No window crosses the end of an episode.
class NStepWindow {
 public:
  /// Throws std::invalid_argument unless n >= 1 and 0 <= gamma <= 1.
  NStepWindow(uint32_t n, double gamma) : rewards_(n), powers_(size_t{n} + 1, 1.0), gamma_(gamma) {
    if (n < 1) throw std::invalid_argument("an n-step window needs n >= 1, found 0");
    if (!(gamma >= 0 && gamma <= 1)) throw std::invalid_argument("the discount gamma must lie in [0, 1]");
    for (size_t k = 1; k < powers_.size(); ++k) powers_[k] = powers_[k - 1] * gamma;
  }

  /// One step of the environment. Calls emit(const NStepReturn&) for each window that this step closes. A step that is
  /// terminated and truncated at once counts as terminated.
  template <class Emit>
  void push(double reward, bool terminated, bool truncated, Emit&& emit) {
    rewards_[static_cast<size_t>(next_ % rewards_.size())] = reward;
    ++next_;
    ++open_;
    if (terminated || truncated)
      close_all(terminated, emit);
    else if (open_ == rewards_.size())
      close_oldest(false, emit);
  }

  /// Closes all open windows as a truncation after the last step would: for data that ends without an episode's end.
  template <class Emit>
  void cut(Emit&& emit) {
    close_all(false, emit);
  }

  /// Forgets the open windows and counts steps from 0 again.
  void clear() { next_ = open_ = 0; }

  uint32_t n() const { return static_cast<uint32_t>(rewards_.size()); }
  double gamma() const { return gamma_; }
  uint64_t open() const { return open_; }  ///< windows not yet closed, 0 .. n-1 between two steps
  uint64_t next() const { return next_; }  ///< number of the next step

  /// State for checkpoints: rewards of the open windows, oldest first.
  std::vector<double> open_rewards() const {
    std::vector<double> rewards;
    for (uint64_t step = next_ - open_; step < next_; ++step) rewards.push_back(reward_at(step));
    return rewards;
  }
  /// Inverse of open_rewards() and next(). Throws std::invalid_argument if the rewards are more than can be open.
  void restore(uint64_t next, const std::vector<double>& rewards) {
    if (rewards.size() >= rewards_.size() || rewards.size() > next)
      throw std::invalid_argument("an n-step window cannot have that many open steps");
    next_ = next;
    open_ = rewards.size();
    for (size_t i = 0; i < rewards.size(); ++i)
      rewards_[static_cast<size_t>((next_ - open_ + i) % rewards_.size())] = rewards[i];
  }

 private:
  double reward_at(uint64_t step) const { return rewards_[static_cast<size_t>(step % rewards_.size())]; }

  template <class Emit>
  void close_oldest(bool terminated, Emit& emit) {
    NStepReturn closed;
    closed.start = next_ - open_;
    closed.length = static_cast<uint32_t>(open_);
    closed.terminated = terminated;
    closed.discount = terminated ? 0.0 : powers_[static_cast<size_t>(open_)];
    for (uint64_t step = next_; step > closed.start; --step)
      closed.reward = reward_at(step - 1) + gamma_ * closed.reward;
    --open_;
    emit(std::as_const(closed));
  }
  template <class Emit>
  void close_all(bool terminated, Emit& emit) {
    while (open_ > 0) close_oldest(terminated, emit);
  }

  std::vector<double> rewards_;  ///< ring: step % n
  std::vector<double> powers_;   ///< gamma^0 .. gamma^n
  double gamma_;
  uint64_t next_ = 0;
  uint64_t open_ = 0;
};

}  // namespace spar::rl
