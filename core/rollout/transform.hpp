// Named transforms of observations and rewards, applied by the host in one place so that every algorithm has them and
// none repeats them: to what act() sees, to what the buffer stores, to what sample() returns.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/rollout/space.hpp"
#include "spar/rl/running_norm.hpp"

namespace spar::rollout {

/// "", "scale(x)", "clip(x)" or "normalise", as spar_needs spells them.
struct TransformSpec {
  enum class Kind { none, scale, clip, normalise };
  Kind kind = Kind::none;
  double amount = 0;

  /// Throws E0707 naming `option`, what was found and what is offered.
  static TransformSpec parse(std::string_view text, std::string_view option);
};

/// Of the f32 leaves of an observation. "normalise": (x - mean) / std of every observation seen while exploring,
/// clipped to
/// +-10; the replay memory keeps raw observations, so a sample is always normalised by the newest statistics.
class ObservationTransform {
 public:
  ObservationTransform() = default;
  ObservationTransform(const TransformSpec& spec, const std::vector<Leaf>& leaves);

  bool active() const { return spec_.kind != TransformSpec::Kind::none; }
  /// Learns from `rows` observations of leaf `leaf`; only "normalise" does.
  void observe(size_t leaf, const float* data, uint64_t rows);
  /// Transforms in place.
  void apply(size_t leaf, float* data, uint64_t rows) const;

  void save(ByteWriter& writer) const;
  void load(ByteReader& reader);

 private:
  TransformSpec spec_;
  std::vector<size_t> widths_;
  std::vector<rl::RunningNorm> norms_;
};

/// Of the rewards of one agent. scale and clip act on each step, before the n-step sum. "normalise" divides sampled
/// returns by the running standard deviation of the discounted return G <- gamma G + r of each lane.
class RewardTransform {
 public:
  RewardTransform() = default;
  RewardTransform(const TransformSpec& spec, double gamma, uint64_t lanes);

  bool active() const { return spec_.kind != TransformSpec::Kind::none; }
  /// The rewards of one step of some lanes, before they are stored: scale or clip in place, or learn. lane: of each
  /// row, ascending; ended: u8 per row.
  void on_step(float* rewards, const uint8_t* ended, const uint64_t* lane, uint64_t rows);
  /// Every lane starts anew.
  void cut();
  /// The n-step sums of a sample, in place.
  void on_sample(float* rewards, uint64_t rows) const;
  /// Returns that were never steps of this learner, in place: scaled, clipped or divided as a whole; nothing is learnt.
  void on_given(float* rewards, uint64_t rows) const;

  void save(ByteWriter& writer) const;
  void load(ByteReader& reader);

 private:
  void scale_or_clip(float* rewards, uint64_t n) const;

  TransformSpec spec_;
  double gamma_ = 1;
  std::vector<double> returns_;  ///< discounted return of each lane
  std::vector<double> seen_;     ///< scratch: those of the rows of a step
  rl::RunningNorm norm_{1};
};

/// The two of one learner; what `spar_ctx::transforms` points to.
struct Transforms {
  ObservationTransform observation;
  RewardTransform reward;
};

}  // namespace spar::rollout
