#include <algorithm>
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <set>

#include "plugins/environments/environment_copies.hpp"
#include "support/json_file.hpp"

using namespace spar::test;
namespace data = boost::unit_test::data;
namespace json = boost::json;

namespace {

const spar_component& game(const std::string& id) { return environment_component("games", "org.spar.games/" + id); }

std::string infoset(EnvironmentCopies& copies, uint64_t row, uint32_t agent) {
  std::string key;
  const spar_stream stream{sizeof(spar_stream), 0, &key, nullptr, [](void* to, const void* from, uint64_t n) {
                             static_cast<std::string*>(to)->append(static_cast<const char*>(from), n);
                             return static_cast<int64_t>(n);
                           }};
  spar_error error{};
  error.struct_size = sizeof error;
  BOOST_REQUIRE_EQUAL(copies.tree()->infoset(copies.handle(), row, agent, &stream, &error), SPAR_OK);
  return key;
}

/// Calls of the tree extension on one row of an environment; each demands success.
struct Tree {
  EnvironmentCopies& copies;
  const spar_ext_env_tree& table = *copies.tree();

  void root(uint64_t row) { demand(table.root(copies.handle(), row, &error)); }
  void apply(uint64_t row, std::vector<int64_t> actions) {
    demand(table.apply(copies.handle(), row, actions.data(), static_cast<uint32_t>(actions.size()), &error));
  }
  int32_t player(uint64_t row) { return table.current_player(copies.handle(), row); }
  std::vector<int64_t> legal(uint64_t row, uint32_t agent) {
    std::vector<int64_t> out(table.legal_actions(copies.handle(), row, agent, nullptr, 0));
    table.legal_actions(copies.handle(), row, agent, out.data(), out.size());
    return out;
  }
  std::vector<std::pair<int64_t, double>> chance(uint64_t row) {
    int64_t outcomes[16];
    double probabilities[16];
    std::vector<std::pair<int64_t, double>> out;
    const uint64_t n = table.chance_outcomes(copies.handle(), row, outcomes, probabilities, 16);
    for (uint64_t i = 0; i < n; ++i) out.emplace_back(outcomes[i], probabilities[i]);
    return out;
  }
  std::vector<double> returns(uint64_t row) {
    std::vector<double> out(copies.world().n_agents);
    demand(table.returns(copies.handle(), row, out.data(), &error));
    return out;
  }

  void demand(spar_status status) { BOOST_REQUIRE_MESSAGE(status == SPAR_OK, error.message); }
  spar_error error{sizeof(spar_error), 0, {}};
};

struct Count {
  int64_t terminal = 0, decision = 0, chance = 0;
  double value = 0;  ///< of agent 0 when everybody plays uniformly
  std::map<double, int64_t> outcomes;
  std::set<std::pair<int32_t, std::string>> infosets;
  std::set<std::pair<std::string, std::string>> positions;  ///< what both agents know
};

/// Every position below row `depth`.
void walk(Tree& tree, uint64_t depth, double reach, Count& count, int64_t most_moves = 1000) {
  const int32_t player = tree.player(depth);
  count.positions.emplace(infoset(tree.copies, depth, 0), infoset(tree.copies, depth, 1));
  const auto go = [&](std::vector<int64_t> actions, double probability) {
    tree.copies.copy(depth + 1, depth);
    tree.apply(depth + 1, std::move(actions));
    walk(tree, depth + 1, reach * probability, count, most_moves - 1);
  };
  if (player == SPAR_PLAYER_TERMINAL || most_moves == 0) {
    ++count.terminal;
    const double value = tree.returns(depth)[0];
    count.value += reach * value;
    ++count.outcomes[value];
  } else if (player == SPAR_PLAYER_CHANCE) {
    ++count.chance;
    double sum = 0;
    for (const auto& [outcome, probability] : tree.chance(depth)) {
      sum += probability;
      go({outcome}, probability);
    }
    BOOST_TEST(std::fabs(sum - 1) < 1e-12);
  } else {
    ++count.decision;
    const auto actions = tree.legal(depth, static_cast<uint32_t>(player));
    count.infosets.emplace(player, infoset(tree.copies, depth, static_cast<uint32_t>(player)));
    for (const int64_t action : actions) go({action}, 1.0 / static_cast<double>(actions.size()));
  }
}

Count walk(EnvironmentCopies& copies) {
  Tree tree{copies};
  tree.root(0);
  Count count;
  walk(tree, 0, 1, count);
  return count;
}

/// The same without keys, for large trees: leaves after `moves` moves at most.
int64_t leaves(Tree& tree, uint64_t depth, int64_t moves) {
  const int32_t player = tree.player(depth);
  if (player < 0 || moves == 0) return moves == 0;
  int64_t sum = 0;
  for (const int64_t action : tree.legal(depth, static_cast<uint32_t>(player))) {
    tree.copies.copy(depth + 1, depth);
    tree.apply(depth + 1, {action});
    sum += leaves(tree, depth + 1, moves - 1);
  }
  return sum;
}

/// Plays the legal actions of a random generator on all copies until `episodes` have ended; calls ended(row) for each.
template <class Ended, class Seen>
void play(EnvironmentCopies& copies, uint64_t rows, int episodes, Seen&& seen, Ended&& ended) {
  std::mt19937_64 random(7);
  std::vector<uint64_t> seeds(rows);
  for (uint64_t row = 0; row < rows; ++row) seeds[row] = row;
  copies.reset(nullptr, seeds.data());
  while (episodes > 0) {
    for (uint64_t row = 0; row < rows; ++row) {
      seen(row);
      for (size_t agent = 0; agent < copies.world().n_agents; ++agent) {
        const auto n = static_cast<size_t>(copies.agent(agent).act->n);
        const uint8_t* mask = copies.column(agent, "action_mask").as<uint8_t>() + row * n;
        const auto allowed = static_cast<size_t>(std::count(mask, mask + n, 1));
        const bool acting = copies.column(agent, "acting").as<uint8_t>()[row];
        BOOST_REQUIRE_EQUAL(acting, allowed > 0);
        if (!acting) continue;
        size_t skip = random() % allowed;
        for (size_t a = 0; a < n; ++a)
          if (mask[a] && skip-- == 0) copies.discrete(row, agent) = static_cast<int64_t>(a);
      }
    }
    copies.step();
    std::vector<uint8_t> over(rows);
    for (uint64_t row = 0; row < rows; ++row) {
      over[row] = copies.terminated(row, 0);
      BOOST_REQUIRE_EQUAL(copies.terminated(row, 0), copies.terminated(row, 1));
      if (over[row]) ended(row), --episodes;
    }
    copies.reset(over.data());
  }
}

json::value reference(const char* name) { return json_file("parity/poker_reference.json").at(name); }

}  // namespace

BOOST_AUTO_TEST_SUITE(games)

BOOST_DATA_TEST_CASE(poker_has_the_positions_and_the_uniform_value_of_the_reference,
                     data::make(std::vector<const char*>{"kuhn_poker", "leduc_poker"}), name) {
  EnvironmentCopies copies(game(name), 20);
  const Count count = walk(copies);
  const json::value expected = reference(name);
  const auto& counts = expected.at("counts").as_object();
  BOOST_TEST(count.terminal == counts.at("terminal").as_int64());
  BOOST_TEST(count.decision == counts.at("decision").as_int64());
  BOOST_TEST(count.chance == counts.at("chance").as_int64());
  BOOST_TEST(count.terminal + count.decision + count.chance == counts.at("histories").as_int64());
  BOOST_TEST(static_cast<int64_t>(count.infosets.size()) == expected.at("infostates").as_int64());
  BOOST_TEST(std::fabs(count.value - expected.at("uniform").at("value_p0").to_number<double>()) < 1e-14);
}

BOOST_DATA_TEST_CASE(random_play_stays_in_the_tree_and_averages_to_its_value,
                     data::make(std::vector<const char*>{"kuhn_poker", "leduc_poker"}), name) {
  EnvironmentCopies copies(game(name), 40), tree(game(name), 20);
  const Count count = walk(tree);
  std::set<std::pair<std::string, std::string>> seen;
  double sum = 0, squares = 0;
  int episodes = 0;
  const auto look = [&](uint64_t row) { seen.emplace(infoset(copies, row, 0), infoset(copies, row, 1)); };
  play(copies, 40, 20'000, look, [&](uint64_t row) {
    look(row);
    const double paid = copies.reward(row, 0);
    BOOST_REQUIRE_EQUAL(copies.reward(row, 1), -paid);
    BOOST_REQUIRE(count.outcomes.contains(paid));
    sum += paid, squares += paid * paid, ++episodes;
  });
  for (const auto& position : seen) BOOST_REQUIRE(count.positions.contains(position));
  const double mean = sum / episodes, error = std::sqrt((squares / episodes - mean * mean) / episodes);
  BOOST_TEST(std::fabs(mean - count.value) < 4 * error);
}

BOOST_AUTO_TEST_CASE(leduc_pays_at_most_13) {
  EnvironmentCopies copies(game("leduc_poker"), 20);
  const Count count = walk(copies);
  BOOST_TEST(count.outcomes.begin()->first == -13);
  BOOST_TEST(count.outcomes.rbegin()->first == 13);
}

BOOST_AUTO_TEST_CASE(poker_shows_either_tensor) {
  EnvironmentCopies kuhn(game("kuhn_poker"), 2), table(game("kuhn_poker"), 2, {{"tensor", "observation"}});
  BOOST_TEST(kuhn.obs_width() == 11U);
  BOOST_TEST(table.obs_width() == 7U);
  for (EnvironmentCopies* copies : {&kuhn, &table}) {
    Tree tree{*copies};
    tree.root(0);
    for (const int64_t action : {2, 1, 0, 1}) tree.apply(0, {action});  // king, queen, pass, bet
    spar_error error{};
    error.struct_size = sizeof error;
    BOOST_REQUIRE_EQUAL(copies->tree()->observe(copies->handle(), 0, &copies->io(false), &error), SPAR_OK);
  }
  const std::vector<float> information = {0, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0}, stakes = {0, 1, 0, 1, 0, 1, 2};
  BOOST_TEST(std::vector<float>(kuhn.obs(0, 1), kuhn.obs(0, 1) + 11) == information, boost::test_tools::per_element());
  BOOST_TEST(std::vector<float>(table.obs(0, 1), table.obs(0, 1) + 7) == stakes, boost::test_tools::per_element());
  EnvironmentCopies leduc(game("leduc_poker"), 1), small(game("leduc_poker"), 1, {{"tensor", "observation"}});
  BOOST_TEST(leduc.obs_width() == 30U);
  BOOST_TEST(small.obs_width() == 16U);
}

BOOST_AUTO_TEST_CASE(tic_tac_toe_has_255168_games) {
  EnvironmentCopies copies(game("tic_tac_toe"), 11);
  Tree tree{copies};
  tree.root(0);
  std::map<double, int64_t> results;
  const auto count = [&](auto&& self, uint64_t depth) -> void {
    if (tree.player(depth) == SPAR_PLAYER_TERMINAL) {
      ++results[tree.returns(depth)[0]];
      return;
    }
    for (const int64_t action : tree.legal(depth, static_cast<uint32_t>(tree.player(depth)))) {
      copies.copy(depth + 1, depth);
      tree.apply(depth + 1, {action});
      self(self, depth + 1);
    }
  };
  count(count, 0);
  BOOST_TEST(results[1] == 131'184);
  BOOST_TEST(results[-1] == 77'904);
  BOOST_TEST(results[0] == 46'080);
}

BOOST_AUTO_TEST_CASE(connect_four_has_the_known_number_of_lines_of_play) {
  EnvironmentCopies copies(game("connect_four"), 9);
  Tree tree{copies};
  tree.root(0);
  for (const auto& [moves, expected] : std::map<int64_t, int64_t>{{1, 7}, {4, 2401}, {6, 117'649}, {7, 823'536}})
    BOOST_TEST(leaves(tree, 0, moves) == expected);
}

BOOST_AUTO_TEST_CASE(connect_four_ends_with_four_in_a_line_in_every_direction) {
  EnvironmentCopies copies(game("connect_four"), 1);
  Tree tree{copies};
  const std::vector<std::vector<int64_t>> wins = {{0, 1, 0, 1, 0, 1, 0},               // upright
                                                  {3, 3, 4, 4, 5, 5, 6},               // level, at the edge
                                                  {0, 1, 1, 2, 2, 3, 2, 3, 3, 6, 3},   // rising
                                                  {6, 5, 5, 4, 4, 3, 4, 3, 3, 0, 3}};  // falling
  for (const auto& moves : wins) {
    tree.root(0);
    for (size_t i = 0; i < moves.size(); ++i) {
      BOOST_REQUIRE_EQUAL(tree.player(0), static_cast<int32_t>(i % 2));
      tree.apply(0, {moves[i]});
    }
    BOOST_TEST(tree.player(0) == SPAR_PLAYER_TERMINAL);
    BOOST_TEST(tree.returns(0)[0] == 1);
  }
  tree.root(0);
  for (const int64_t move : {0, 6, 6, 6, 6, 6, 6}) tree.apply(0, {move});  // a full column has no line around the edge
  BOOST_TEST(tree.player(0) == 1);
  BOOST_TEST(tree.legal(0, 1).size() == 6U);
}

BOOST_AUTO_TEST_CASE(play_follows_the_recorded_turns_of_pettingzoo) {
  int turns = 0;
  const json::value recorded = json_file("parity/aec_games.json");
  for (const auto& trace : recorded.at("traces").as_array()) {
    const bool noughts = trace.at("name").as_string().starts_with("tictactoe");
    const auto& rows = trace.at("rows").as_array();
    EnvironmentCopies copies(game(noughts ? "tic_tac_toe" : "rock_paper_scissors"), 1,
                             noughts ? Overrides{} : Overrides{{"rounds", 4}});
    copies.reset_all(0);
    std::vector<double> paid(2);
    for (const auto& row : rows) {
      if (row.as_object().contains("end")) break;
      const size_t agent = row.at("agent").as_string().back() == (noughts ? '2' : '1') ? 1 : 0;
      ++turns;
      std::vector<float> shown;
      if (noughts) {
        for (const auto& line : row.at("observation").as_array())
          for (const auto& cell : line.as_array())
            for (const auto& plane : cell.as_array()) shown.push_back(plane.to_number<float>());
      } else {
        shown.assign(4, 0);
        shown[static_cast<size_t>(row.at("observation").to_number<double>())] = 1;
      }
      const float* obs = copies.obs(0, agent);
      BOOST_TEST(std::vector<float>(obs, obs + shown.size()) == shown, boost::test_tools::per_element());
      BOOST_TEST(paid[agent] == row.at("cumulative_reward").to_number<double>());
      paid[agent] = 0;
      BOOST_TEST(static_cast<bool>(copies.terminated()) ==
                 (row.at("terminated").as_bool() || row.at("truncated").as_bool()));
      if (row.at("action").is_null()) continue;
      if (noughts) {
        const auto* mask = copies.column(agent, "action_mask").as<uint8_t>();
        for (size_t a = 0; a < 9; ++a) BOOST_TEST(mask[a] == row.at("mask").as_array()[a].to_number<int>());
      }
      copies.discrete(0, agent) = row.at("action").to_number<int64_t>();
      if (!noughts && agent == 0) continue;  // both choose before either sees anything
      copies.step();
      for (size_t i = 0; i < 2; ++i) paid[i] += static_cast<double>(copies.reward(0, i));
    }
  }
  BOOST_TEST(turns > 50);
}

BOOST_AUTO_TEST_CASE(an_illegal_action_loses_1_and_ends_the_episode) {
  for (const auto& [name, action] : std::map<std::string, int64_t>{{"tic_tac_toe", 4}, {"leduc_poker", 0}}) {
    EnvironmentCopies copies(game(name), 1);
    copies.reset_all(0);
    if (name == "tic_tac_toe") {
      copies.discrete(0, 0) = 4;
      copies.step();
      BOOST_TEST(copies.terminated() == 0);
    }
    const size_t mover = name == "tic_tac_toe" ? 1 : 0;
    copies.discrete(0, mover) = action;
    copies.step();
    BOOST_TEST(copies.reward(0, mover) == -1);
    BOOST_TEST(copies.reward(0, 1 - mover) == 0);
    BOOST_TEST(copies.terminated() == 1);
    copies.step();
    BOOST_TEST(copies.reward(0, mover) == 0);
    BOOST_TEST(copies.terminated() == 1);
  }
}

BOOST_AUTO_TEST_CASE(matrix_games_pay_by_their_tables) {
  const std::map<std::string, std::vector<double>> tables = {{"rock_paper_scissors", {0, -1, 1, 1, 0, -1, -1, 1, 0}},
                                                             {"matching_pennies", {1, -1, -1, 1}},
                                                             {"prisoners_dilemma", {5, 0, 10, 1}},
                                                             {"climbing", {11, -30, 0, -30, 7, 6, 0, 0, 5}},
                                                             {"penalty", {10, 0, -100, 0, 2, 0, -100, 0, 10}}};
  for (const auto& [name, payoffs] : tables) {
    EnvironmentCopies copies(game(name), 1);
    const int64_t n = copies.agent().act->n;
    BOOST_REQUIRE_EQUAL(payoffs.size(), static_cast<size_t>(n * n));
    const bool common = name == "climbing" || name == "penalty", dilemma = name == "prisoners_dilemma";
    for (int64_t a = 0; a < n; ++a) {
      for (int64_t b = 0; b < n; ++b) {
        copies.reset_all(0);
        copies.discrete(0, 0) = a, copies.discrete(0, 1) = b;
        copies.step();
        const double mine = payoffs[static_cast<size_t>(a * n + b)], swapped = payoffs[static_cast<size_t>(b * n + a)];
        BOOST_TEST(copies.reward(0, 0) == mine);
        BOOST_TEST(copies.reward(0, 1) == (common ? mine : dilemma ? swapped : -mine));
        BOOST_TEST(copies.terminated() == 1);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_table_of_the_options_may_have_three_players) {
  EnvironmentCopies copies(
      game("matrix"), 1,
      {{"actions", std::vector<double>{2, 1, 3}},
       {"payoffs", std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, -1, -2, -3, -4, -5, -6}},
       {"rounds", 2}});
  BOOST_REQUIRE_EQUAL(copies.world().n_agents, 3U);
  copies.reset_all(0);
  copies.discrete(0, 0) = 1, copies.discrete(0, 1) = 0, copies.discrete(0, 2) = 2;
  for (int round = 0; round < 2; ++round) {
    copies.step();
    BOOST_TEST(copies.reward(0, 0) == 6);
    BOOST_TEST(copies.reward(0, 1) == 12);
    BOOST_TEST(copies.reward(0, 2) == -6);
    BOOST_TEST(copies.terminated() == round);
  }
  BOOST_TEST(copies.obs_width(0) == 6U);
  const std::vector<float> last = {1, 0, 0, 0, 1, 0};
  BOOST_TEST(std::vector<float>(copies.obs(0, 0), copies.obs(0, 0) + 6) == last, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(tables_of_the_wrong_size_are_refused) {
  const auto refusal = [](const Overrides& overrides) -> std::string {
    try {
      EnvironmentCopies copies(game("matrix"), 1, overrides);
      return "";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  };
  BOOST_TEST(refusal({{"payoffs", std::vector<double>{1, 2, 3}}}) ==
             "`payoffs` holds 3 numbers, expected 8 (4 cells for each of 2 players) or 4 for a zero-sum game");
  BOOST_TEST(refusal({{"actions", std::vector<double>{2, 2, 2}}}) ==
             "`payoffs` holds 4 numbers, expected 24 (8 cells for each of 3 players)");
  BOOST_TEST(refusal({{"actions", std::vector<double>{2, 2, 2, 2, 2}}}) ==
             "`actions` lists 5 players, expected 1 to 4");
}

BOOST_AUTO_TEST_CASE(the_tree_refuses_what_is_not_legal) {
  EnvironmentCopies copies(game("leduc_poker"), 2);
  Tree tree{copies};
  spar_error error{};
  error.struct_size = sizeof error;
  const auto refusal = [&](std::vector<int64_t> actions) -> std::string {
    const auto n = static_cast<uint32_t>(actions.size());
    const bool refused = copies.tree()->apply(copies.handle(), 0, actions.data(), n, &error) == SPAR_E_INVALID;
    return refused ? error.message : "";
  };
  BOOST_TEST(copies.tree()->apply(copies.handle(), 0, nullptr, 0, &error) == SPAR_E_STATE);
  tree.root(0);
  BOOST_TEST(refusal({6}) == "chance has no outcome 6 in this position; see chance_outcomes");
  BOOST_TEST(refusal({0, 1}) == "apply brings 2 actions, this position expects 1");
  tree.apply(0, {0});
  BOOST_TEST(refusal({0}) == "chance has no outcome 0 in this position; see chance_outcomes");
  tree.apply(0, {1});
  BOOST_TEST(refusal({0}) == "action 0 of agent `player_0` is not legal in this position");
  BOOST_TEST(refusal({3}) == "action 3 of agent `player_0` is not legal in this position");
  BOOST_TEST(tree.legal(0, 0) == (std::vector<int64_t>{1, 2}), boost::test_tools::per_element());
  BOOST_TEST(tree.legal(0, 1).empty());
  BOOST_TEST(copies.tree()->root(copies.handle(), 2, &error) == SPAR_E_INVALID);
}

BOOST_AUTO_TEST_CASE(every_game_saves_and_continues_exactly) {
  for (const char* name : {"kuhn_poker", "leduc_poker", "tic_tac_toe", "connect_four", "matching_pennies"}) {
    EnvironmentCopies copies(game(name), 3);
    const uint64_t seeds[3] = {1, 2, 3};
    copies.reset(nullptr, seeds);
    for (int i = 0; i < 20; ++i) {
      BOOST_REQUIRE_EQUAL(copies.try_load(1, copies.save(0)), SPAR_OK);
      copies.copy(2, 0);
      for (uint64_t row = 0; row < 3; ++row)
        for (size_t agent = 0; agent < 2; ++agent) copies.discrete(row, agent) = 1;
      copies.step();
      for (const uint64_t row : {1, 2}) {
        BOOST_TEST(copies.save(row) == copies.save(0), name);
        BOOST_TEST(std::equal(copies.obs(row), copies.obs(row) + copies.obs_width(), copies.obs(0)));
      }
      if (copies.terminated()) copies.reset();
    }
    Bytes spoilt = copies.save(0);
    const int64_t impossible = 77;
    std::memcpy(spoilt.data() + 16, &impossible, sizeof impossible);
    BOOST_TEST(copies.try_load(0, spoilt) == SPAR_E_INVALID);
  }
}

BOOST_AUTO_TEST_SUITE_END()

namespace {

/// Texts of every position before the end, by agent and infoset.
void collect_texts(Tree& tree, uint64_t depth, std::map<std::pair<uint32_t, std::string>, std::set<std::string>>& out) {
  const int32_t player = tree.player(depth);
  if (player == SPAR_PLAYER_TERMINAL) return;
  const auto go = [&](int64_t action) {
    tree.copies.copy(depth + 1, depth);
    tree.apply(depth + 1, {action});
    collect_texts(tree, depth + 1, out);
  };
  if (player == SPAR_PLAYER_CHANCE) {
    for (const auto& [outcome, probability] : tree.chance(depth)) go(outcome);
    return;
  }
  for (uint32_t agent = 0; agent < 2; ++agent)
    out[{agent, infoset(tree.copies, depth, agent)}].insert(tree.copies.text(depth, agent));
  for (const int64_t action : tree.legal(depth, static_cast<uint32_t>(player))) go(action);
}

/// The refusal of a call, or "".
template <class Call>
std::string refused(Call&& call) {
  try {
    call();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(games_in_words)

BOOST_AUTO_TEST_CASE(every_game_can_be_drawn_and_keeps_to_the_contract) {
  for (const char* name : {"kuhn_poker", "leduc_poker", "tic_tac_toe", "connect_four", "rock_paper_scissors",
                           "matching_pennies", "prisoners_dilemma", "climbing", "penalty", "matrix"}) {
    EnvironmentCopies copies(game(name), 2);
    BOOST_TEST_REQUIRE(copies.text_extension() != nullptr, name);
    BOOST_TEST(copies.text_extension()->struct_size == sizeof(spar_ext_env_text));
    const bool names = copies.text_extension()->action != nullptr;
    BOOST_TEST(names == (std::string(name) != "connect_four"), name);  // whose columns are numbered on the board
    BOOST_TEST(refused([&] { copies.text(0, 0); }) == "copy 0 has no state yet: reset it first");
    copies.reset_all(3);
    for (uint32_t agent = 0; agent < 2; ++agent) {
      const std::string text = copies.text(1, agent);
      BOOST_TEST((!text.empty() && text.back() == '\n'), name);
      for (const char c : text) BOOST_TEST((c == '\n' || (c >= ' ' && c <= '~')), name);
      BOOST_TEST(copies.text(1, agent, 1) == text);  // byte by byte
      for (int64_t action = 0; names && action < copies.agent(agent).act->n; ++action)
        for (const char c : copies.action_name(1, agent, action)) BOOST_TEST((c >= ' ' && c <= '~'), name);
    }
    BOOST_TEST(refused([&] { copies.text(2, 0); }) == "there is no copy 2: the last one is 1");
    BOOST_TEST(refused([&] { copies.text(0, 2); }) == "there is no agent 2: the last one is 1");
    for (const int64_t action : {int64_t{-1}, copies.agent(1).act->n})
      if (names)
        BOOST_TEST(refused([&] { copies.action_name(0, 1, action); }).starts_with("there is no action "), name);
  }
}

BOOST_AUTO_TEST_CASE(what_a_stream_answers_comes_back) {
  EnvironmentCopies copies(game("kuhn_poker"), 1);
  copies.reset_all(0);
  const spar_stream full{sizeof(spar_stream), 0, nullptr, nullptr,
                         [](void*, const void*, uint64_t) { return int64_t{SPAR_E_IO}; }};
  spar_error error{};
  error.struct_size = sizeof error;
  BOOST_TEST(copies.text_extension()->position(copies.handle(), 0, 0, &full, &error) == SPAR_E_IO);
  BOOST_TEST(copies.text_extension()->action(copies.handle(), 0, 0, 1, &full, &error) == SPAR_E_IO);
  BOOST_TEST(std::string(error.message) == "the host's stream refused a write");
}

BOOST_AUTO_TEST_CASE(a_player_is_shown_nothing_that_its_information_set_does_not_tell) {
  for (const auto& [name, infosets] : std::map<std::string, size_t>{{"kuhn_poker", 24}, {"leduc_poker", 1872}}) {
    EnvironmentCopies copies(game(name), 20);
    Tree tree{copies};
    tree.root(0);
    std::map<std::pair<uint32_t, std::string>, std::set<std::string>> texts;
    collect_texts(tree, 0, texts);
    BOOST_TEST(texts.size() == infosets, name);  // where either player moves
    for (const auto& [infoset, seen] : texts) BOOST_TEST(seen.size() == 1U, name);
  }
}

BOOST_AUTO_TEST_CASE(poker_shows_all_cards_at_the_end_and_names_moves_by_the_situation) {
  EnvironmentCopies kuhn(game("kuhn_poker"), 1);
  Tree tree{kuhn};
  tree.root(0);
  for (const int64_t action : {2, 0, 0}) tree.apply(0, {action});  // king, jack, pass
  BOOST_TEST(kuhn.text(0, 1) == "your card: J   player_0: ?\nin the pot: you 1, player_0 1\n");
  BOOST_TEST(kuhn.action_name(0, 1, 0) == "pass");
  BOOST_TEST(kuhn.action_name(0, 1, 1) == "bet");
  tree.apply(0, {1});
  BOOST_TEST(kuhn.text(0, 0) == "your card: K   player_1: ?\nin the pot: you 1, player_1 2\n");
  BOOST_TEST(kuhn.action_name(0, 0, 0) == "fold");
  BOOST_TEST(kuhn.action_name(0, 0, 1) == "call");
  tree.apply(0, {1});
  BOOST_TEST(kuhn.text(0, 0) == "your card: K   player_1: J\nin the pot: you 2, player_1 2\n");

  EnvironmentCopies leduc(game("leduc_poker"), 1);
  Tree deep{leduc};
  deep.root(0);
  for (const int64_t action : {1, 4, 1}) deep.apply(0, {action});  // jack, king, check
  BOOST_TEST(leduc.text(0, 1) ==
             "your card: K   public card: -   player_0: ?\nround 1, in the pot: you 1, player_0 1\n");
  BOOST_TEST(leduc.action_name(0, 1, 1) == "check");
  BOOST_TEST(leduc.action_name(0, 1, 2) == "raise by 2");
  deep.apply(0, {2});
  BOOST_TEST(leduc.action_name(0, 0, 1) == "call");
  for (const int64_t action : {1, 2}) deep.apply(0, {action});  // call; a queen for all
  BOOST_TEST(leduc.text(0, 0) ==
             "your card: J   public card: Q   player_1: ?\nround 2, in the pot: you 3, player_1 3\n");
  BOOST_TEST(leduc.action_name(0, 0, 2) == "raise by 4");
}

BOOST_AUTO_TEST_CASE(boards_are_drawn_with_the_numbers_of_the_moves) {
  EnvironmentCopies board(game("tic_tac_toe"), 1);
  Tree tree{board};
  tree.root(0);
  for (const int64_t action : {4, 0}) tree.apply(0, {action});
  BOOST_TEST(board.text(0, 0) == "you are X\n O | 1 | 2 \n---+---+---\n 3 | X | 5 \n---+---+---\n 6 | 7 | 8 \n");
  BOOST_TEST(board.text(0, 1).starts_with("you are O\n"));
  BOOST_TEST(board.action_name(0, 0, 8) == "bottom right");
  for (const int64_t action : {2, 1, 6}) tree.apply(0, {action});
  BOOST_TEST(board.text(0, 0) == "you are X\n O | O | X \n---+---+---\n   | X |   \n---+---+---\n X |   |   \n");

  EnvironmentCopies grid(game("connect_four"), 1);
  Tree columns{grid};
  columns.root(0);
  for (const int64_t action : {3, 3, 6}) columns.apply(0, {action});
  BOOST_TEST(grid.text(0, 1) ==
             "you are O\n . . . . . . .\n . . . . . . .\n . . . . . . .\n . . . . . . .\n . . . O . . .\n"
             " . . . X . . X\n 0 1 2 3 4 5 6\n");
}

BOOST_AUTO_TEST_CASE(rounds_of_a_matrix_game_are_told) {
  EnvironmentCopies copies(game("rock_paper_scissors"), 1, {{"rounds", 2}});
  Tree tree{copies};
  tree.root(0);
  BOOST_TEST(copies.text(0, 0) == "round 1 of 2\n");
  tree.apply(0, {1, 2});
  BOOST_TEST(copies.text(0, 1) == "round 1: player_0 paper, you scissors\nround 2 of 2\n");
  EnvironmentCopies plain(game("matrix"), 1);
  Tree numbers{plain};
  numbers.root(0);
  numbers.apply(0, {1, 0});
  BOOST_TEST(plain.text(0, 0) == "round 1: you 1, player_1 0\n");
}

BOOST_AUTO_TEST_SUITE_END()
