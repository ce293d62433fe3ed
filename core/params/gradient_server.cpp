#include "core/params/gradient_server.hpp"

#include <algorithm>

#include "core/base/squad.hpp"
#include "core/base/text.hpp"
#include "core/nn/failure.hpp"
#include "core/nn/replicas.hpp"

namespace spar::params {
namespace {

using nn::Network, nn::NetworkSet;

Network& existing(NetworkSet& set, const std::string& name) {
  Network* network = set.find(name);
  if (network == nullptr)
    throw nn::not_now("network `" + printable(name) + "` is a worker's own: networks are made before it first learns");
  return *network;
}

spar_net* target_of(const spar_update& step, uint32_t i) { return step.targets != nullptr ? step.targets[i] : nullptr; }

/// The same step on the master's networks.
class MasterStep {
 public:
  const spar_update& of(const spar_update& step, NetworkSet& master) {
    nets_.clear();
    targets_.clear();
    for (uint32_t i = 0; i < step.n_nets; ++i) {
      spar_net* target = target_of(step, i);
      nets_.push_back(handle_of(existing(master, nn::network_of(step.nets[i]).name())));
      targets_.push_back(target ? handle_of(existing(master, nn::network_of(target).name())) : nullptr);
    }
    step_ = {sizeof step_,
             step.n_nets,
             nets_.data(),
             step.targets != nullptr ? targets_.data() : nullptr,
             step.lr,
             step.beta1,
             step.beta2,
             step.eps,
             step.max_grad_norm,
             step.tau};
    return step_;
  }

 private:
  spar_update step_{};
  std::vector<spar_net*> nets_, targets_;
};

/// The values of the master's networks become those of the worker's.
void copy_step(const spar_update& from, const spar_update& to) {
  for (uint32_t i = 0; i < to.n_nets; ++i) {
    nn::copy_values(nn::network_of(from.nets[i]), nn::network_of(to.nets[i]));
    if (target_of(to, i)) nn::copy_values(nn::network_of(from.targets[i]), nn::network_of(to.targets[i]));
  }
}

/// What a worker has come to.
struct Request {
  const spar_update* update = nullptr;  ///< null: a blend, or the end of its learn()
  Network* dst = nullptr;
  const Network* src = nullptr;
  double tau = 0;
};

std::string text_of(const Request& request) {
  if (request.dst) return "blends the network `" + request.dst->name() + "`";
  if (!request.update) return "has learnt";
  return "updates the network `" + nn::network_of(request.update->nets[0]).name() + "`" +
         (request.update->n_nets > 1 ? " and " + std::to_string(request.update->n_nets - 1) + " more" : "");
}

bool alike(const spar_update& a, const spar_update& b) {
  if (a.n_nets != b.n_nets) return false;
  for (uint32_t i = 0; i < a.n_nets; ++i) {
    const spar_net *x = target_of(a, i), *y = target_of(b, i);
    if (nn::network_of(a.nets[i]).name() != nn::network_of(b.nets[i]).name()) return false;
    if ((x == nullptr) != (y == nullptr) || (x && nn::network_of(x).name() != nn::network_of(y).name())) return false;
  }
  return true;
}

bool alike(const Request& a, const Request& b) {
  if ((a.update == nullptr) != (b.update == nullptr) || (a.dst == nullptr) != (b.dst == nullptr)) return false;
  if (a.update) return alike(*a.update, *b.update);
  return !a.dst || (a.dst->name() == b.dst->name() && a.src->name() == b.src->name());
}

class BulkServer : public GradientServer {
 public:
  BulkServer(NetworkSet& master, size_t workers, Permits* permits, int patience)
      : GradientServer(master, workers), permits_(permits), patience_(patience), requests_(workers) {
    for (size_t i = 0; i < workers; ++i) routes_.emplace_back(*this, i);
  }

  nn::UpdateRoute& route(size_t worker) override { return routes_[worker]; }
  void finish(size_t worker) override { meet(worker, {}); }
  void pull(size_t, NetworkSet& networks) override { read(networks); }
  void read(NetworkSet& to) override { to.copy_values_from(master()); }
  void hold(const std::function<void()>& use) override { use(); }
  uint64_t lag(size_t) const override { return 0; }
  std::optional<Error> fault() const override { return fault_; }

 private:
  struct Route : nn::UpdateRoute {
    Route(BulkServer& to, size_t of) : server(to), worker(of) {}
    double update(const spar_update& step) override {
      const double norm = server.meet(worker, {&step});
      copy_step(server.made_, step);
      return norm;
    }
    void blend(Network& dst, const Network& src, double tau) override {
      server.meet(worker, {nullptr, &dst, &src, tau});
      nn::copy_values(existing(server.master(), dst.name()), dst);
    }
    BulkServer& server;
    size_t worker;
  };

  void wake() override {
    { const std::scoped_lock lock(mutex_); }
    all_here_.notify_all();
  }

  double meet(size_t worker, const Request& request) {
    refuse_if_aborted();
    std::unique_lock lock(mutex_);
    requests_[worker] = request;
    const uint64_t meeting = meetings_.load(std::memory_order_relaxed);
    if (++arrived_ == workers()) {
      arrived_ = 0;
      answer();
      meetings_.store(meeting + 1, std::memory_order_release);
      if (sleepers_ > 0) all_here_.notify_all();
    } else {
      lock.unlock();
      wait_for_others(meeting);
    }
    if (meetings_.load(std::memory_order_acquire) == meeting) refuse_if_aborted();
    if (failure_) throw Error(*failure_);
    return norm_;
  }

  void wait_for_others(uint64_t meeting) {
    const auto over = [&] { return meetings_.load(std::memory_order_acquire) != meeting || aborted(); };
    const Permits::Lent lent(permits_);
    for (int i = 0; i < patience_; ++i) {
      if (over()) return;
      pause_briefly();
    }
    std::unique_lock lock(mutex_);
    ++sleepers_;
    all_here_.wait(lock, over);
    --sleepers_;
  }

  /// By whoever comes last, while the others wait.
  void answer() {
    failure_.reset();
    try {
      for (const Request& other : requests_)
        if (!alike(requests_[0], other)) refuse(other);
      const Request& first = requests_[0];
      if (first.dst) nn::blend(existing(master(), first.dst->name()), existing(master(), first.src->name()), first.tau);
      if (first.update) step(*first.update);
    } catch (const Error& error) {
      failure_ = error;
    }
  }

  [[noreturn]] void refuse(const Request& other) {
    fault_ = Error("E0315", Exit::failed,
                   "the gradient workers of one learner do not go the same way: one " + text_of(requests_[0]) +
                       ", another " + text_of(other))
                 .help("updates that depend on chance can have several learners only with mode asp or ssp");
    throw Error(*fault_);
  }

  void step(const spar_update& first) {
    made_ = step_.of(first, master());
    for (uint32_t net = 0; net < first.n_nets; ++net) {
      replicas_.clear();
      for (const Request& request : requests_) replicas_.push_back(&nn::network_of(request.update->nets[net]));
      nn::average_gradients(replicas_, nn::network_of(made_.nets[net]));
    }
    norm_ = nn::update(made_);
  }

  Permits* permits_;
  int patience_;
  std::deque<Route> routes_;
  std::mutex mutex_;
  std::condition_variable all_here_;
  std::vector<Request> requests_;  ///< by worker
  size_t arrived_ = 0, sleepers_ = 0;
  std::atomic<uint64_t> meetings_{0};
  // What came of the last meeting; it stays until all have come to the next.
  std::optional<Error> failure_, fault_;
  double norm_ = 0;
  MasterStep step_;
  spar_update made_{};
  std::vector<Network*> replicas_;
};

class AsynchronousServer : public GradientServer {
 public:
  AsynchronousServer(NetworkSet& master, size_t workers) : GradientServer(master, workers) {
    for (const auto& [name, network] : master.networks()) {
      number_of_.emplace(name, slots_.size());
      slots_.emplace_back(*network);
    }
    for (size_t i = 0; i < workers; ++i) routes_.emplace_back(*this, slots_.size());
  }

  nn::UpdateRoute& route(size_t worker) override { return routes_[worker]; }
  void finish(size_t) override {}
  void pull(size_t worker, NetworkSet& networks) override {
    for (const auto& [name, network] : networks.networks()) routes_[worker].take(number(name), *network);
  }
  void read(NetworkSet& to) override {
    for (const auto& [name, network] : to.networks()) {
      Slot& slot = slots_[number(name)];
      const std::scoped_lock lock(slot.mutex);
      nn::copy_values(slot.network, *network);
    }
  }
  void hold(const std::function<void()>& use) override {
    std::vector<std::unique_lock<std::mutex>> locks;
    for (Slot& slot : slots_) locks.emplace_back(slot.mutex);
    use();
  }
  uint64_t lag(size_t worker) const override { return routes_[worker].lag; }

 private:
  /// A network of the master.
  struct Slot {
    explicit Slot(Network& of) : network(of) {}
    Network& network;
    std::mutex mutex;
    uint64_t updates = 0;  ///< so far
  };

  struct Route : nn::UpdateRoute {
    Route(AsynchronousServer& to, size_t networks) : server(to), seen(networks, 0) {}

    double update(const spar_update& step) override {
      server.refuse_if_aborted();
      const spar_update& mine = step_.of(step, server.master());
      chosen_.clear();
      for (uint32_t i = 0; i < step.n_nets; ++i) {
        chosen_.push_back(server.number(nn::network_of(step.nets[i]).name()));
        if (target_of(step, i)) chosen_.push_back(server.number(nn::network_of(step.targets[i]).name()));
      }
      const Locks locks(server, chosen_);
      lag = 0;
      for (uint32_t i = 0; i < step.n_nets; ++i) {
        const size_t net = server.number(nn::network_of(step.nets[i]).name());
        lag = std::max(lag, server.slots_[net].updates - seen[net]);
        nn::move_gradients(nn::network_of(step.nets[i]), nn::network_of(mine.nets[i]));
      }
      const double norm = nn::update(mine);
      copy_step(mine, step);
      for (const size_t slot : chosen_) seen[slot] = ++server.slots_[slot].updates;
      return norm;
    }
    void blend(Network& dst, const Network& src, double tau) override {
      server.refuse_if_aborted();
      chosen_.assign({server.number(dst.name()), server.number(src.name())});
      const Locks locks(server, chosen_);
      Network& master_dst = existing(server.master(), dst.name());
      nn::blend(master_dst, existing(server.master(), src.name()), tau);
      nn::copy_values(master_dst, dst);
    }
    void take(size_t number, Network& network) {
      Slot& slot = server.slots_[number];
      const std::scoped_lock lock(slot.mutex);
      nn::copy_values(slot.network, network);
      seen[number] = slot.updates;
    }

    AsynchronousServer& server;
    std::vector<uint64_t> seen;  ///< by network: its updates when the replica took its values
    uint64_t lag = 0;

   private:
    MasterStep step_;
    std::vector<size_t> chosen_;
  };

  /// Of several networks, always in the same order.
  struct Locks {
    Locks(AsynchronousServer& server, std::vector<size_t>& numbers) : slots(server.slots_), held(numbers) {
      std::sort(held.begin(), held.end());
      held.erase(std::unique(held.begin(), held.end()), held.end());
      for (const size_t number : held) slots[number].mutex.lock();
    }
    ~Locks() {
      for (const size_t number : held) slots[number].mutex.unlock();
    }
    Locks(const Locks&) = delete;
    Locks& operator=(const Locks&) = delete;
    std::deque<Slot>& slots;
    std::vector<size_t>& held;
  };

  size_t number(const std::string& name) const {
    const auto found = number_of_.find(name);
    if (found == number_of_.end())
      throw nn::not_now("network `" + printable(name) +
                        "` is a worker's own: networks are made before it first learns");
    return found->second;
  }

  std::map<std::string, size_t> number_of_;
  std::deque<Slot> slots_;  ///< in the order of names
  std::deque<Route> routes_;
};

}  // namespace

bool GradientServer::abort() {
  const bool first = !aborted_.exchange(true, std::memory_order_acq_rel);
  if (first) wake();
  return first;
}

void GradientServer::refuse_if_aborted() const {
  if (aborted()) throw nn::not_now("update: another gradient worker has failed");
}

std::unique_ptr<GradientServer> bulk_server(NetworkSet& master, size_t workers, Permits* permits, int patience) {
  return std::make_unique<BulkServer>(master, workers, permits, patience);
}

std::unique_ptr<GradientServer> asynchronous_server(NetworkSet& master, size_t workers) {
  return std::make_unique<AsynchronousServer>(master, workers);
}

}  // namespace spar::params
