// Two players of the climbing game, each with an algorithm of its own: trained together, matched against their
// beginnings, and trained on.
#include "core/manager/training_manager.hpp"

#include <filesystem>
#include <iostream>

int main(int count, char** words) try {
  if (count != 2) return std::cerr << "usage: training_manager /absolute/directory/of/the/plugins\n", 2;
  using Measure = spar::config::Condition::Measure;
  spar::Plugins plugins({words[1]});
  spar::TrainingManager manager(
      plugins, {.experiment_tag = "climbing",
                .stopping_conditions = {.global = {.any = {{Measure::env_steps, 4'000}}}},
                .algorithms = {{"valued", {"dqn", "hidden_layers = [32]\nlr = 2e-3\nbatch_size = 64\nwarm_up = 400"}},
                               {"graded", {"ppo", "hidden_layers = [32]\nrollout_length = 50\nbatch_size = 100"}}},
                .env_desc = {.id = "climbing", .count = 4},
                .agent_mapping = std::map<std::string, std::string>{{"player_0", "valued"}, {"player_1", "graded"}},
                .log_dir = std::filesystem::temp_directory_path() / "spar-training-manager",
                .verbose = false});
  manager.add_policies({}, 2);  // policy-0 stays as it begins, policy-1 is trained
  manager.run();
  for (const auto& [runtime_id, state] : manager.retrieve_results())
    std::cout << runtime_id << ": " << spar::name(state.status) << " by " << state.stop_reason << " after "
              << state.env_steps << " steps and " << state.train_steps << " updates, parameters version "
              << manager.worker(runtime_id).push() << "\n";

  // What could each player gain against the policies of the beginning, and against those that were trained?
  const auto distance = [&](const std::string& policy) {
    return manager.get_exp({{"valued", {{policy, 1.0}}}, {"graded", {{policy, 1.0}}}}).nash_conv;
  };
  const double before = distance("policy-0"), after = distance("policy-1");
  std::cout << "NashConv " << before << " before, " << after << " after\n";

  manager.add_policies({"valued"}, 1, spar::Init::newest);  // the other one goes on with what it has
  manager.run();
  const auto results = manager.retrieve_results();
  std::filesystem::remove_all(manager.run_directory().parent_path());
  return after < before && results.at("valued").status == spar::InterfaceStatus::completed ? 0 : 1;
} catch (const spar::Error& error) {
  std::cerr << error.render();
  return static_cast<int>(error.exit());
}
