// How many of some threads work at the same time; the others wait their turn.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace spar {

/// First come, first served: who gives its permit back and asks again at once comes after those who wait.
class Permits {
 public:
  explicit Permits(uint32_t permits) : served_(permits) {}

  void take() {
    std::unique_lock lock(mutex_);
    const uint64_t ticket = asked_++;
    free_.wait(lock, [&] { return ticket < served_; });
  }
  void give() {
    {
      const std::scoped_lock lock(mutex_);
      ++served_;
    }
    free_.notify_all();
  }

  /// Holds a permit while it lives; of no permits (nullptr) nothing is held.
  class Held {
   public:
    explicit Held(Permits* permits) : permits_(permits) {
      if (permits_) permits_->take();
    }
    ~Held() {
      if (permits_) permits_->give();
    }
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;

   private:
    Permits* permits_;
  };

  /// Gives the caller's permit away while it lives: for waiting.
  class Lent {
   public:
    explicit Lent(Permits* permits) : permits_(permits) {
      if (permits_) permits_->give();
    }
    ~Lent() {
      if (permits_) permits_->take();
    }
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;

   private:
    Permits* permits_;
  };

 private:
  std::mutex mutex_;
  std::condition_variable free_;
  uint64_t asked_ = 0, served_;  ///< who has a ticket below `served_` has or had its turn
};

}  // namespace spar
