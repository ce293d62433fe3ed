#include "core/manager/training_manager.hpp"

#include "core/manager/engine.hpp"

namespace spar {

std::string name(InterfaceStatus status) {
  switch (status) {
    case InterfaceStatus::idle:
      return "idle";
    case InterfaceStatus::running:
      return "running";
    case InterfaceStatus::completed:
      return "completed";
    case InterfaceStatus::stopped:
      return "stopped";
    default:
      return "failed";
  }
}

TrainingManager::TrainingManager(Plugins& plugins, TrainingManagerConfig config)
    : engine_(std::make_shared<detail::Engine>(plugins, std::move(config))) {
  for (const size_t group : engine_->order())
    workers_.emplace(engine_->name_of(group), std::make_shared<AgentInterface>(engine_, group));
}

TrainingManager::~TrainingManager() { engine_->terminate(); }

std::map<std::string, StrategySpec> TrainingManager::add_policies(const std::vector<std::string>& interface_ids,
                                                                  uint32_t n, Init init) {
  std::map<std::string, uint32_t> numbers;
  for (const std::string& id : interface_ids.empty() ? runtime_ids() : interface_ids) numbers[id] = n;
  return add_policies(numbers, init);
}

std::map<std::string, StrategySpec> TrainingManager::add_policies(const std::map<std::string, uint32_t>& n, Init init) {
  std::map<size_t, uint32_t> numbers;
  for (const auto& [id, number] : n) numbers[engine_->group_named(id)] = number;
  engine_->add_policies(numbers, init);
  std::map<std::string, StrategySpec> out;
  for (const auto& [group, number] : numbers) out.emplace(engine_->name_of(group), engine_->spec_of(group));
  return out;
}

std::map<std::string, std::vector<std::string>> TrainingManager::agent_groups() const {
  std::map<std::string, std::vector<std::string>> out;
  for (const size_t group : engine_->order()) out.emplace(engine_->name_of(group), engine_->agents_of(group));
  return out;
}

std::vector<std::string> TrainingManager::runtime_ids() const {
  std::vector<std::string> out;
  for (const size_t group : engine_->order()) out.push_back(engine_->name_of(group));
  return out;
}

AgentInterface& TrainingManager::worker(const std::string& runtime_id) const {
  return *workers_.at(engine_->name_of(engine_->group_named(runtime_id)));
}

void TrainingManager::run(const std::map<std::string, DataRequest>& data_request_identifiers) {
  engine_->run(data_request_identifiers);
}
std::map<std::string, InterfaceState> TrainingManager::retrieve_results() { return engine_->results(); }
void TrainingManager::terminate() { engine_->terminate(); }

game::Exploitability TrainingManager::get_exp(
    const std::map<std::string, std::map<std::string, double>>& policy_distribution) {
  return engine_->distance(policy_distribution);
}

const config::Experiment& TrainingManager::experiment() const { return engine_->experiment(); }
uint64_t TrainingManager::generation() const { return engine_->generation(); }
std::filesystem::path TrainingManager::run_directory() const { return engine_->run_directory(); }
run::Summary TrainingManager::summary() const { return engine_->summary(); }
std::vector<std::string> TrainingManager::warnings() const { return engine_->warnings(); }

}  // namespace spar
