#include "core/train/pace.hpp"

#include <algorithm>
#include <numeric>

namespace spar::train {

Pace::Pace(const Options& options) : options_(options), limiter_(options.limiter), learn_steps_(options.workers, 0) {}

void Pace::begin(uint64_t env_steps) {
  const std::scoped_lock lock(mutex_);
  ended_ = false;
  env_steps_ = env_steps;
}

void Pace::end() {
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
  }
  change_.notify_all();
}

bool Pace::ended() const {
  const std::scoped_lock lock(mutex_);
  return ended_;
}

template <class Condition>
bool Pace::wait(std::unique_lock<std::mutex>& lock, Condition&& condition, Clock::time_point until) {
  if (ended_) return false;
  if (condition()) return true;
  lock.unlock();
  {
    const Permits::Lent lent(options_.permits);
    lock.lock();
    ++waiting_;
    const auto over = [&] { return ended_ || condition(); };
    if (until == Clock::time_point::max())
      change_.wait(lock, over);
    else
      change_.wait_until(lock, until, over);
    --waiting_;
    lock.unlock();
  }
  lock.lock();
  return !ended_ && condition();
}

void Pace::changed() {
  if (waiting_ > 0) change_.notify_all();
}

bool Pace::may_collect(Clock::time_point until) {
  std::unique_lock lock(mutex_);
  const uint64_t rows = options_.limiter.rows_per_insert;
  return wait(
      lock, [&] { return !open_ || hungry_ == options_.workers || limiter_.can_insert(rows); }, until);
}

void Pace::collected(uint64_t rows, uint64_t env_steps, bool enough) {
  const std::scoped_lock lock(mutex_);
  env_steps_ = env_steps;
  if (open_) limiter_.insert(rows);
  open_ = open_ || enough;
  changed();
}

bool Pace::may_learn(size_t worker) {
  std::unique_lock lock(mutex_);
  const uint64_t rows = options_.limiter.rows_per_sample;
  const auto may = [&] {
    return open_ && limiter_.can_sample(rows) &&
           (!options_.most_ahead || learn_steps_[worker] <= fewest() + *options_.most_ahead);
  };
  // Between the wait and here another one may have taken what there was.
  while (!wait(lock, may)) {
    if (ended_) return false;
  }
  limiter_.sample(rows);
  changed();
  return true;
}

void Pace::learnt(size_t worker) {
  const std::scoped_lock lock(mutex_);
  ++learn_steps_[worker];
  changed();
}

bool Pace::wait_for_data(uint64_t env_steps) {
  std::unique_lock lock(mutex_);
  ++hungry_;
  changed();
  const bool there = wait(lock, [&] { return env_steps_ >= env_steps; });
  --hungry_;
  return there;
}

uint64_t Pace::env_steps() const {
  const std::scoped_lock lock(mutex_);
  return env_steps_;
}

uint64_t Pace::learn_steps(size_t worker) const {
  const std::scoped_lock lock(mutex_);
  return learn_steps_[worker];
}

uint64_t Pace::fewest() const { return *std::min_element(learn_steps_.begin(), learn_steps_.end()); }

uint64_t Pace::slowest() const {
  const std::scoped_lock lock(mutex_);
  return fewest();
}

uint64_t Pace::updates() const {
  const std::scoped_lock lock(mutex_);
  return std::accumulate(learn_steps_.begin(), learn_steps_.end(), uint64_t{0});
}

uint64_t Pace::counted() const {
  const std::scoped_lock lock(mutex_);
  return limiter_.counters().inserted;
}

void Pace::save(ByteWriter& writer) const {
  const std::scoped_lock lock(mutex_);
  writer.put(limiter_.counters().inserted);
  writer.put(limiter_.counters().sampled);
  writer.put<uint8_t>(open_ ? 1 : 0);
  writer.array<uint64_t>(learn_steps_);
}

void Pace::load(ByteReader& reader) {
  const std::scoped_lock lock(mutex_);
  const auto inserted = reader.get<uint64_t>();
  limiter_.restore({inserted, reader.get<uint64_t>()});
  open_ = reader.get<uint8_t>() != 0;
  reader.array<uint64_t>(learn_steps_);
}

}  // namespace spar::train
