// The parameter server of several gradient workers. Each worker has replicas of the master's networks; what its
// algorithm asks of spar.nn/1 is an update of the master's, and the replicas take the master's new values. The
// algorithm does not know.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/base/error.hpp"
#include "core/base/permits.hpp"
#include "core/nn/network_set.hpp"
#include "core/nn/update.hpp"

namespace spar::params {

/// The master's values, moments and steps are what is saved, published and evaluated; replicas have values and pending
/// gradients. Workers count from 0.
class GradientServer {
 public:
  GradientServer(nn::NetworkSet& master, size_t workers) : master_(master), workers_(workers) {}
  virtual ~GradientServer() = default;
  GradientServer(const GradientServer&) = delete;
  GradientServer& operator=(const GradientServer&) = delete;

  /// Where the updates and blends of the networks of `worker` go. They throw E0903 once the server was aborted.
  virtual nn::UpdateRoute& route(size_t worker) = 0;
  /// The worker's learn() is over.
  virtual void finish(size_t worker) = 0;
  /// The networks of `worker` take all the master's values.
  virtual void pull(size_t worker, nn::NetworkSet& networks) = 0;
  /// The networks of `to` take the values of the master's networks of their names.
  virtual void read(nn::NetworkSet& to) = 0;
  /// Calls `use` while nobody changes the master.
  virtual void hold(const std::function<void()>& use) = 0;
  /// Updates of the master by others between the last gradient of `worker` and the values that it was computed with; of
  /// several networks the most.
  virtual uint64_t lag(size_t worker) const = 0;

  /// [any] A worker has failed: who waits for it, or asks for something, gets an error from now on. False: it was said
  /// before.
  bool abort();
  bool aborted() const { return aborted_.load(std::memory_order_acquire); }
  /// Workers that do not go the same way: said instead of what their algorithms make of it.
  virtual std::optional<Error> fault() const { return std::nullopt; }

  size_t workers() const { return workers_; }

 protected:
  nn::NetworkSet& master() { return master_; }
  void refuse_if_aborted() const;
  virtual void wake() {}

 private:
  nn::NetworkSet& master_;
  size_t workers_;
  std::atomic<bool> aborted_{false};
};

/// Bulk-synchronous: an update waits until all workers have asked for it; the mean of their gradients, in the order of
/// the workers, makes one step. So all of them have equal values at all times, and the numbers do not depend on who is
/// faster. All workers must ask for the same in the same order, else E0315. `permits`: given away while a worker waits;
/// `patience`: how often it looks before it sleeps.
std::unique_ptr<GradientServer> bulk_server(nn::NetworkSet& master, size_t workers, Permits* permits, int patience);

/// Asynchronous: a gradient makes a step at once, under the locks of its networks, and its worker takes what came of
/// it.
std::unique_ptr<GradientServer> asynchronous_server(nn::NetworkSet& master, size_t workers);

}  // namespace spar::params
