#include <algorithm>
#include <boost/json.hpp>
#include <filesystem>

#include "core/base/temporary_directory.hpp"
#include "core/base/text.hpp"
#include "core/config/options.hpp"
#include "core/league/session.hpp"
#include "core/solve/session.hpp"
#include "host/spar/engine.hpp"
#include "host/spar/output.hpp"
#include "host/spar/run_log.hpp"
#include "host/spar/signals.hpp"
#include "host/spar/verbs.hpp"
#include "host/spar/words.hpp"

namespace spar::host {
namespace {

constexpr uint64_t kShort = 2'000;  // transitions of a training that is made twice

/// Only asks whether somebody wants to end it.
class Quiet : public train::Observer {
 public:
  train::Interruption interruption() override { return host::interruption(); }
};

std::string trained_parameters(Engine& engine, const config::Experiment& experiment) {
  const TemporaryDirectory temporary("spar-check");
  const auto directory = run::RunDirectory::create(temporary.path(), experiment.name);
  Quiet observer;
  const auto result = train::train(engine.host(), experiment, directory, {}, observer);
  if (result.error) throw Error(*result.error);
  if (result.summary.status != "completed")
    throw Error("E0407", Exit::interrupted, "the check was interrupted").help("nothing was left behind");
  return result.summary.parameters_sha256;
}

void check_twice(Engine& engine, config::Experiment experiment, const Arguments& arguments) {
  heed_signals();
  const uint64_t steps = std::min(kShort, experiment.stop.budget().value_or(kShort));
  experiment.stop = {{{config::Condition::Measure::env_steps, static_cast<double>(steps), 1}}, {}};
  experiment.eval.every = std::max<uint64_t>(1, std::min(experiment.eval.every, steps));
  const std::string first = trained_parameters(engine, experiment), second = trained_parameters(engine, experiment);
  if (arguments.json)
    print_json(
        {{"event", "twice"}, {"env_steps", steps}, {"first", first}, {"second", second}, {"equal", first == second}});
  if (first != second)
    throw Error("E0408", Exit::failed,
                "two trainings of " + grouped(steps) + " steps with the same seed ended with different parameters")
        .help("the environment or the algorithm draws from something else than its own stream");
  if (!arguments.json) print("twice " + grouped(steps) + " steps: the same parameters, sha256 " + first + "\n");
}

/// Of an experiment with [[group]]: [{"name", "agents", "algorithm"}].
boost::json::array groups_json(const config::Experiment& experiment) {
  boost::json::array out;
  for (const auto& group : experiment.groups) {
    boost::json::array agents;
    for (const auto& pattern : group.agents) agents.push_back(boost::json::string(pattern.text));
    out.push_back(boost::json::object{
        {"name", group.name}, {"agents", agents}, {"algorithm", experiment.algorithm_of(group.name)->id}});
  }
  return out;
}

/// "dqn on CartPole-v1, 50,000 steps, seed 1".
std::string plan_text(const config::Experiment& experiment) {
  const auto budget = experiment.budget();
  const std::string unit = experiment.solves() ? "iteration" : "step";
  std::vector<std::string> algorithms;
  for (const auto& [group, algorithm] : experiment.algorithms()) {
    const std::string name = config::short_id(algorithm->id);
    if (std::ranges::find(algorithms, name) == algorithms.end()) algorithms.push_back(name);
  }
  std::string who = experiment.solves() ? experiment.scenario : listing(algorithms);
  if (experiment.learns_in_phases()) who += " of " + listing(algorithms);
  return who + " on " + config::short_id(experiment.env.id) + ", " +
         (budget ? grouped(*budget) + " " + unit + "s" : "no " + unit + " budget") + ", seed " +
         std::to_string(experiment.seed);
}

}  // namespace

int run_check(const Arguments& arguments, const Terminal& terminal) {
  const config::Sources sources = sources_of(arguments);
  if (arguments.positional.empty())
    throw Error("E0403", Exit::usage, "`spar check` wants a preset or a file").help("e.g. spar check cartpole-dqn");
  plugin_log_to_terminal(arguments.verbose);
  Engine engine(arguments);
  const config::Experiment experiment = config::load(sources, train::lookup_in(engine.registry()));
  const auto rehearse = experiment.is_league() ? league::rehearse
                        : experiment.solves()  ? solve::rehearse
                                               : train::rehearse;
  const auto estimate = rehearse(engine.host(), experiment);
  const std::string warning = check_resources(estimate.memory_bytes, estimate.checkpoint_bytes, "runs");
  std::vector<std::string> warnings = experiment.warnings;
  if (!warning.empty()) warnings.push_back(warning);
  if (!arguments.quiet)
    for (const auto& text : warnings) print_error(paint(terminal.color_err, "1;33", "warning") + ": " + text + "\n");
  const auto budget = experiment.budget();
  if (arguments.json) {
    boost::json::object line{{"event", "check"},
                             {"name", experiment.name},
                             {"environment", experiment.env.id},
                             {"scenario", experiment.scenario},
                             {"algorithm", experiment.algorithm.id},
                             {"strategy", experiment.strategy.id},
                             {"seed", experiment.seed},
                             {"budget", budget ? boost::json::value(*budget) : boost::json::value()},
                             {"memory_bytes", estimate.memory_bytes},
                             {"checkpoint_bytes", estimate.checkpoint_bytes},
                             {"warnings", boost::json::value_from(warnings)}};
    if (!experiment.groups.empty()) line["groups"] = groups_json(experiment);
    print_json(line);
  } else {
    print(experiment.name + " is sound: " + plan_text(experiment) + "\n" +
          estimate_text(estimate.memory_bytes, estimate.checkpoint_bytes) + "\n");
  }
  if (arguments.has("twice") && experiment.solves())
    throw Error("E0404", Exit::usage,
                "`spar check --twice` is not offered for the scenario `" + experiment.scenario + "`")
        .help("start it twice and compare parameters_sha256");
  if (arguments.has("twice")) check_twice(engine, experiment, arguments);
  return 0;
}

}  // namespace spar::host
