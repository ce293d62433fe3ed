// A few threads that share out numbered calls.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace spar {

/// Handing out calls costs about a microsecond while calls keep coming: who has nothing to do looks for work for a few
/// hundredths of a millisecond before it sleeps. Call i is made by thread i modulo threads() if that one is free, so
/// that what a call works on stays in the caches of one processor from run to run; else by any.
// What is written for every call lies on cache lines of its own.
// NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding)
class Crew {
 public:
  static constexpr uint32_t kMostThreads = 1024;  ///< that anybody may ask for

  /// `threads`: how many work at the same time, the caller's included; at least 1.
  explicit Crew(uint32_t threads);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  uint32_t threads() const { return static_cast<uint32_t>(workers_.size()) + 1; }
  /// How many calls of run() would work at the same time here: 1 inside a call of any crew.
  uint32_t free_threads() const { return busy() ? 1 : threads(); }

  /// call(i) once for each i below n, on any of the threads; returns when all have ended. If some throw, the exception
  /// of the lowest i is thrown again. Allocates nothing unless a call throws. Inside a call of any crew the calls are
  /// made in turn, up to the first that throws. One thread at a time may use a crew from outside.
  template <class Call>
  void run(size_t n, Call&& call) {
    run(
        n, [](void* c, size_t i) { (*static_cast<std::remove_reference_t<Call>*>(c))(i); },
        const_cast<void*>(static_cast<const void*>(&call)));
  }

 private:
  using Function = void (*)(void*, size_t);

  static constexpr size_t kMost = 64;  ///< calls, or pieces of many calls

  static bool busy();  ///< is this thread inside a call?
  void run(size_t n, Function call, void* argument);
  void work(uint32_t thread);
  bool take_piece(uint32_t thread);
  void make_calls(size_t piece);
  void wait_for_work();
  void wait_for_end();

  // Bit i: piece i is taken, or does not exist. A piece is taken by setting its bit, so who looked at an older piece of
  // work can only take one that is there.
  alignas(64) std::atomic<uint64_t> taken_{~uint64_t{0}};
  // What taken_ makes visible to others, on the same cache line.
  Function call_ = nullptr;
  void* argument_ = nullptr;
  size_t calls_ = 0, pieces_ = 0;
  alignas(64) std::atomic<uint32_t> open_{0};  ///< pieces that have not ended

  std::mutex mutex_;  ///< for sleeping and for failures
  std::condition_variable begun_, ended_;
  std::atomic<uint32_t> sleepers_{0};
  std::atomic<bool> caller_sleeps_{false}, over_{false};
  size_t failed_ = 0;  ///< lowest call that threw
  std::exception_ptr failure_;
  int patience_;               ///< looks before sleeping
  std::vector<uint64_t> own_;  ///< by thread: the bits of the pieces that it takes first
  std::vector<std::thread> workers_;
};

}  // namespace spar
