// What one interface of the engine is asked for.
#include <algorithm>
#include <chrono>
#include <thread>

#include "core/base/text.hpp"
#include "core/config/experiment.hpp"
#include "core/manager/engine.hpp"
#include "core/train/follow.hpp"

namespace spar::detail {
namespace {

constexpr const char* kPolicyState = "policy_state";  // of policies that transform what they see
constexpr auto kFirstPause = std::chrono::milliseconds(1), kLongestPause = std::chrono::milliseconds(200);

using Measure = config::Condition::Measure;
using Clock = std::chrono::steady_clock;

std::string store_key(const std::string& runtime_id, const std::string& policy) { return runtime_id + "/" + policy; }

/// Calls `resolve` until it throws no more; pauses between the tries.
template <class Resolve>
auto try_to(const std::string& reference, uint32_t max_tries, Resolve&& resolve) {
  auto pause = kFirstPause;
  for (uint32_t tries = 1;; ++tries) {
    try {
      return resolve();
    } catch (const Error& error) {
      if (tries >= max_tries) throw ConnectError(reference, tries, error);
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, kLongestPause);
  }
}

/// The condition that holds, "" if none does.
std::string fired(const config::StopConfig& stop, uint64_t updates, double seconds) {
  const auto holds = [&](const config::Condition& condition) {
    return condition.measure == Measure::seconds ? seconds >= condition.value
                                                 : static_cast<double>(updates) >= condition.value;
  };
  for (const auto& condition : stop.any)
    if (holds(condition)) return config::name(condition.measure);
  return !stop.all.empty() && std::all_of(stop.all.begin(), stop.all.end(), holds) ? "all" : "";
}

void check_conditions(const config::StopConfig& stop) {
  if (stop.any.empty() && stop.all.empty())
    throw Error("E1201", Exit::usage, "train() has no stopping conditions")
        .help(
            "give some, or StoppingConditions::training, on train_steps or "
            "seconds");
  for (const auto* list : {&stop.any, &stop.all})
    for (const auto& condition : *list)
      if (condition.measure != Measure::train_steps && condition.measure != Measure::seconds)
        throw Error("E1201", Exit::usage,
                    "train() cannot stop on `" + config::name(condition.measure) +
                        "`: it learns on what its table holds, without acting")
            .help(
                "conditions of train(): train_steps and seconds; run() knows "
                "all");
}

void check_has_policy(const std::string& runtime_id, bool none) {
  if (none)
    throw Error("E1203", Exit::usage, "`" + runtime_id + "` has no policy yet").help("call add_policies() or run()");
}

}  // namespace

std::vector<std::string> Engine::agents_of(size_t group) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> out;
  for (const uint32_t agent : members_[group].agents) out.push_back(training_->environment->agents()[agent].id);
  return out;
}

InterfaceState Engine::state_of(size_t group) const {
  const std::lock_guard lock(mutex_);
  const Member& member = members_[group];
  InterfaceState out = member.state;
  out.env_steps = env_steps_.load(std::memory_order_relaxed);
  out.train_steps = learn_steps_[group].load(std::memory_order_relaxed);
  if (!member.policies.empty()) out.parameter_version = member.policies.back().version;
  return out;
}

std::string Engine::sha256_of(size_t group) {
  std::string out;
  between_steps([&] { out = training_->learner(group).parameters_sha256(); });
  return out;
}

void Engine::connect(size_t group, uint32_t max_tries, const std::string& tables, const std::string& parameters) {
  const auto& services = config_.services;
  {
    const std::lock_guard lock(mutex_);
    const Member& member = members_[group];
    if (member.tables_ref == tables && member.parameters_ref == parameters) return;
  }
  const auto nowhere = [&](const std::string& reference) {
    return Error("E1205", Exit::usage, "this manager was given no services to find `" + printable(reference) + "` in");
  };
  // Outside the lock: who waits for a service stops nobody.
  const auto list = tables.empty() ? own_tables_ : try_to(tables, max_tries, [&] {
    if (!services) throw nowhere(tables);
    return services->tables(tables);
  });
  const auto store = parameters.empty() ? own_parameters_ : try_to(parameters, max_tries, [&] {
    if (!services) throw nowhere(parameters);
    return services->parameters(parameters);
  });
  between_steps([&] {
    Member& member = members_[group];
    member.tables = list;
    member.tables_ref = tables;
    if (member.parameters != store)
      for (Policy& policy : member.policies) policy.version = 0;  // versions are those of a store
    member.parameters = store;
    member.parameters_ref = parameters;
    report_tables();
  });
}

uint64_t Engine::publish(Member& member, Policy& policy, size_t group) {
  std::vector<params::Tensor> tensors;
  if (policy.frozen) {
    tensors = policy.frozen->tensors;
  } else {
    const rollout::Learner& learner = training_->learner(group);
    tensors = learner.named_tensors();
  }
  if (training_->learner(group).watches()) {
    const std::vector<std::byte> bytes =
        policy.frozen ? policy.frozen->policy : parameters_of(training_->learner(group))->policy;
    tensors.push_back({kPolicyState, SPAR_DTYPE_UINT, 8, {static_cast<int64_t>(bytes.size())}, bytes});
  }
  policy.version = member.parameters->publish(store_key(member.runtime_id, policy.id), std::move(tensors));
  return policy.version;
}

uint64_t Engine::push(size_t group) {
  uint64_t version = 0;
  between_steps([&] {
    Member& member = members_[group];
    check_has_policy(member.runtime_id, member.policies.empty());
    version = publish(member, member.policies.back(), group);
  });
  return version;
}

uint64_t Engine::pull(size_t group) {
  uint64_t version = 0;
  between_steps([&] {
    Member& member = members_[group];
    check_has_policy(member.runtime_id, member.policies.empty());
    Policy& policy = member.policies.back();
    const auto snapshot = member.parameters->fetch(store_key(member.runtime_id, policy.id), policy.version);
    if (snapshot) {
      rollout::Learner& learner = training_->learner(group);
      std::vector<params::Tensor> tensors = snapshot->tensors;
      const auto state = std::find_if(tensors.begin(), tensors.end(),
                                      [](const params::Tensor& tensor) { return tensor.name == kPolicyState; });
      std::vector<std::byte> bytes;
      if (state != tensors.end()) {
        bytes = std::move(state->data);
        tensors.erase(state);
      }
      learner.set_named_tensors(std::move(tensors));  // throws before anything has changed
      if (!bytes.empty()) {
        ByteReader reader(bytes, kPolicyState);
        learner.take_policy(reader);
      }
      policy.version = snapshot->version;
    }
    version = policy.version;
  });
  return version;
}

std::map<std::string, uint64_t> Engine::push_all(size_t group) {
  std::map<std::string, uint64_t> out;
  between_steps([&] {
    Member& member = members_[group];
    check_has_policy(member.runtime_id, member.policies.empty());
    for (Policy& policy : member.policies)
      out[policy.id] = policy.frozen && policy.version > 0 ? policy.version : publish(member, policy, group);
  });
  return out;
}

void Engine::reset(size_t group) {
  const std::lock_guard lock(mutex_);
  check_free("reset()");
  Member& member = members_[group];
  member.state.status = InterfaceStatus::idle;
  member.state.stop_reason.clear();
  member.state.error.reset();
  member.updates = 0;
}

InterfaceState Engine::train(size_t group, const DataRequest& request, const config::StopConfig& stopping,
                             bool reset_state) {
  const bool given = !stopping.any.empty() || !stopping.all.empty();
  const config::StopConfig& stop = given ? stopping : config_.stopping_conditions.training;
  Member& member = members_[group];
  rollout::Learner* learner = nullptr;
  {
    const std::lock_guard lock(mutex_);
    check_free("train()");
    check_conditions(stop);
    if (member.join == SPAR_JOIN_CENTRAL)
      throw Error("E1207", Exit::usage,
                  "train(): `" + member.runtime_id + "` has a central critic and learns together with its team")
          .help("run() trains the team");
    check_request(member, request);
    if (training_->decoupled) train::refuse_beside(*training_->strategy, "train() of an interface");
    if (reset_state) member.updates = 0;
    if (member.policies.empty()) add_to(group, 1, Init::fresh);
    member.state.status = InterfaceStatus::running;
    member.state.stop_reason.clear();
    member.state.error.reset();
    learner = &training_->learner(group);
    training_now_ = true;
  }
  // From here on this is the training thread.
  const auto check_finite = [this] {
    if (training_->metrics.broken())
      throw Error("E0302", Exit::failed, training_->metrics.broken_text()).help(train::kDivergedHelp);
  };
  const auto begin = Clock::now();
  std::optional<Error> error;
  std::string reason;
  uint64_t updates = 0;
  try {
    for (;;) {
      const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
      reason = stop_ ? "interrupted" : fired(stop, member.updates, seconds);
      if (!reason.empty()) break;
      const spar_needs& needs = learner->needs();
      if (needs.buffer_kind != SPAR_BUF_NONE && learner->buffer_rows() < needs.rows_per_learn)
        throw Error("E1003", Exit::usage,
                    "train(): the table `" + member.runtime_id + "` holds " + std::to_string(learner->buffer_rows()) +
                        " transitions, expected at least " + std::to_string(needs.rows_per_learn));
      try {
        learner->learn(training_->counters.env_steps);
      } catch (const Error&) {
        training_->gather_metrics();
        check_finite();  // a loss that is not finite says more than the gradient
                         // norm that was refused for it
        throw;
      }
      training_->gather_metrics();
      check_finite();
      ++member.updates;
      ++updates;
      ++training_->learn_steps[group];
      publish_counts();
      serve();
    }
    learner->refresh_actors();
  } catch (const Error& problem) {
    error = problem;
  } catch (const std::exception& problem) {
    error = Error("E0000", Exit::failed, problem.what());
  }
  {
    const std::lock_guard lock(mutex_);
    trained_ = trained_ || updates > 0;
    end(error, stop_ ? InterfaceStatus::stopped : InterfaceStatus::completed, error ? "error" : reason, {group});
  }
  if (error) throw Error(*error);
  return state_of(group);
}

}  // namespace spar::detail
