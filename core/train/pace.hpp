// Who of a group's actors and gradient workers may go on, where each has its own speed: the rate limiter, how far a
// worker may be ahead of the slowest, and the end of a stretch.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/base/permits.hpp"
#include "core/replay/limiter.hpp"

namespace spar::train {

/// All calls from any thread. Nobody waits longer than the stretch lasts, and whoever waits lends its permit.
class Pace {
 public:
  using Clock = std::chrono::steady_clock;

  struct Options {
    size_t workers = 1;
    replay::Limiter::Options limiter;
    std::optional<uint64_t>
        most_ahead;  ///< updates that a worker may be ahead of the slowest; none: as many as it likes
    Permits* permits = nullptr;
  };

  explicit Pace(const Options& options);

  void begin(uint64_t env_steps);  ///< a stretch
  void end();                      ///< of the stretch; all who wait go on
  bool ended() const;

  /// Waits until the actors may take a step; false: it is the end of the stretch, or `until` came first. They may also
  /// go on where every worker waits for data.
  bool may_collect(Clock::time_point until);
  /// `rows` transitions were collected, `env_steps` in all. The limiter counts from the first time that they are
  /// `enough` to learn from.
  void collected(uint64_t rows, uint64_t env_steps, bool enough);

  /// Waits until the worker may make another learn(), which is counted; false: it is the end of the stretch.
  bool may_learn(size_t worker);
  void learnt(size_t worker);
  /// Waits until there were `env_steps` transitions; false: it is the end of the stretch.
  bool wait_for_data(uint64_t env_steps);

  uint64_t env_steps() const;
  uint64_t learn_steps(size_t worker) const;
  uint64_t slowest() const;  ///< fewest learn_steps of a worker
  uint64_t updates() const;  ///< of all workers
  /// Transitions since the limiter counts.
  uint64_t counted() const;

  void save(ByteWriter& writer) const;
  void load(ByteReader& reader);

 private:
  /// Until `condition`, the stretch's end or `until`; answers the condition.
  template <class Condition>
  bool wait(std::unique_lock<std::mutex>& lock, Condition&& condition,
            Clock::time_point until = Clock::time_point::max());
  void changed();
  uint64_t fewest() const;

  Options options_;
  replay::Limiter limiter_;
  mutable std::mutex mutex_;
  std::condition_variable change_;
  size_t waiting_ = 0;  ///< threads
  size_t hungry_ = 0;   ///< workers that wait for data
  bool ended_ = true, open_ = false;
  uint64_t env_steps_ = 0;
  std::vector<uint64_t> learn_steps_;  ///< by worker
};

}  // namespace spar::train
