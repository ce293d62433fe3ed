// A few threads that share out numbered calls.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace spar {

class Crew {
 public:
  /// `threads`: how many work at the same time, the caller's included; at least 1.
  explicit Crew(uint32_t threads);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  uint32_t threads() const { return static_cast<uint32_t>(workers_.size()) + 1; }

  /// call(i) once for each i below n, on any of the threads; returns when all have ended. If some throw, the exception
  /// of the lowest i is thrown again. Allocates nothing unless a call throws. Not to be called from inside a call.
  template <class Call>
  void run(size_t n, Call&& call) {
    run(
        n, [](void* c, size_t i) { (*static_cast<std::remove_reference_t<Call>*>(c))(i); },
        const_cast<void*>(static_cast<const void*>(&call)));
  }

 private:
  using Function = void (*)(void*, size_t);

  void run(size_t n, Function call, void* argument);
  void work();
  void take_calls(std::unique_lock<std::mutex>& lock);

  std::mutex mutex_;
  std::condition_variable begun_, ended_;
  Function call_ = nullptr;
  void* argument_ = nullptr;
  size_t next_ = 0, calls_ = 0, open_ = 0;  ///< next call to be taken, their number, those that have not ended
  size_t failed_ = 0;                       ///< lowest call that threw
  std::exception_ptr failure_;
  bool over_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace spar
