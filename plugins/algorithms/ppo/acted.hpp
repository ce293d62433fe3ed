// What the policy's network gave when the rollout was collected. A row's output does not depend on the batch it was in,
// so that it need not be computed again before the first step of a phase.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "observations.hpp"

namespace ppo {

class ActedOutputs {
 public:
  /// Room for the rows of one phase, in which `lanes` copies take turns. `width`: numbers of one output. wanted false,
  /// or observations so large that the rollout would need much more memory: remembers nothing.
  ActedOutputs(const spar::InputSpec& obs, uint64_t lanes, uint64_t rows, size_t width, bool wanted)
      : lanes_(lanes), width_(width) {
    uint64_t numbers = 1;
    for (const int64_t extent : obs.shape) numbers *= static_cast<uint64_t>(extent);
    if (!wanted || lanes == 0 || numbers > kMostNumbers) return;
    outputs_.resize(rows * width);
    obs_.emplace(obs, rows);
    room_ = rows;
  }

  /// One step of all copies; outputs: of the network, [rows, width].
  void note(const Observations& obs, uint64_t rows, const float* outputs) {
    if (room_ == 0) return;
    regular_ = regular_ && rows == lanes_ && count_ + rows <= room_;
    if (!regular_) return;
    std::copy_n(outputs, rows * width_, &outputs_[count_ * width_]);
    for (uint64_t i = 0; i < rows; ++i) obs_->put(count_ + i, obs, i);
    count_ += rows;
  }

  /// Rows begin .. begin + n of a rollout of `rows`, copy after copy: their outputs, if these very observations were
  /// acted on. false: `outputs` holds nothing of use.
  bool take(const Observations& rollout, uint64_t rows, uint64_t begin, uint64_t n, float* outputs) const {
    if (!regular_ || count_ != rows || rows == 0) return false;
    const uint64_t steps = rows / lanes_;
    uint64_t lane = begin / steps, step = begin % steps;
    for (uint64_t i = begin; i < begin + n; ++i) {
      const uint64_t noted = step * lanes_ + lane;
      if (!obs_->holds(noted, rollout, i)) return false;
      for (const float *from = &outputs_[noted * width_], *end = from + width_; from < end;) *outputs++ = *from++;
      if (++step == steps) {
        step = 0;
        ++lane;
      }
    }
    return true;
  }

  /// The policy changes, or a new phase begins.
  void forget() {
    count_ = 0;
    regular_ = true;
  }

 private:
  static constexpr uint64_t kMostNumbers = 64;

  uint64_t lanes_, room_ = 0, count_ = 0;
  size_t width_;
  bool regular_ = true;  ///< all copies have acted in every step
  std::vector<float> outputs_;
  std::optional<GatheredObservations> obs_;
};

}  // namespace ppo
