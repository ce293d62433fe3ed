#include "core/rollout/gradient_workers.hpp"

#include <thread>
#include <utility>

#include "core/rollout/learner.hpp"

namespace spar::rollout {
namespace {

/// Looking for a change takes a processor from who has something to do, unless there is one for each.
int patience_for(const LearnerSetup& setup) {
  const size_t threads = setup.worker_metrics.size();
  return setup.permits == nullptr && std::thread::hardware_concurrency() >= threads ? 2'000 : 0;
}

}  // namespace

GradientWorkers::GradientWorkers(const LearnerSetup& setup, nn::NetworkSet& master, replay::Buffer& buffer,
                                 const Transforms& transforms)
    : buffer_(buffer),
      permits_(setup.permits),
      server_(setup.asynchronous
                  ? params::asynchronous_server(master, setup.worker_metrics.size())
                  : params::bulk_server(master, setup.worker_metrics.size(), setup.permits, patience_for(setup))),
      squad_(setup.worker_metrics.size() - (setup.asynchronous ? 0 : 1), patience_for(setup)) {
  for (size_t i = 0; i < setup.worker_metrics.size(); ++i) {
    workers_.push_back(std::make_unique<GradientWorker>(setup, i + 1, buffer, transforms, master));
    workers_[i]->sharing().mutex = &memory_;
    workers_[i]->sharing().late = !setup.asynchronous;
    workers_[i]->networks().send_updates_to(&server_->route(i));
  }
}

template <class Run>
void GradientWorkers::guarded(size_t worker, Run&& run) {
  const Permits::Held held(permits_);
  try {
    run(worker);
  } catch (...) {
    if (!server_->abort()) return;  // only what came of the first
    failure_ = std::current_exception();
    if (failed_) (*failed_)();
  }
}

void GradientWorkers::rethrow() {
  if (!failure_) return;
  if (const auto fault = server_->fault()) throw Error(*fault);
  std::rethrow_exception(std::exchange(failure_, nullptr));
}

void GradientWorkers::learn(uint64_t step) {
  const auto learn = [this, step](size_t worker) {
    guarded(worker, [this, step](size_t i) {
      workers_[i]->learn(step);
      server_->finish(i);
    });
  };
  // The first one on this thread.
  const auto others = [&learn](size_t i) { learn(i + 1); };
  squad_.start(others);
  learn(0);
  squad_.wait();
  rethrow();
  for (const auto& worker : workers_) worker->sharing().settle(buffer_);
}

void GradientWorkers::start(const std::function<void(size_t)>& run, const std::function<void()>& failed) {
  run_ = &run;
  failed_ = &failed;
  call_ = [this](size_t worker) { guarded(worker, *run_); };
  squad_.start(call_);
}

void GradientWorkers::wait() {
  squad_.wait();
  rethrow();
}

void GradientWorkers::pull_all() {
  for (size_t i = 0; i < size(); ++i) pull(i);
}

uint64_t GradientWorkers::sampled() const {
  uint64_t rows = 0;
  for (const auto& worker : workers_) rows += worker->sharing().sampled;
  return rows;
}

uint64_t GradientWorkers::saved_bytes() const {
  uint64_t bytes = 0;
  for (const auto& worker : workers_) bytes += worker->saved_bytes();
  return bytes;
}

void GradientWorkers::save(ByteWriter& writer) const {
  for (const auto& worker : workers_) worker->save(writer);
}

void GradientWorkers::load(ByteReader& reader) {
  for (const auto& worker : workers_) worker->load(reader);
}

}  // namespace spar::rollout
