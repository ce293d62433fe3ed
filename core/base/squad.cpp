#include "core/base/squad.hpp"

namespace spar {

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

Squad::Squad(size_t threads, int patience) : patience_(patience) {
  for (size_t i = 0; i < threads; ++i) threads_.emplace_back([this, i] { work(i); });
}

Squad::~Squad() {
  {
    const std::scoped_lock lock(mutex_);
    over_ = true;
  }
  begun_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void Squad::start(Function call, void* argument) {
  call_ = call;
  argument_ = argument;
  open_.store(threads_.size(), std::memory_order_relaxed);
  starts_.fetch_add(1);
  // Either a thread that goes to sleep sees the start, or its number is seen here.
  if (sleepers_.load() == 0) return;
  const std::scoped_lock lock(mutex_);
  begun_.notify_all();
}

void Squad::wait() {
  for (int i = 0; i < patience_; ++i) {
    if (open_.load(std::memory_order_acquire) == 0) return;
    pause_briefly();
  }
  std::unique_lock lock(mutex_);
  caller_sleeps_ = true;
  ended_.wait(lock, [this] { return open_.load() == 0; });
  caller_sleeps_ = false;
}

void Squad::work(size_t thread) {
  uint64_t seen = 0;
  const auto called = [&] { return starts_.load() != seen || over_.load(); };
  for (;;) {
    int looks = 0;
    while (looks < patience_ && !called()) {
      ++looks;
      pause_briefly();
    }
    if (looks == patience_) {
      std::unique_lock lock(mutex_);
      ++sleepers_;
      begun_.wait(lock, called);
      --sleepers_;
    }
    if (starts_.load() == seen) return;  // it is over
    ++seen;
    call_(argument_, thread);
    if (open_.fetch_sub(1) == 1 && caller_sleeps_.load()) {
      const std::scoped_lock lock(mutex_);
      ended_.notify_all();
    }
  }
}

}  // namespace spar
