#include "core/manager/engine.hpp"

#include <algorithm>
#include <iostream>
#include <utility>

#include "core/base/text.hpp"
#include "core/game/mixture.hpp"
#include "core/game/views.hpp"
#include "core/rng/philox.hpp"
#include "core/train/equilibrium.hpp"

namespace spar::detail {
namespace {

constexpr uint64_t kSeeds = 0x7fffffff;  // an experiment's seed is a number that TOML can hold

/// Of a generation or a policy beyond the first, by what it is.
uint64_t derived_seed(uint64_t seed, const std::string& what) { return Philox(seed, what).bits() & kSeeds; }

train::Host host_of(Plugins& plugins, const TrainingManagerConfig& config) {
  train::Host host = plugins.host();
  const uint32_t processors = std::max(1U, std::thread::hardware_concurrency());
  host.threads = std::clamp<uint32_t>(config.resource_config.threads, 1, processors);
  return host;
}

std::string device_of(const rollout::Learner& learner) {
  for (const nn::Network* network : const_cast<rollout::Learner&>(learner).networks().in_order())
    if (network->backend()) return network->spec().device;
  return "cpu";
}

}  // namespace

Engine::Engine(Plugins& plugins, TrainingManagerConfig config)
    : plugins_(plugins),
      config_(std::move(config)),
      experiment_(make_experiment(plugins, config_)),
      seed_(experiment_.seed),
      warnings_(experiment_.warnings) {
  make_training();
  const auto& groups = training_->strategy->groups();
  for (size_t group = 0; group < groups.size(); ++group) {
    Member member;
    member.runtime_id = groups[group].name;
    member.agents = groups[group].agents;
    member.join = groups[group].join;
    member.device = detail::device_of(training_->learner(group));
    member.tables = own_tables_;
    member.parameters = own_parameters_;
    members_.push_back(std::move(member));
    order_.push_back(group);
  }
  const auto first = [this](size_t group) {
    return *std::min_element(members_[group].agents.begin(), members_[group].agents.end());
  };
  std::sort(order_.begin(), order_.end(), [&](size_t a, size_t b) { return first(a) < first(b); });
  learn_steps_ = std::make_unique<std::atomic<uint64_t>[]>(groups.size());
  report_tables();
}

Engine::~Engine() { terminate(); }

void Engine::make_training() {
  const train::Host host = host_of(plugins_, config_);
  training_ =
      std::make_unique<train::Training>(experiment_, train::loader_in(host.registry), *host.table.host(), host.threads);
  const uint64_t needed = training_->memory_bytes();
  const auto cap = config_.resource_config.memory_bytes;
  if (cap && needed > *cap)
    throw Error("E0405", Exit::failed,
                "the training needs " + std::to_string(needed) + " bytes of memory and resource_config allows " +
                    std::to_string(*cap))
        .help(
            "a smaller buffer_size, smaller networks or fewer copies of the "
            "environment need less");
}

train::Interruption Engine::interruption() {
  publish_counts();
  serve();
  return stop_ ? train::Interruption::save_and_stop : train::Interruption::none;
}

void Engine::progressed(const train::Progress&) { report_tables(); }

void Engine::evaluated(const train::EvaluationResult& result) {
  if (config_.verbose)
    say("step " + std::to_string(result.step) + ", eval return " + shortest_text(result.mean) +
        (result.nash_conv ? ", NashConv " + shortest_text(*result.nash_conv) : ""));
}

void Engine::warned(const std::string& text) {
  const std::lock_guard lock(warning_);
  warnings_.push_back(text);
  if (config_.verbose) say("warning: " + text);
}

void Engine::say(const std::string& line) const { std::cerr << config_.experiment_tag + ": " + line + "\n"; }

void Engine::publish_counts() {
  env_steps_.store(training_->counters.env_steps, std::memory_order_relaxed);
  for (size_t group = 0; group < members_.size(); ++group)
    learn_steps_[group].store(training_->learn_steps[group], std::memory_order_relaxed);
}

/// A table of an interface is the memory of its learner.
void Engine::report_tables() {
  for (size_t group = 0; group < members_.size(); ++group) {
    const rollout::Learner& learner = training_->learner(group);
    members_[group].tables->report(members_[group].runtime_id,
                                   {generation_, learner.buffer_rows(), learner.needs().capacity});
  }
}

void Engine::serve() {
  if (!asked_.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(mutex_);
  serve_locked();
}

void Engine::serve_locked() {
  for (Request* request : requests_) {
    try {
      request->call();
    } catch (...) {
      request->problem = std::current_exception();
    }
    request->done = true;
  }
  requests_.clear();
  asked_ = false;
  changed_.notify_all();
}

void Engine::between_steps(const std::function<void()>& call) {
  std::unique_lock lock(mutex_);
  if (!training_now_) return call();
  Request request{call};
  requests_.push_back(&request);
  asked_.store(true, std::memory_order_release);
  changed_.wait(lock, [&] { return request.done; });
  if (request.problem) std::rethrow_exception(request.problem);
}

void Engine::work() {
  std::optional<Error> error;
  train::SessionResult result;
  try {
    result = session_->run();
    error = result.error;
  } catch (const Error& problem) {
    error = problem;
  } catch (const std::exception& problem) {
    error = Error("E0000", Exit::failed, problem.what());
  }
  if (error && result.summary.status.empty()) {
    result.summary.status = "failed";
    result.summary.stop_reason = "error";
    result.summary.error = error->what();
  }
  const std::lock_guard lock(mutex_);
  const bool completed = result.summary.status == "completed";
  summary_ = std::move(result.summary);
  if (config_.verbose) say(error ? error->render() : summary_->status + " (" + summary_->stop_reason + ")");
  error_ = error;
  trained_ = true;
  end(error, completed ? InterfaceStatus::completed : InterfaceStatus::stopped, error ? "error" : summary_->stop_reason,
      order_);
}

/// The training of `groups` is over; the mutex is held.
void Engine::end(const std::optional<Error>& error, InterfaceStatus status, const std::string& reason,
                 const std::vector<size_t>& groups) {
  publish_counts();
  report_tables();
  for (const size_t group : groups) {
    InterfaceState& state = members_[group].state;
    state.status = error ? InterfaceStatus::failed : status;
    state.stop_reason = reason;
    state.error = error;
  }
  training_now_ = false;
  serve_locked();
}

void Engine::check_free(const std::string& call) const {
  if (terminated_)
    throw Error("E1203", Exit::usage, call + " has no meaning any more: the manager was terminated")
        .help("make a new training manager");
  if (training_now_)
    throw Error("E1203", Exit::usage, call + " has to wait: training goes on")
        .help("retrieve_results() waits for its end, terminate() ends it");
}

void Engine::check_request(const Member& member, const DataRequest& request) const {
  const auto refuse = [&](const std::string& problem, const std::string& expected) {
    throw Error("E1206", Exit::usage,
                "the data request of `" + member.runtime_id + "` is for " + problem + ", expected " + expected);
  };
  if (request.table != member.runtime_id)
    refuse("the table `" + printable(request.table) + "`", "`" + member.runtime_id + "`");
  if (request.generation != generation_)
    refuse("generation " + std::to_string(request.generation), std::to_string(generation_));
}

void Engine::run(const std::map<std::string, DataRequest>& requests) {
  const std::lock_guard lock(mutex_);
  check_free("run()");
  for (const auto& [runtime_id, request] : requests) check_request(members_[group_named(runtime_id)], request);
  if (trained_)
    throw Error("E1203", Exit::usage,
                "run() has nothing to train: the policies of generation " + std::to_string(generation_) +
                    " were trained already")
        .help("add_policies() begins the next generation");
  for (const size_t group : order_)
    if (members_[group].policies.empty()) add_to(group, 1, Init::fresh);

  session_.reset();
  directory_.emplace(run::RunDirectory::begin(config_.log_dir, experiment_.name));
  try {
    directory_->write_text("experiment.toml", config::resolved_toml(experiment_));
    session_ = std::make_unique<train::Session>(host_of(plugins_, config_), *training_, *directory_,
                                                std::vector<std::string>{"TrainingManager", config_.experiment_tag},
                                                static_cast<train::Observer&>(*this));
  } catch (...) {  // a run that never began leaves nothing to look at
    std::error_code ignored;
    std::filesystem::remove_all(directory_->path(), ignored);
    directory_.reset();
    throw;
  }
  for (Member& member : members_) {
    member.state.status = InterfaceStatus::running;
    member.state.stop_reason.clear();
    member.state.error.reset();
  }
  training_now_ = ran_ = true;
  error_.reset();
  const std::lock_guard joining(joining_);
  if (thread_.joinable()) thread_.join();  // of the generation before: it has ended
  thread_ = std::thread([this] { work(); });
}

std::map<std::string, InterfaceState> Engine::results() {
  {
    std::unique_lock lock(mutex_);
    if (!ran_)
      throw Error("E1203", Exit::usage, "retrieve_results() has no results: run() was not called").help("call run()");
    changed_.wait(lock, [this] { return !training_now_; });
    if (error_) throw Error(*error_);
  }
  std::map<std::string, InterfaceState> out;
  for (const size_t group : order_) out.emplace(name_of(group), state_of(group));
  return out;
}

void Engine::terminate() {
  stop_ = true;
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !training_now_; });
    terminated_ = true;
  }
  const std::lock_guard joining(joining_);
  if (thread_.joinable()) thread_.join();
}

uint64_t Engine::generation() const {
  const std::lock_guard lock(mutex_);
  return generation_;
}

std::filesystem::path Engine::run_directory() const {
  const std::lock_guard lock(mutex_);
  return directory_ ? directory_->path() : std::filesystem::path();
}

run::Summary Engine::summary() const {
  const std::lock_guard lock(mutex_);
  if (!summary_) throw Error("E1203", Exit::usage, "there is no summary yet: no run has ended").help("call run()");
  return *summary_;
}

std::vector<std::string> Engine::warnings() const {
  const std::lock_guard lock(warning_);
  return warnings_;
}

/// A group without an algorithm of its own has the common one, which may be there under the name of its rule.
/// "NAME/AGENT" is one of a team with central critics.
std::string Engine::key_of(size_t group) const {
  const std::string& slot = training_->strategy->groups()[group].algorithm_slot;
  const std::string& id = members_[group].runtime_id;
  return algorithm_key(config_.algorithms, slot.empty() ? id.substr(0, id.find('/')) : slot);
}

size_t Engine::group_named(const std::string& runtime_id) const {
  std::vector<std::string> names;
  for (const size_t group : order_) {
    if (members_[group].runtime_id == runtime_id) return group;
    names.push_back(members_[group].runtime_id);
  }
  throw Error("E1202", Exit::usage, "there is no runtime id `" + printable(runtime_id) + "`")
      .help("there are " + listing(names));
}

Frozen Engine::parameters_of(const rollout::Learner& learner) const {
  auto out = std::make_shared<Parameters>();
  ByteWriter writer;
  learner.save_policy(writer);
  out->policy = writer.take();
  out->tensors = learner.named_tensors();
  return out;
}

/// As a run with another seed would begin it.
Frozen Engine::fresh(size_t group, const std::string& policy) const {
  config::Experiment other = experiment_;
  other.seed = derived_seed(experiment_.seed, "policy/" + members_[group].runtime_id + "/" + policy);
  const train::Host host = host_of(plugins_, config_);
  const train::Training made(other, train::loader_in(host.registry), *host.table.host(), 1);
  return parameters_of(made.learner(group));
}

void Engine::load(size_t group, const Parameters& from) {
  ByteReader reader(from.policy, "policy of " + members_[group].runtime_id);
  training_->learner(group).take_policy(reader);
}

/// Policies go over to a training of the same experiment with another seed.
void Engine::next_generation() {
  std::vector<Frozen> newest;
  for (size_t group = 0; group < members_.size(); ++group) newest.push_back(parameters_of(training_->learner(group)));
  ++generation_;
  session_.reset();
  training_.reset();
  experiment_.seed = derived_seed(seed_, "generation/" + std::to_string(generation_));
  make_training();
  trained_ = false;
  for (size_t group = 0; group < members_.size(); ++group) {
    Member& member = members_[group];
    member.as_made = false;
    if (!member.policies.empty()) load(group, *newest[group]);
    member.state.generation = generation_;
    member.state.status = InterfaceStatus::idle;
    member.state.stop_reason.clear();
    member.state.error.reset();
    member.updates = 0;
  }
  publish_counts();
  report_tables();
}

void Engine::add_to(size_t group, uint32_t n, Init init) {
  Member& member = members_[group];
  for (uint32_t i = 0; i < n; ++i) {
    const std::string id = "policy-" + std::to_string(member.policies.size());
    if (!member.policies.empty()) member.policies.back().frozen = parameters_of(training_->learner(group));
    const bool first = std::exchange(member.as_made, false);  // the learner is as a run begins it
    if (!first && init == Init::fresh) load(group, *fresh(group, id));
    member.policies.push_back({id, nullptr, 0});
  }
}

void Engine::add_policies(const std::map<size_t, uint32_t>& numbers, Init init) {
  const std::lock_guard lock(mutex_);
  check_free("add_policies()");
  for (const auto& [group, n] : numbers)
    if (n == 0 || n > 1000)
      throw Error(
          "E1201", Exit::usage,
          "add_policies(): " + std::to_string(n) + " policies for `" + name_of(group) + "`, expected 1 to 1000");
  if (trained_) next_generation();
  for (const auto& [group, n] : numbers) add_to(group, n, init);
}

StrategySpec Engine::spec_of(size_t group) const {
  const std::lock_guard lock(mutex_);
  StrategySpec out{members_[group].runtime_id, {}, {}};
  for (const Policy& policy : members_[group].policies) {
    out.policy_ids.push_back(policy.id);
    out.probabilities.push_back(0);
  }
  if (!out.probabilities.empty()) out.probabilities.back() = 1;
  return out;
}

game::Plan Engine::plan_of(size_t group, size_t player, const StrategySpec& mixture) {
  const game::Player& who = training_->game->form.players[player];
  const game::View& view = training_->game->views[player];
  rollout::Learner& learner = training_->learner(group);
  const Frozen now = parameters_of(learner);
  std::vector<game::SparsePlan> population;
  std::vector<double> weights;
  for (size_t i = 0; i < mixture.policy_ids.size(); ++i) {
    if (mixture.probabilities[i] == 0) continue;
    const Policy& policy = members_[group].policies[i];
    ByteReader reader(policy.frozen ? policy.frozen->policy : now->policy, policy.id);
    learner.load_policy(reader);
    population.push_back(game::pure(who, game::greedy_choices(who, view, learner)));
    weights.push_back(mixture.probabilities[i]);
  }
  ByteReader reader(now->policy, "policy in training");
  learner.load_policy(reader);
  return game::mix(who, population, weights);
}

game::Exploitability Engine::distance(const std::map<std::string, std::map<std::string, double>>& mixtures) {
  std::vector<StrategySpec> specs(members_.size());
  for (const auto& [runtime_id, mixture] : mixtures) {
    const size_t group = group_named(runtime_id);
    specs[group] = spec_of(group).with(mixture);
  }
  for (const size_t group : order_)
    if (specs[group].policy_ids.empty())
      throw Error("E1204", Exit::usage, "get_exp(): `" + name_of(group) + "` has no mixture")
          .help("give each of its policies a probability; together they are 1");
  game::Exploitability out;
  between_steps([&] {
    if (!training_->game)
      throw Error("E1207", Exit::usage,
                  "get_exp() is not supported on " + training_->environment->name() + ": " +
                      (training_->why_not_judged.empty() ? "it has no game tree (spar.env.tree/1), or one of "
                                                           "more than " +
                                                               std::to_string(train::kJudgedHistories) + " positions"
                                                         : training_->why_not_judged));
    std::vector<game::Plan> plans(training_->game->form.players.size());
    for (const size_t group : order_)
      for (const uint32_t player : members_[group].agents) plans[player] = plan_of(group, player, specs[group]);
    out = game::exploitability(training_->game->form, plans);
  });
  return out;
}

}  // namespace spar::detail
