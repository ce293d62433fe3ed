#include "core/base/crew.hpp"

#include <utility>

namespace spar {

Crew::Crew(uint32_t threads) {
  for (uint32_t i = 1; i < threads; ++i) workers_.emplace_back([this] { work(); });
}

Crew::~Crew() {
  {
    const std::scoped_lock lock(mutex_);
    over_ = true;
  }
  begun_.notify_all();
  for (auto& worker : workers_) worker.join();
}

void Crew::run(size_t n, Function call, void* argument) {
  std::unique_lock lock(mutex_);
  call_ = call;
  argument_ = argument;
  next_ = 0;
  calls_ = open_ = n;
  failure_ = nullptr;
  if (n > 1) begun_.notify_all();
  take_calls(lock);
  ended_.wait(lock, [this] { return open_ == 0; });
  calls_ = 0;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void Crew::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    begun_.wait(lock, [this] { return over_ || next_ < calls_; });
    if (over_) return;
    take_calls(lock);
  }
}

/// Takes calls until none is left; the lock is open while one runs.
void Crew::take_calls(std::unique_lock<std::mutex>& lock) {
  while (next_ < calls_) {
    const size_t i = next_++;
    lock.unlock();
    std::exception_ptr thrown;
    try {
      call_(argument_, i);
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    if (thrown && (!failure_ || i < failed_)) {
      failure_ = thrown;
      failed_ = i;
    }
    if (--open_ == 0) ended_.notify_all();
  }
}

}  // namespace spar
