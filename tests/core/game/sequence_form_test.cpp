#include "core/game/sequence_form.hpp"

#include "core/game/exploitability.hpp"
#include "core/game/fixture.hpp"
#include "spar/game.hpp"
#include "spar/plugin.hpp"

using namespace spar;
using namespace spar::test;

namespace {

/// Moves of one player that forgets its first one.
struct Forgetful : Game<Forgetful> {
  static constexpr const char *id = "test/Forgetful", *version = "1", *title = "Forgets";
  struct State : GameState {
    int64_t moves;
  };
  World world() const { return World({{"player", Space::box({0}, {2}), Space::discrete(2)}}); }
  size_t agents() const { return 1; }
  int64_t actions(size_t) const { return 2; }
  void begin(State&) const {}
  int32_t turn(const State& s) const { return s.moves < 2 ? 0 : SPAR_PLAYER_TERMINAL; }
  bool legal(const State&, size_t, int64_t) const { return true; }
  void apply(State& s, const int64_t*) const { ++s.moves; }
  void payoff(const State&, double* out) const { out[0] = 1; }
  void infoset(const State& s, size_t, StreamWriter& out) const { out.put(s.moves); }
  void observe(const State& s, size_t, float* obs) const { obs[0] = static_cast<float>(s.moves); }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(sequence_form)

BOOST_AUTO_TEST_CASE(poker_has_the_reference_counts) {
  const auto reference = json_file("parity/poker_reference.json");
  for (const auto& [name, form] : {std::pair{"kuhn_poker", &kuhn()}, std::pair{"leduc_poker", &leduc()}}) {
    const auto& expected = reference.at(name);
    size_t infosets = 0;
    for (const auto& player : form->players) infosets += player.infosets();
    BOOST_TEST(static_cast<int64_t>(infosets) == expected.at("infostates").as_int64());
    BOOST_TEST(static_cast<int64_t>(form->histories) == expected.at("counts").at("histories").as_int64());
    BOOST_TEST(static_cast<int64_t>(form->terminals) == expected.at("counts").at("terminal").as_int64());
    BOOST_TEST(form->zero_sum);
  }
}

BOOST_AUTO_TEST_CASE(parents_come_before_children_and_sequences_are_adjacent) {
  for (const auto& player : leduc().players) {
    for (size_t i = 0; i < player.infosets(); ++i) {
      BOOST_REQUIRE_LT(player.parent[i], player.first[i]);
      BOOST_REQUIRE_GT(player.choices(i), 1);
    }
    BOOST_TEST(static_cast<size_t>(player.first.back()) == player.sequences());
  }
}

BOOST_AUTO_TEST_CASE(who_chooses_at_the_same_time_knows_nothing_of_the_others) {
  const auto form = compiled("rock_paper_scissors", {{"rounds", int64_t{2}}});
  for (const auto& player : form.players) {
    BOOST_TEST(player.infosets() == 10U);  // one, and one for each pair of choices
    BOOST_TEST(player.sequences() == 31U);
  }
  BOOST_TEST(form.terminals == 81U);
}

BOOST_AUTO_TEST_CASE(a_tree_that_is_too_large_is_refused) {
  const auto& four = environment_component("games", "org.spar.games/connect_four");
  BOOST_TEST(
      refusal_of([&] { compiled(four, {}, 1000); }) ==
      "E1102 environment `org.spar.games/connect_four` is too large to be solved exactly: its tree has more than "
      "1000 positions");
}

BOOST_AUTO_TEST_CASE(a_player_that_forgets_is_refused) {
  const std::string text = refusal_of([] { compiled(*detail::component<Forgetful>()); });
  BOOST_TEST(text.find("E1103 environment `test/Forgetful` lets agent `player` forget") == 0U);
}

BOOST_AUTO_TEST_CASE(an_environment_without_a_tree_is_refused) {
  BOOST_TEST(refusal_of([] { compiled(environment_component("probe", "org.spar.probe/corridor")); }) ==
             "E1101 environment `org.spar.probe/corridor` has no game tree (spar.env.tree/1 and spar.env.state/1), so "
             "it cannot be solved exactly");
}

BOOST_AUTO_TEST_CASE(ends_can_be_worth_something_else_than_their_returns) {
  const auto squared = [](const std::vector<double>& returns) {
    return std::vector<double>{returns[0] * returns[0], -returns[1]};
  };
  const game::SequenceForm form = with_position(
      environment_component("games", "org.spar.games/kuhn_poker"), {},
      [&](game::Position& position) { return game::compile(position, game::kMostHistories, {}, squared); });
  const auto plans = always_plans(form, 1);  // both bet: 2 are won or lost
  BOOST_TEST(close(game::values(form, plans)[0], 4));
  BOOST_TEST(close(game::values(form, plans)[1], 0));
  BOOST_TEST(!form.zero_sum);
}

BOOST_AUTO_TEST_SUITE_END()
