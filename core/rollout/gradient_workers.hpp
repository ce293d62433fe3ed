// The gradient workers of one learner, and the threads that they run on.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/permits.hpp"
#include "core/base/squad.hpp"
#include "core/params/gradient_server.hpp"
#include "core/rollout/gradient_worker.hpp"

namespace spar::rollout {

/// They learn from the memory of their learner, whose networks are the master's: after learn() and wait() they hold all
/// that was learnt. Every worker has a thread of its own, and `permits` says how many of these work at the same time.
class GradientWorkers {
 public:
  /// All references outlive the workers. Throws what GradientWorker does.
  GradientWorkers(const LearnerSetup& setup, nn::NetworkSet& master, replay::Buffer& buffer,
                  const Transforms& transforms);

  size_t size() const { return workers_.size(); }
  GradientWorker& operator[](size_t worker) { return *workers_[worker]; }
  /// A mutex over the memory and the statistics of the transforms.
  std::unique_lock<std::mutex> lock_memory() { return std::unique_lock(memory_); }

  /// Bulk-synchronous: one learn() of each, whose gradients make common updates. The numbers depend on neither threads
  /// nor permits. Throws the first failure of a worker; then they are of no use.
  void learn(uint64_t step);

  /// Asynchronous: run(worker) on each worker's thread. When one fails, the others' updates do too, and failed() is
  /// called once, on its thread. Both live until wait() returns.
  void start(const std::function<void(size_t)>& run, const std::function<void()>& failed);
  /// Until every run has ended. Throws the first failure.
  void wait();
  /// [its thread] The worker takes the newest values of all networks.
  void pull(size_t worker) { server_->pull(worker, workers_[worker]->networks()); }
  void pull_all();
  /// [any] The newest values for an acting copy.
  void read(nn::NetworkSet& to) { server_->read(to); }
  /// [any] use() while no update is made.
  void hold(const std::function<void()>& use) { server_->hold(use); }
  /// Of the worker's last update, see GradientServer::lag().
  uint64_t lag(size_t worker) const { return server_->lag(worker); }
  uint64_t sampled() const;  ///< rows, by all; only while nobody learns

  void time(Profile* profile) { workers_.front()->time(profile); }
  uint64_t saved_bytes() const;
  void save(ByteWriter& writer) const;
  void load(ByteReader& reader);

 private:
  /// run(worker), whose failure ends the others.
  template <class Run>
  void guarded(size_t worker, Run&& run);
  void rethrow();

  replay::Buffer& buffer_;
  std::mutex memory_;
  Permits* permits_;
  std::unique_ptr<params::GradientServer> server_;
  std::vector<std::unique_ptr<GradientWorker>> workers_;
  std::exception_ptr failure_;  ///< the first; written once, before the squad's wait() returns
  const std::function<void(size_t)>* run_ = nullptr;
  const std::function<void()>* failed_ = nullptr;
  std::function<void(size_t)> call_;  ///< what the squad's threads do
  Squad squad_;                       ///< last: its threads end first
};

}  // namespace spar::rollout
