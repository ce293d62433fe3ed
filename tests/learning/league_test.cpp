// A league learns a game, as the preset of users does.
#include "core/league/league.hpp"

#include <algorithm>
#include <cmath>

#include "core/rollout/evaluation.hpp"
#include "core/train/session.hpp"
#include "gate.hpp"

using namespace spar;

namespace {

config::Experiment loaded(const config::Sources& sources) {
  return config::load(sources, train::lookup_in(*test::plugins().registry));
}

/// Of 200 episodes against uniform play, with the league's newest main agent at `seat`, acting greedily.
double share_of_losses(const league::League& league, size_t seat) {
  constexpr uint64_t kEpisodes = 200, kCopies = 32;
  const auto environment = league.arena().environment(kCopies, 1, "environment/gate");
  const auto policy = league.policy(league.newest(0), "gate", 1, kCopies);
  rollout::SeatedPlayer main_agent(
      "the main agent",
      [&](rollout::Batch& seen, rollout::Batch& actions, uint64_t rows, const uint64_t* lane) {
        policy->act_greedily(seen, actions, rows, lane);
      },
      environment->agents()[seat], kCopies);
  rollout::UniformPlayer uniform(*environment, 1 - seat, Philox(1, "uniform"));
  std::vector<rollout::Participant> seats(2);
  seats[seat].opponent = &main_agent;
  seats[1 - seat].opponent = &uniform;
  const auto returns =
      rollout::play(*environment, seats, environment->time_limit(), kEpisodes, rollout::kEvaluationSeeds)
          .by_agent[seat];
  return static_cast<double>(std::ranges::count_if(returns, [](double x) { return x < 0; })) / kEpisodes;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(league_gate)

BOOST_AUTO_TEST_CASE(a_main_agent_hardly_loses_to_uniform_play_in_tic_tac_toe) {
  const int seeds = test::all_seeds() ? 3 : 1;
  int passed = 0;
  for (int seed = 1; seed <= seeds; ++seed) {
    config::Sources sources;
    sources.preset_directory = SPAR_BUILD_DIR "/share/spar/presets";
    sources.experiment = "tictactoe-league";
    sources.seed = static_cast<uint64_t>(seed);
    const config::Experiment experiment = loaded(sources);
    league::League league(experiment, train::loader_in(*test::plugins().registry), *test::plugins().host.host());
    while (league.iterations() < experiment.stop.iterations().value()) league.iterate({});
    const double first = share_of_losses(league, 0), second = share_of_losses(league, 1);
    const double elo = league.elo()[league.newest(0)];
    BOOST_TEST_MESSAGE("seed " << seed << ": loses " << first << " and " << second << ", Elo " << elo);
    passed += first <= 0.05 && second <= 0.1 && elo > 1'100;
  }
  BOOST_TEST(passed >= (test::all_seeds() ? 2 : 1), passed << " of " << seeds << " seeds passed");
}

BOOST_AUTO_TEST_CASE(win_rates_that_are_computed_are_those_that_are_played) {
  const std::string kuhn =
      "[env]\nid = \"kuhn_poker\"\ncount = 4\n[algorithm]\nid = \"dqn\"\nhidden_layers = [16]\nbatch_size = 32\n"
      "warm_up = 50\nbuffer_size = 1_000\nupdate_freq = 4\n[scenario]\nid = \"league\"\nmatch_episodes = 4_000\n"
      "[stop]\nany = [{ iterations = 1 }]\ntraining.any = [{ env_steps = 400 }]\n";
  const test::TemporaryDirectory directory;
  const std::string file = directory.write("kuhn.toml", kuhn).string();
  std::vector<std::vector<double>> rates;
  std::vector<std::string> parameters;
  for (const char* play : {"sample", "greedy"}) {  // of DQN the same
    config::Sources sources;
    sources.experiment = file;
    sources.assignments = {std::string("scenario.play=") + play};
    const config::Experiment experiment = loaded(sources);
    league::League league(experiment, train::loader_in(*test::plugins().registry), *test::plugins().host.host());
    league.iterate({});
    BOOST_TEST((league.arena().exact() != nullptr) == (std::string(play) == "greedy"));
    rates.emplace_back(league.results().win_rates().begin(), league.results().win_rates().end());
    parameters.push_back(league.parameters_sha256());
  }
  BOOST_TEST(parameters[0] == parameters[1]);
  for (size_t i = 0; i < rates[0].size(); ++i)  // within five standard errors
    BOOST_TEST(std::abs(rates[0][i] - rates[1][i]) < 5 * 0.5 / std::sqrt(4'000.0),
               "played " << rates[0][i] << ", computed " << rates[1][i]);
}

BOOST_AUTO_TEST_SUITE_END()
