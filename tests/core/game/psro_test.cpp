#include "core/game/psro.hpp"

#include <numeric>

#include "core/game/fixture.hpp"

using namespace spar;
using namespace spar::game;
using namespace spar::test;

namespace {

/// NashConv of iterations 0 .. last.
std::vector<double> course(Psro& psro, int last) {
  std::vector<double> out;
  for (int i = 0; i <= last; ++i) out.push_back(psro.iterate().nash_conv);
  return out;
}

double mean(const std::vector<double>& values, size_t from, size_t to) {
  return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(from),
                         values.begin() + static_cast<std::ptrdiff_t>(to) + 1, 0.0) /
         static_cast<double>(to - from + 1);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(psro)

BOOST_AUTO_TEST_CASE(exact_nash_solves_kuhn_on_the_golden_course) {
  for (const char* name : {"kuhn_psro_uniform_start", "kuhn_psro_always_pass_start"}) {
    std::vector<Behaviour> start;
    for (const Player& player : kuhn().players) {
      start.push_back(std::string(name) == "kuhn_psro_uniform_start"
                          ? uniform(player)
                          : always(player, [](size_t, std::span<const int64_t>) { return size_t{0}; }));
    }
    Psro psro(kuhn(), make_meta_solver("nash"), start);
    const auto expected = golden_game(name);
    for (const auto& row : expected.at("log").as_array()) {
      const Exploitability& found = psro.iterate();
      // From always passing the meta-game of iteration 3 has several equilibria: alike in value, not in NashConv.
      if (std::string(name) == "kuhn_psro_uniform_start" || psro.iterations() != 4)
        BOOST_TEST(close(found.nash_conv, row.at("nashconv").to_number<double>(), 1e-8), name << row);
      BOOST_TEST(close(found.value[0], row.at("meta_value").to_number<double>(), 1e-8), name << row);
    }
    BOOST_TEST(close(psro.result().value[0], -1.0 / 18, 1e-9));
  }
}

BOOST_AUTO_TEST_CASE(fictitious_play_on_leduc_keeps_its_course) {
  Psro psro(leduc(), make_meta_solver("fictitious_play"));
  const auto found = course(psro, 200);
  BOOST_TEST(close(found[0], 4.747222, 1e-6));
  BOOST_TEST(close(found[20], 2.2, 0.4));
  BOOST_TEST(close(found[60], 0.30, 0.1));
  BOOST_TEST(close(found[100], 0.11, 0.04));
  BOOST_TEST(close(mean(found, 151, 200), 0.06, 0.015));  // drawn anew at each move it stays near 0.215
}

BOOST_AUTO_TEST_CASE(regret_matching_plus_on_leduc_keeps_its_course) {
  Psro psro(leduc(), make_meta_solver("regret_matching_plus", 200));
  const auto found = course(psro, 400);
  BOOST_TEST(close(mean(found, 151, 200), 0.05, 0.015));
  BOOST_TEST(close(found[400], 0.0002, 0.0002));
}

BOOST_AUTO_TEST_CASE(the_default_solves_leduc_to_a_hundredth) {
  Psro psro(leduc(), make_meta_solver(meta_solver_names().front()));
  BOOST_TEST(course(psro, 400).back() <= 0.01);
}

BOOST_AUTO_TEST_CASE(every_meta_solver_finds_the_equilibrium_of_a_small_game) {
  for (const auto& name : meta_solver_names()) {
    const auto form = compiled("rock_paper_scissors");
    Psro psro(form, make_meta_solver(name), [&] {
      std::vector<Behaviour> rock;
      for (const Player& player : form.players)
        rock.push_back(always(player, [](size_t, std::span<const int64_t>) { return size_t{0}; }));
      return rock;
    }());
    const auto found = course(psro, 30);
    BOOST_TEST(found[0] == 2, name);
    BOOST_TEST(found[30] < 0.3, name);
  }
}

BOOST_AUTO_TEST_CASE(games_that_are_not_zero_sum_and_of_three_players_are_played) {
  const auto dilemma = compiled("prisoners_dilemma");
  Psro two(dilemma, make_meta_solver("replicator"));
  course(two, 5);
  BOOST_TEST(two.result().nash_conv < 0.2);
  const auto alike = compiled(
      "matrix",
      {{"actions", std::vector<int64_t>{2, 2, 2}},
       {"payoffs", std::vector<double>{1, 0, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 2, 1, 0, 0, 0, 0, 0, 0, 2}}});
  Psro three(alike, make_meta_solver("regret_matching_plus"));
  course(three, 5);
  BOOST_TEST(three.result().nash_conv < 1e-6);
  BOOST_TEST(close(three.result().value[1], 2, 1e-6));
}

BOOST_AUTO_TEST_CASE(the_table_holds_what_the_strategies_pay) {
  Psro psro(leduc(), make_meta_solver("fictitious_play", 100));
  course(psro, 12);
  const auto& populations = psro.populations();
  for (const auto& index : {std::vector<size_t>{0, 0}, {3, 0}, {0, 9}, {12, 12}, {5, 11}}) {
    std::vector<Plan> plans;
    for (size_t p = 0; p < 2; ++p) plans.push_back(dense(leduc().players[p], populations[p][index[p]]));
    const auto expected = values(leduc(), plans);
    for (size_t p = 0; p < 2; ++p) BOOST_TEST(close(psro.table().at(p, index), expected[p], 1e-12));
  }
}

BOOST_AUTO_TEST_CASE(a_saved_state_goes_on_bit_for_bit) {
  for (const auto& name : {"regret_matching_plus", "nash", "uniform"}) {
    Psro whole(leduc(), make_meta_solver(name)), first(leduc(), make_meta_solver(name)),
        second(leduc(), make_meta_solver(name));
    const auto expected = course(whole, 24);
    course(first, 9);
    ByteWriter writer;
    first.save(writer);
    const auto bytes = writer.take();
    ByteReader reader(bytes, "psro");
    second.load(reader);
    reader.end();
    BOOST_TEST(second.iterations() == 10U);
    BOOST_TEST(second.result().nash_conv == expected[9]);
    const auto rest = course(second, 14);
    BOOST_TEST(rest == std::vector<double>(expected.begin() + 10, expected.end()), boost::test_tools::per_element());
    BOOST_TEST((second.mixture() == whole.mixture()));
    Psro other(kuhn(), make_meta_solver(name));
    ByteReader again(bytes, "psro");
    BOOST_TEST(refusal_of([&] { other.load(again); }).find("E0501") == 0U);
  }
}

BOOST_AUTO_TEST_SUITE_END()
