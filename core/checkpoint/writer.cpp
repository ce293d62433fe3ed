#include "core/checkpoint/writer.hpp"

#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <utility>

namespace spar::checkpoint {
namespace {

/// A thread started while this lives handles no signals.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace

Writer::Writer(Directory directory) : directory_(std::move(directory)) {
  directory_.prepare();
  const SignalsBlocked blocked;
  thread_ = std::thread([this] { work(); });
}

Writer::~Writer() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Writer::submit(uint64_t step, Checkpoint checkpoint, bool best) {
  checkpoint.step = step;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !queued_; });
  queued_ = Job{std::move(checkpoint), best};
  lock.unlock();
  changed_.notify_all();
}

void Writer::flush() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !queued_ && !busy_; });
}

std::vector<Outcome> Writer::poll() {
  const std::lock_guard lock(mutex_);
  return std::exchange(outcomes_, {});
}

Outcome Writer::write_now(uint64_t step, Checkpoint checkpoint, bool best) {
  submit(step, std::move(checkpoint), best);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !queued_ && !busy_; });
  Outcome outcome = std::move(outcomes_.back());
  outcomes_.pop_back();
  if (outcome.error) throw *outcome.error;
  return outcome;
}

void Writer::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return queued_ || stop_; });
    if (!queued_) return;
    const Job job = std::move(*std::exchange(queued_, std::nullopt));
    busy_ = true;
    lock.unlock();
    changed_.notify_all();
    Outcome outcome = save(job);
    lock.lock();
    busy_ = false;
    outcomes_.push_back(std::move(outcome));
    changed_.notify_all();
  }
}

Outcome Writer::save(const Job& job) {
  Outcome outcome;
  outcome.step = job.checkpoint.step;
  outcome.best = job.best;
  const auto begin = std::chrono::steady_clock::now();
  try {
    outcome.file = directory_.write(job.checkpoint);
    if (job.best) directory_.write_best(job.checkpoint);
    outcome.bytes = Encoded(job.checkpoint).size();
  } catch (const Error& error) {
    outcome.error = error;
  } catch (const std::exception& problem) {
    outcome.error = Error("E0504", Exit::failed,
                          "cannot write the checkpoint of step " + std::to_string(outcome.step) + ": " + problem.what())
                        .help("what was saved before is untouched");
  }
  outcome.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return outcome;
}

}  // namespace spar::checkpoint
