#include "core/match/cross_play.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/config/convert.hpp"
#include "core/game/exploitability.hpp"
#include "core/rollout/evaluation.hpp"
#include "core/train/equilibrium.hpp"
#include "core/train/training.hpp"

namespace spar::match {
namespace {

/// Returns are sums of 32-bit rewards.
constexpr double kRounding = 1e-6;

Error cannot_meet(const std::string& sentence, const std::string& help) {
  return Error("E0412", Exit::usage, sentence).help(help);
}

/// Every combination of one of `n` for each agent; the last changes fastest.
std::vector<MatchUp> all_matches(size_t n, size_t agents) {
  size_t count = 1;
  for (size_t i = 0; i < agents && count <= kMostMatches; ++i) count *= n;
  if (count > kMostMatches) {
    throw cannot_meet(std::to_string(n) + " policies at " + std::to_string(agents) + " seats make more than " +
                          std::to_string(kMostMatches) + " match-ups",
                      "name fewer policies");
  }
  std::vector<MatchUp> out(count);
  for (size_t i = 0; i < count; ++i) {
    out[i].seats.resize(agents);
    for (size_t rest = i, agent = agents; agent-- > 0; rest /= n) out[i].seats[agent] = rest % n;
  }
  return out;
}

bool adds_to_zero(const MatchUp& match) {
  double exact = 0;
  for (const double value : match.exact) exact += value;
  if (std::abs(exact) > kRounding) return false;
  for (size_t episode = 0; !match.returns.empty() && episode < match.returns[0].size(); ++episode) {
    double sum = 0;
    for (const auto& of_agent : match.returns) sum += of_agent[episode];
    if (std::abs(sum) > kRounding) return false;
  }
  return true;
}

/// Fills in the expected returns.
void compute(const game::SeenGame& game, const std::vector<Entrant>& entrants, std::vector<MatchUp>& matches) {
  std::vector<std::vector<game::Plan>> plans;  // by entrant, then by player
  for (const Entrant& entrant : entrants) {
    auto& of_entrant = plans.emplace_back();
    for (size_t p = 0; p < game.form.players.size(); ++p) of_entrant.push_back(entrant.policy->plan(game, p));
  }
  for (MatchUp& match : matches) {
    std::vector<game::Plan> seated;
    for (size_t p = 0; p < match.seats.size(); ++p) seated.push_back(plans[match.seats[p]][p]);
    match.exact = game::values(game.form, seated);
  }
}

void play(rollout::Environment& environment, const std::vector<Entrant>& entrants, uint64_t episodes,
          uint64_t first_seed, MatchUp& match) {
  std::string names = "match";
  for (const size_t entrant : match.seats) names += "/" + entrants[entrant].name;
  std::vector<std::unique_ptr<rollout::Opponent>> seated;
  std::vector<rollout::Participant> players;
  for (size_t agent = 0; agent < match.seats.size(); ++agent) {
    seated.push_back(entrants[match.seats[agent]].policy->sit(
        environment, agent, Philox(first_seed, names + ":" + environment.agents()[agent].id)));
    players.push_back({nullptr, seated.back().get()});
  }
  match.returns = rollout::play(environment, players, environment.time_limit(), episodes, first_seed).by_agent;
}

}  // namespace

void check_one_environment(const std::vector<std::string>& names, const std::vector<config::Experiment>& runs) {
  for (size_t i = 1; i < runs.size(); ++i) {
    const config::EnvConfig &first = runs[0].env, &other = runs[i].env;
    if (other.id != first.id) {
      throw cannot_meet("the run `" + names[i] + "` plays `" + other.id + "`, expected `" + first.id + "` as `" +
                            names[0] + "`: policies can only meet in one environment",
                        "name runs of the same environment");
    }
    for (size_t k = 0; k < first.options.values.size() && k < other.options.values.size(); ++k) {
      if (other.options.values[k] == first.options.values[k]) continue;
      const std::string& option = first.options.component->params[k].name;
      throw cannot_meet("the run `" + names[i] + "` has env." + option + " = " + text_of(other.options.values[k]) +
                            ", expected " + text_of(first.options.values[k]) + " as `" + names[0] +
                            "`: policies can only meet in one environment",
                        "name runs whose [env] is the same");
    }
  }
}

CrossPlay cross_play(const train::Host& host, const config::Experiment& run, const std::vector<Entrant>& entrants,
                     const CrossPlayRequest& request) {
  const config::ConfigView view(run.env.options);
  const spar_component& component = host.registry.load(SPAR_KIND_ENV, run.env.id);
  const uint64_t episodes = request.episodes.value_or(kMatchEpisodes);
  rollout::Environment environment(*host.table.host(), component, *view.get(),
                                   std::min<uint64_t>(episodes, train::kEvaluationCopies), request.first_seed,
                                   "environment/match");
  CrossPlay out;
  for (const auto& agent : environment.agents()) out.agents.push_back(agent.id);
  if (out.agents.size() < 2) {
    throw cannot_meet(environment.name() + " has one agent, `" + out.agents[0] + "`: nobody can meet there",
                      "evaluate the runs one by one: spar eval RUN");
  }
  out.matches = all_matches(entrants.size(), out.agents.size());
  if (const auto game = train::judged_game(environment, *host.table.host(), component, *view.get())) {
    compute(*game, entrants, out.matches);
    out.exact = true;
  }
  if (!out.exact || request.episodes) {
    out.episodes = episodes;
    for (MatchUp& match : out.matches) play(environment, entrants, episodes, request.first_seed, match);
  }
  out.zero_sum = std::ranges::all_of(out.matches, adds_to_zero);
  return out;
}

}  // namespace spar::match
