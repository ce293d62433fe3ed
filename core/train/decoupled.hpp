// Training in which actors and gradient workers go each at its own speed: a stretch of it, from one stopping point to
// the next. Between stretches nobody works, and every learner's networks hold all that was learnt.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

#include "core/train/pace.hpp"

namespace spar::train {

class Training;

class Decoupled {
 public:
  /// A stretch ends after so long if not before, so that a run is interrupted, told of and saved in time.
  static constexpr std::chrono::milliseconds kLongest{100};

  /// Of all groups of a training, which outlives it; `permits`: of its threads.
  Decoupled(Training& training, Permits* permits);

  /// Collects while the gradient workers learn as the strategy says: step() takes one step of all copies and answers
  /// how many transitions count, 0 = it is the end. Afterwards the training's counts and metrics are those of all that
  /// happened. Throws the first failure of anybody, when all have come to rest.
  void stretch(const std::function<uint64_t()>& step);
  /// A strategy told a worker to stop.
  bool stopped() const { return stopped_; }

  void save(ByteWriter& writer) const;
  void load(ByteReader& reader);

 private:
  struct Group {
    Group(size_t of, const Pace::Options& options) : index(of), pace(options) {}
    size_t index;  ///< in the plan
    Pace pace;
    std::vector<uint32_t> staleness;  ///< by worker: the metric
    std::vector<uint64_t> most_lag;   ///< by worker
    uint64_t acted_by = 0;            ///< updates that the actors know of
    std::function<void(size_t)> run;
  };

  void collect(const std::function<uint64_t()>& step);
  void refresh(Group& group, bool always);
  void work(Group& group, size_t worker);
  bool learn(Group& group, size_t worker, uint64_t times);
  void publish(Group& group);
  void end();
  void sum_up();

  Training& t_;
  Permits* permits_;
  std::deque<Group> groups_;
  std::function<void()> failed_;
  std::mutex strategy_;
  double mean_return_ = 0;  ///< what strategies are told during a stretch
  std::atomic<bool> stopped_{false};
  uint32_t samples_metric_, staleness_metric_;
};

}  // namespace spar::train
