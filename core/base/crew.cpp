#include "core/base/crew.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace spar {
namespace {

thread_local bool inside_a_call = false;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Looking for work without end would take a processor from who has some.
int patience_of(uint32_t threads) { return std::thread::hardware_concurrency() < threads ? 0 : 2'000; }

}  // namespace

Crew::Crew(uint32_t threads) : patience_(patience_of(threads)), own_(threads) {
  for (size_t piece = 0; piece < kMost; ++piece) own_[piece % threads] |= uint64_t{1} << piece;
  for (uint32_t i = 1; i < threads; ++i) workers_.emplace_back([this, i] { work(i); });
}

Crew::~Crew() {
  {
    const std::scoped_lock lock(mutex_);
    over_ = true;
  }
  begun_.notify_all();
  for (auto& worker : workers_) worker.join();
}

bool Crew::busy() { return inside_a_call; }

void Crew::run(size_t n, Function call, void* argument) {
  if (inside_a_call) {
    for (size_t i = 0; i < n; ++i) call(argument, i);
    return;
  }
  if (n == 0) return;
  call_ = call;
  argument_ = argument;
  calls_ = n;
  pieces_ = std::min(n, kMost);
  open_.store(static_cast<uint32_t>(pieces_), std::memory_order_relaxed);
  taken_.store(pieces_ == kMost ? 0 : ~uint64_t{0} << pieces_);
  // Either a thread that goes to sleep sees the work, or its number is seen here.
  if (n > 1 && sleepers_.load() > 0) {
    const std::scoped_lock lock(mutex_);
    begun_.notify_all();
  }
  while (take_piece(0)) {
  }
  wait_for_end();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

/// Takes a piece, if one is left, and makes its calls.
bool Crew::take_piece(uint32_t thread) {
  for (;;) {
    const uint64_t left = ~taken_.load(std::memory_order_acquire);
    if (left == 0) return false;
    const uint64_t own = left & own_[thread];
    const uint64_t bit = own != 0 ? own & -own : left & -left;
    if ((taken_.fetch_or(bit, std::memory_order_acq_rel) & bit) != 0) continue;  // somebody was faster
    make_calls(static_cast<size_t>(std::countr_zero(bit)));
    if (open_.fetch_sub(1) == 1 && caller_sleeps_.load()) {
      const std::scoped_lock lock(mutex_);
      ended_.notify_all();
    }
    return true;
  }
}

void Crew::make_calls(size_t piece) {
  inside_a_call = true;
  for (size_t i = calls_ * piece / pieces_; i < calls_ * (piece + 1) / pieces_; ++i) {
    try {
      call_(argument_, i);
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      if (!failure_ || i < failed_) {
        failure_ = std::current_exception();
        failed_ = i;
      }
    }
  }
  inside_a_call = false;
}

void Crew::wait_for_end() {
  for (int i = 0; i < patience_; ++i) {
    if (open_.load(std::memory_order_acquire) == 0) return;
    pause();
  }
  std::unique_lock lock(mutex_);
  caller_sleeps_ = true;
  ended_.wait(lock, [this] { return open_.load() == 0; });
  caller_sleeps_ = false;
}

void Crew::work(uint32_t thread) {
  while (!over_.load(std::memory_order_relaxed)) {
    if (!take_piece(thread)) wait_for_work();
  }
}

void Crew::wait_for_work() {
  for (int i = 0; i < patience_; ++i) {
    if (taken_.load(std::memory_order_relaxed) != ~uint64_t{0} || over_.load(std::memory_order_relaxed)) return;
    pause();
  }
  std::unique_lock lock(mutex_);
  ++sleepers_;
  begun_.wait(lock, [this] { return over_ || taken_.load() != ~uint64_t{0}; });
  --sleepers_;
}

}  // namespace spar
