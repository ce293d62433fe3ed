// A gradient worker: a learning copy of an algorithm (SPAR_ROLE_TRAIN) with networks, generator and state of its own.
// It draws from the memory of its learner, and its updates are those of the learner's networks.
#pragma once

#include <string>

#include "core/nn/network_set.hpp"
#include "core/plugin/context.hpp"
#include "core/replay/buffer.hpp"
#include "core/rollout/sampling.hpp"

namespace spar::rollout {

struct LearnerSetup;

class GradientWorker {
 public:
  /// Number `number` (from 1) of a learner that draws from `buffer` by `transforms`. Its stream is "NAME/worker/NUMBER"
  /// of the learner's name, that of its samples "NAME/worker/NUMBER/replay". Its networks start with the values of
  /// `master`. Throws E0702 if the algorithm refuses.
  GradientWorker(const LearnerSetup& setup, size_t number, replay::Buffer& buffer, const Transforms& transforms,
                 const nn::NetworkSet& master);
  ~GradientWorker();
  GradientWorker(const GradientWorker&) = delete;
  GradientWorker& operator=(const GradientWorker&) = delete;

  /// One call of the algorithm. Throws what it reports, and E0302 if a metric is not finite.
  void learn(uint64_t step);

  train::Metrics& metrics() { return *ctx_.metrics; }
  nn::NetworkSet& networks() { return networks_; }
  Sharing& sharing() { return sharing_; }
  const Sharing& sharing() const { return sharing_; }
  /// Samples are timed from now on.
  void time(Profile* profile) { ctx_.profile = profile; }

  uint64_t saved_bytes() const;
  void save(ByteWriter& writer) const;
  void load(ByteReader& reader);

 private:
  std::vector<std::byte> own_state() const;

  std::string label_;
  const spar_algo_vtbl* table_;
  spar_ctx ctx_;
  nn::NetworkSet networks_;
  replay::Reader reader_;
  Sharing sharing_;
  spar_algo* self_ = nullptr;
};

}  // namespace spar::rollout
