#include "host/spar/cross_play.hpp"

#include <algorithm>
#include <boost/json.hpp>

#include "core/match/cross_play.hpp"
#include "core/rollout/evaluation.hpp"
#include "core/run/run_list.hpp"
#include "core/run/statistics.hpp"
#include "host/spar/output.hpp"
#include "host/spar/run_log.hpp"
#include "host/spar/runs.hpp"
#include "host/spar/words.hpp"

namespace spar::host {
namespace {

namespace json = boost::json;

struct Entered {
  std::vector<match::Entrant> entrants;
  json::array described;
  config::Experiment run;  ///< the first: its environment is played
};

Entered enter(const std::string& checkpoint, const Arguments& arguments, Engine& engine) {
  Entered out;
  std::vector<std::string> names;
  std::vector<config::Experiment> runs;
  std::vector<run::RunDirectory> directories;
  for (const std::string& word : arguments.positional) {
    if (word == kRandom) continue;
    directories.push_back(run::RunDirectory::open(run::resolve(word, "runs")));
    names.push_back(directories.back().id());
    runs.push_back(experiment_of(directories.back(), engine));
    choose_device(runs.back(), arguments.device);
  }
  if (runs.empty()) {
    throw Error("E0412", Exit::usage, "`random` alone names no environment, expected at least one run")
        .help("e.g. spar eval @last random");
  }
  match::check_one_environment(names, runs);
  size_t next = 0;
  for (const std::string& word : arguments.positional) {
    if (word == kRandom) {
      out.entrants.push_back({kRandom, match::uniform_policy()});
      out.described.push_back(json::object{{"name", kRandom}});
      continue;
    }
    const size_t i = next++;
    out.entrants.push_back({names[i], match::policy_of_run(engine.host(), runs[i], directories[i], checkpoint)});
    out.described.push_back(json::object{
        {"name", names[i]}, {"run", directories[i].path().string()}, {"step", out.entrants.back().policy->step()}});
  }
  out.run = std::move(runs[0]);
  return out;
}

/// What an agent earned in a match-up that was played.
struct Earned {
  double mean;
  run::Interval interval;
};
Earned earned(const match::MatchUp& match, size_t agent, uint64_t seed) {
  return {run::mean(match.returns[agent]), run::bootstrap_mean(match.returns[agent], seed)};
}

/// One number of each match-up as nested lists: by the policy of the first agent, then of the second, ..
template <class Number>
json::value nested(const match::CrossPlay& result, size_t policies, size_t depth, size_t first, Number&& number) {
  if (depth == result.agents.size()) return number(result.matches[first]);
  size_t stride = 1;
  for (size_t i = depth + 1; i < result.agents.size(); ++i) stride *= policies;
  json::array out;
  for (size_t i = 0; i < policies; ++i) out.push_back(nested(result, policies, depth + 1, first + i * stride, number));
  return out;
}

json::object to_json(const match::CrossPlay& result, const Entered& entered, const std::string& checkpoint,
                     uint64_t seed) {
  const size_t n = entered.entrants.size();
  json::array by_agent;
  for (size_t agent = 0; agent < result.agents.size(); ++agent) {
    json::object one{{"agent", result.agents[agent]}};
    const auto add = [&](const char* name, auto&& number) { one[name] = nested(result, n, 0, 0, number); };
    if (result.exact) add("exact", [&](const match::MatchUp& match) { return json::value(match.exact[agent]); });
    if (result.episodes > 0) {
      add("mean", [&](const match::MatchUp& match) { return json::value(run::mean(match.returns[agent])); });
      add("ci", [&](const match::MatchUp& match) {
        const auto interval = earned(match, agent, seed).interval;
        return json::value{interval.low, interval.high};
      });
    }
    by_agent.push_back(std::move(one));
  }
  return {{"event", "cross_play"},
          {"environment", entered.run.env.id},
          {"checkpoint", checkpoint},
          {"policies", entered.described},
          {"seed", seed},
          {"episodes", result.episodes},
          {"zero_sum", result.zero_sum},
          {"returns", std::move(by_agent)}};
}

/// "0.25" or "0.25 [0.1, 0.4]".
std::string cell(const match::MatchUp& match, size_t agent, bool exact, uint64_t seed) {
  const auto brief_number = [](double value) { return brief(value == 0 ? 0.0 : value); };  // never -0
  if (exact) return brief_number(match.exact[agent]);
  const Earned what = earned(match, agent, seed);
  return brief_number(what.mean) + " [" + brief_number(what.interval.low) + ", " + brief_number(what.interval.high) +
         "]";
}

/// Rows are the policies of the first of two agents, columns those of the second.
std::string matrix(const match::CrossPlay& result, const std::vector<match::Entrant>& entrants, size_t agent,
                   bool exact, uint64_t seed, const Terminal& terminal) {
  const size_t n = entrants.size();
  size_t left = 0;
  std::vector<size_t> widths;
  for (const auto& entrant : entrants) {
    left = std::max(left, entrant.name.size());
    widths.push_back(entrant.name.size());
  }
  std::vector<std::string> cells;
  for (const auto& match : result.matches) {
    cells.push_back(cell(match, agent, exact, seed));
    auto& width = widths[match.seats[1]];
    width = std::max(width, cells.back().size());
  }
  const auto placed = [](const std::string& text, size_t width) {
    return std::string(width - text.size(), ' ') + text;
  };
  std::string out(left, ' ');
  for (size_t column = 0; column < n; ++column) out += "  " + placed(entrants[column].name, widths[column]);
  for (size_t row = 0; row < n; ++row) {
    out += "\n" + padded(paint(terminal.color_out, "1", entrants[row].name), left);
    for (size_t column = 0; column < n; ++column) out += "  " + placed(cells[row * n + column], widths[column]);
  }
  return out + "\n";
}

/// One line for each match-up: who sits where, and what they earn.
std::string list(const match::CrossPlay& result, const std::vector<match::Entrant>& entrants, bool exact,
                 uint64_t seed) {
  std::string out;
  for (const auto& match : result.matches) {
    for (size_t agent = 0; agent < match.seats.size(); ++agent)
      out += (agent > 0 ? ", " : "") + result.agents[agent] + " " + entrants[match.seats[agent]].name + " " +
             cell(match, agent, exact, seed);
    out += "\n";
  }
  return out;
}

std::string section(const match::CrossPlay& result, const Entered& entered, bool exact, uint64_t seed,
                    const Terminal& terminal) {
  const std::string game = config::short_id(entered.run.env.id) + ": ";
  const std::string kind = exact ? "exact expected returns" : "mean returns";
  const std::string sample = exact ? "" : " over " + grouped(result.episodes) + " episodes [95 % interval]";
  if (result.agents.size() != 2) return game + kind + sample + "\n" + list(result, entered.entrants, exact, seed);
  std::string out;
  for (size_t agent = 0; agent < (result.zero_sum ? 1 : 2); ++agent) {
    out += game + kind + " of " + result.agents[agent] + sample + "; rows play " + result.agents[0] +
           ", columns play " + result.agents[1] + "\n" + matrix(result, entered.entrants, agent, exact, seed, terminal);
  }
  return out;
}

}  // namespace

int eval_several(const train::EvaluationRequest& request, const Arguments& arguments, const Terminal& terminal) {
  plugin_log_to_terminal(arguments.verbose);
  Engine engine(arguments);
  // Where nobody's return is better than another's, the best checkpoint says nothing.
  const std::string checkpoint = checkpoint_wished(arguments, "last");
  const Entered entered = enter(checkpoint, arguments, engine);
  match::CrossPlayRequest wanted;
  if (arguments.has("episodes")) wanted.episodes = request.episodes;
  // Beyond the seeds of training and of its evaluations.
  wanted.first_seed = request.seed.value_or(2 * rollout::kEvaluationSeeds);
  const match::CrossPlay result = match::cross_play(engine.host(), entered.run, entered.entrants, wanted);
  if (arguments.json) {
    print_json(to_json(result, entered, checkpoint, wanted.first_seed));
    return 0;
  }
  if (result.exact) print(section(result, entered, true, wanted.first_seed, terminal));
  if (result.episodes > 0) print(section(result, entered, false, wanted.first_seed, terminal));
  return 0;
}

}  // namespace spar::host
