#include <boost/json.hpp>

#include "core/run/statistics.hpp"
#include "core/run/summary.hpp"
#include "host/spar/cross_play.hpp"
#include "host/spar/output.hpp"
#include "host/spar/run_log.hpp"
#include "host/spar/runs.hpp"
#include "host/spar/verbs.hpp"
#include "host/spar/words.hpp"

namespace spar::host {
namespace {

train::EvaluationRequest request_of(const Arguments& arguments) {
  train::EvaluationRequest request;
  request.checkpoint = checkpoint_wished(arguments, request.checkpoint);
  if (arguments.has("episodes")) {
    request.episodes = whole_number("--episodes", arguments.get("episodes"));
    if (request.episodes == 0 || request.episodes > 1'000'000)
      throw Error("E0403", Exit::usage, "`--episodes` must be from 1 to 1,000,000, found " + arguments.get("episodes"))
          .help("e.g. --episodes 100");
  }
  request.seed = arguments.seed;
  return request;
}

}  // namespace

int run_eval(const Arguments& arguments, const Terminal& terminal) {
  const auto request = request_of(arguments);
  if (arguments.positional.size() > 1) return eval_several(request, arguments, terminal);
  const auto directory = run::RunDirectory::open(run_named(arguments));
  plugin_log_to_terminal(arguments.verbose);
  Engine engine(arguments);
  auto experiment = experiment_of(directory, engine);
  if (experiment.is_league())
    throw Error("E0404", Exit::usage, "`spar eval` of a league alone is not offered")
        .help("let its newest main agent meet somebody: spar eval " + directory.id() +
              " random; Elo ratings and win rates are in league.json");
  if (experiment.solves())
    throw Error("E0404", Exit::usage, "`spar eval` is not offered for the scenario `" + experiment.scenario + "` yet")
        .help("its value, NashConv and exploitability are exact already: spar runs show " + directory.path().string());
  choose_device(experiment, arguments.device);
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
