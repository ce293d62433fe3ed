// Threads that wait for each other: every one has a call of its own, and all calls run at the same time. A Crew's calls
// may run one after the other.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace spar {

class Squad {
 public:
  /// `patience`: how often a thread looks for a change before it sleeps; 0 where processors are scarce.
  Squad(size_t threads, int patience);
  ~Squad();
  Squad(const Squad&) = delete;
  Squad& operator=(const Squad&) = delete;

  size_t threads() const { return threads_.size(); }

  /// Thread i makes call(i), which throws nothing. Returns at once; `call` lives until wait() returns. Allocates
  /// nothing. One thread at a time may use a squad.
  template <class Call>
  void start(Call& call) {
    start([](void* c, size_t i) { (*static_cast<Call*>(c))(i); }, const_cast<void*>(static_cast<const void*>(&call)));
  }
  /// Until every call has ended.
  void wait();

 private:
  using Function = void (*)(void*, size_t);

  void start(Function call, void* argument);
  void work(size_t thread);

  int patience_;
  std::atomic<uint64_t> starts_{0};
  std::atomic<size_t> open_{0};  ///< calls that have not ended
  Function call_ = nullptr;
  void* argument_ = nullptr;
  std::mutex mutex_;  ///< for sleeping
  std::condition_variable begun_, ended_;
  std::atomic<size_t> sleepers_{0};
  std::atomic<bool> caller_sleeps_{false}, over_{false};
  std::vector<std::thread> threads_;
};

/// A short wait of a thread that looks for a change.
void pause_briefly();

}  // namespace spar
