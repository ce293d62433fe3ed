#include "core/game/mixture_opponent.hpp"

#include "core/game/exploitability.hpp"
#include "core/game/fixture.hpp"
#include "core/game/mixture.hpp"
#include "core/rollout/worker.hpp"

using namespace spar;
using namespace spar::game;
using namespace spar::test;

namespace {

/// Kuhn poker between two populations.
struct Table {
  explicit Table(const Population (&populations)[2]) {
    const spar_component& component = environment_component("games", "org.spar.games/kuhn_poker");
    const auto values = options_of(component, {});
    const config::ConfigView view(values);
    environment =
        std::make_unique<rollout::Environment>(bare_host(), component, *view.get(), kCopies, 1, "environment");
    std::vector<rollout::Participant> participants;
    for (size_t p = 0; p < 2; ++p) {
      index[p] = index_of(kuhn().players[p]);
      opponents[p] = std::make_unique<MixtureOpponent>(kuhn().players[p], index[p], p, populations[p].strategies,
                                                       populations[p].mixture, *environment,
                                                       Philox(3, "opponent/" + std::to_string(p)));
      participants.push_back({nullptr, opponents[p].get()});
    }
    worker = std::make_unique<rollout::Worker>(*environment, participants, 0, 1);
    worker->start(7);
  }

  /// Mean return of player 0 over so many episodes.
  double mean_return(size_t episodes) {
    double sum = 0;
    for (size_t played = 0; played < episodes;) {
      worker->step(0, ~uint64_t{0});
      for (const rollout::Episode& episode : worker->finished()) {
        if (episode.agent != 0) continue;
        sum += episode.episode_return;
        ++played;
      }
    }
    return sum / static_cast<double>(episodes);
  }

  static constexpr uint64_t kCopies = 8;
  InfosetIndex index[2];
  std::unique_ptr<rollout::Environment> environment;
  std::unique_ptr<MixtureOpponent> opponents[2];
  std::unique_ptr<rollout::Worker> worker;
};

SparsePlan always_action(const Player& player, size_t action) {
  return sparse(to_plan(player, always(player, [action](size_t, std::span<const int64_t>) { return action; })));
}

}  // namespace

BOOST_AUTO_TEST_SUITE(mixture_opponent)

BOOST_AUTO_TEST_CASE(episodes_pay_what_the_mixtures_are_worth) {
  // Always betting against one who half the time always bets and half the time always passes, some uniform play in it.
  const auto& players = kuhn().players;
  const SparsePlan even[2] = {sparse(to_plan(players[0], uniform(players[0]))),
                              sparse(to_plan(players[1], uniform(players[1])))};
  const Population populations[2] = {
      {{even[0], always_action(players[0], 0), always_action(players[0], 1)}, {0.25, 0.5, 0.25}},
      {{always_action(players[1], 0), even[1], always_action(players[1], 1)}, {0.5, 0.0, 0.5}}};
  std::vector<Plan> plans;
  for (size_t p = 0; p < 2; ++p) plans.push_back(mix(players[p], populations[p].strategies, populations[p].mixture));
  const double expected = values(kuhn(), plans)[0];
  // Returns are within 2, so that the standard error of 40,000 episodes is below .01.
  BOOST_TEST(close(Table(populations).mean_return(40'000), expected, 0.03));
}

BOOST_AUTO_TEST_CASE(one_strategy_is_played_to_the_end_of_the_episode) {
  // Both pass or bet throughout, half the time each. Drawn for each move, a player would pass first and bet later: of
  // the five ways that a game can go, only those where everybody sticks to its strategy occur.
  const auto& players = kuhn().players;
  const Population populations[2] = {{{always_action(players[0], 0), always_action(players[0], 1)}, {0.5, 0.5}},
                                     {{always_action(players[1], 0), always_action(players[1], 1)}, {0.5, 0.5}}};
  Table table(populations);
  size_t long_games = 0, folds_after_a_pass = 0, games = 0;
  for (int step = 0; step < 2'000; ++step) {
    table.worker->step(0, ~uint64_t{0});
    for (const rollout::Episode& episode : table.worker->finished()) {
      if (episode.agent != 0) continue;
      ++games;
      if (episode.length != 3) continue;
      ++long_games;                                          // pass, bet, and player 0 again
      folds_after_a_pass += episode.episode_return == -1.0;  // who passed at first passes again
    }
  }
  BOOST_TEST(long_games > games / 5);
  BOOST_TEST(folds_after_a_pass == long_games);
}

BOOST_AUTO_TEST_CASE(what_the_mixture_leaves_out_is_never_played) {
  const auto& players = kuhn().players;
  const Population populations[2] = {{{always_action(players[0], 0), always_action(players[0], 1)}, {1.0, 0.0}},
                                     {{always_action(players[1], 1), always_action(players[1], 0)}, {0.0, 1.0}}};
  Table table(populations);
  for (int step = 0; step < 200; ++step) {
    table.worker->step(0, ~uint64_t{0});
    for (const rollout::Episode& episode : table.worker->finished()) BOOST_TEST(episode.length == 2u);
  }
}

BOOST_AUTO_TEST_CASE(a_position_that_the_tree_does_not_have_is_a_fault_of_the_environment) {
  const auto& players = kuhn().players;
  const Population populations[2] = {{{always_action(players[0], 0)}, {1.0}}, {{always_action(players[1], 0)}, {1.0}}};
  Table table(populations);
  table.index[0].clear();
  BOOST_TEST(refusal_of([&] { table.worker->step(0, ~uint64_t{0}); }) ==
             "E0703 environment `org.spar.games/kuhn_poker` came to an information set of agent `" + players[0].name +
                 "` that its game tree does not have");
}

BOOST_AUTO_TEST_SUITE_END()
