#include <algorithm>
#include <boost/json.hpp>

#include "core/base/text.hpp"
#include "core/run/statistics.hpp"
#include "core/run/summary.hpp"
#include "host/spar/output.hpp"
#include "host/spar/run_log.hpp"
#include "host/spar/runs.hpp"
#include "host/spar/verbs.hpp"
#include "host/spar/words.hpp"

namespace spar::host {
namespace {

train::EvaluationRequest request_of(const Arguments& arguments) {
  train::EvaluationRequest request;
  request.checkpoint = arguments.get("checkpoint", request.checkpoint);
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const bool step =
      !request.checkpoint.empty() && request.checkpoint.size() < 19 && std::ranges::all_of(request.checkpoint, digit);
  if (request.checkpoint != "best" && request.checkpoint != "last" && !step)
    throw Error("E0403", Exit::usage,
                "`--checkpoint` must be best, last or a step, found `" + printable(request.checkpoint) + "`")
        .help("e.g. --checkpoint last");
  if (arguments.has("episodes")) {
    request.episodes = whole_number("--episodes", arguments.get("episodes"));
    if (request.episodes == 0 || request.episodes > 1'000'000)
      throw Error("E0403", Exit::usage, "`--episodes` must be from 1 to 1,000,000, found " + arguments.get("episodes"))
          .help("e.g. --episodes 100");
  }
  request.seed = arguments.seed;
  return request;
}

/// A run of a GPU can be evaluated on a machine that has none.
void choose_device(config::Options& options, const std::string& device) {
  for (size_t i = 0; i < options.values.size() && !device.empty(); ++i)
    if (options.component->params[i].name == "device") options.values[i].data = device;
}

}  // namespace

int run_eval(const Arguments& arguments, const Terminal& terminal) {
  const auto request = request_of(arguments);
  const auto directory = run::RunDirectory::open(run_named(arguments));
  plugin_log_to_terminal(arguments.verbose);
  Engine engine(arguments);
  auto experiment = experiment_of(directory, engine);
  if (experiment.solves())
    throw Error("E0404", Exit::usage, "`spar eval` is not offered for the scenario `" + experiment.scenario + "` yet")
        .help("its value, NashConv and exploitability are exact already: spar runs show " + directory.path().string());
  choose_device(experiment.algorithm.options, arguments.device);
  const auto result = train::evaluate_run(engine.host(), experiment, directory, request);
  const auto statistics = run::evaluate(result.returns, experiment.seed);
  if (arguments.json) {
    boost::json::object line{{"event", "eval"},
                             {"run", directory.path().string()},
                             {"checkpoint", request.checkpoint},
                             {"step", result.step},
                             {"return", run::to_json(statistics)},
                             {"returns", boost::json::value_from(result.returns)}};
    if (result.nash_conv) line["nash_conv"] = *result.nash_conv;
    print_json(line);
    return 0;
  }
  print(padded("run", 12) + directory.path().string() + "\n" + padded("checkpoint", 12) + request.checkpoint +
        ", step " + grouped(result.step) + "\n" + padded("return", 12) + "mean " +
        paint(terminal.color_out, "1", brief(statistics.mean)) + ", iqm " + brief(statistics.iqm) + " [" +
        brief(statistics.ci_low) + ", " + brief(statistics.ci_high) + "], min " + brief(statistics.min) + ", max " +
        brief(statistics.max) + " over " + std::to_string(statistics.episodes) + " episodes\n" +
        (result.nash_conv ? padded("NashConv", 12) + brief(*result.nash_conv) + " of greedy play\n" : ""));
  return 0;
}

}  // namespace spar::host
