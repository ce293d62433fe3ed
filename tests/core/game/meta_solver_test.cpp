#include "core/game/meta_solver.hpp"

#include "core/game/alpha_rank.hpp"
#include "core/game/fixture.hpp"
#include "core/game/meta_solvers.hpp"

using namespace spar;
using namespace spar::game;
using namespace spar::test;

namespace {

PayoffTable zero_sum(size_t n, size_t m, const std::vector<double>& payoffs) {
  PayoffTable table(2);
  table.grow({n, m});
  table.fill([&](std::span<const size_t> i) {
    const double u = payoffs[i[0] * m + i[1]];
    return std::vector<double>{u, -u};
  });
  return table;
}
PayoffTable rock_paper_scissors() { return zero_sum(3, 3, {0, -1, 1, 1, 0, -1, -1, 1, 0}); }
PayoffTable dilemma() {
  PayoffTable table(2);
  table.grow({2, 2});
  const double payoffs[] = {5, 0, 10, 1};
  table.fill([&](std::span<const size_t> i) {
    return std::vector<double>{payoffs[i[0] * 2 + i[1]], payoffs[i[1] * 2 + i[0]]};
  });
  return table;
}
/// Three players who are all paid 1 if all choose 0, 2 if all choose 1.
PayoffTable three_alike() {
  PayoffTable table(3);
  table.grow({2, 2, 2});
  table.fill([](std::span<const size_t> i) {
    const bool same = i[0] == i[1] && i[1] == i[2];
    return std::vector<double>(3, same ? static_cast<double>(i[0] + 1) : 0.0);
  });
  return table;
}

bool near(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [tolerance](double x, double y) { return close(x, y, tolerance); });
}

}  // namespace

BOOST_AUTO_TEST_SUITE(meta_solver)

BOOST_AUTO_TEST_CASE(nash_finds_the_golden_equilibria) {
  const auto expected = golden_game("matrix_nash");
  const auto check = [&](const char* name, const PayoffTable& table) {
    const Mixture found = make_meta_solver("nash")->solve(table);
    for (size_t p = 0; p < 2; ++p) {
      const auto& row = expected.at(name).at(p == 0 ? "p" : "q").as_array();
      BOOST_REQUIRE_EQUAL(row.size(), found[p].size());
      for (size_t i = 0; i < row.size(); ++i) BOOST_TEST(close(found[p][i], golden_number(row[i])));
    }
    std::vector<double> slope(found[0].size());
    slopes(table, 0, found, slope);
    BOOST_TEST(close(*std::ranges::max_element(slope), golden_number(expected.at(name).at("value"))));
  };
  check("rps", rock_paper_scissors());
  check("biased_pennies", zero_sum(2, 2, {2, -1, -1, 1}));
}

BOOST_AUTO_TEST_CASE(nash_solves_random_tables_of_any_shape) {
  uint64_t state = 1;
  const auto random = [&state] {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(state >> 40) / 16777216.0 - 0.5;
  };
  for (const auto& [n, m] : {std::pair<size_t, size_t>{1, 1}, {1, 7}, {8, 1}, {5, 9}, {40, 30}, {120, 120}}) {
    std::vector<double> payoffs(n * m);
    for (double& x : payoffs) x = random();
    const PayoffTable table = zero_sum(n, m, payoffs);
    BOOST_TEST(meta_nash_conv(table, make_meta_solver("nash")->solve(table)) < 1e-9);
  }
}

BOOST_AUTO_TEST_CASE(nash_refuses_what_is_not_zero_sum_between_two) {
  BOOST_TEST(
      refusal_of([] { make_meta_solver("nash")->solve(dilemma()); }) ==
      "E1104 the meta-solver `nash` solves zero-sum games; in this one the payoffs of the players do not add to 0");
  BOOST_TEST(refusal_of([] { make_meta_solver("nash")->solve(three_alike()); }) ==
             "E1104 the meta-solver `nash` solves games of 2 players, this one has 3");
}

BOOST_AUTO_TEST_CASE(fictitious_play_has_the_golden_course_on_rock_paper_scissors) {
  const auto expected = golden_game("rps_fp");
  for (const auto& [rounds, row] : expected.as_object()) {
    const Mixture found =
        make_meta_solver("fictitious_play", std::stoull(std::string(rounds)))->solve(rock_paper_scissors());
    const auto& average = row.at("avg").as_array();
    for (size_t i = 0; i < 3; ++i) BOOST_TEST(close(found[0][i], average[i].to_number<double>()), rounds);
    BOOST_TEST(close(meta_nash_conv(rock_paper_scissors(), found) / 2, row.at("exploitability").to_number<double>()));
  }
}

BOOST_AUTO_TEST_CASE(regret_matching_plus_approaches_equilibrium_and_goes_on_warm) {
  const PayoffTable pennies = zero_sum(2, 2, {2, -1, -1, 1});
  const auto solver = make_meta_solver("regret_matching_plus", 50);
  const double once = meta_nash_conv(pennies, solver->solve(pennies));
  double later = once;
  for (int i = 0; i < 10; ++i) later = meta_nash_conv(pennies, solver->solve(pennies));
  BOOST_TEST(once < 0.02);
  BOOST_TEST(later < once / 10);
  ByteWriter writer;
  solver->save(writer);
  const auto bytes = writer.take();
  ByteReader reader(bytes, "solver");
  const auto other = make_meta_solver("regret_matching_plus", 50);
  other->load(reader);
  BOOST_TEST((other->solve(pennies) == solver->solve(pennies)));
}

BOOST_AUTO_TEST_CASE(replicator_dynamics_average_to_equilibrium) {
  const PayoffTable pennies = zero_sum(2, 2, {2, -1, -1, 1});
  const Mixture found = make_meta_solver("replicator", 100'000)->solve(pennies);
  BOOST_TEST(near(found[0], {0.4, 0.6}, 0.01));
  BOOST_TEST(near(found[1], {0.4, 0.6}, 0.01));
  BOOST_TEST(make_meta_solver("replicator")->solve(dilemma())[0][1] > 0.95);
  BOOST_TEST(make_meta_solver("replicator")->solve(three_alike())[2][1] > 0.95);
  BOOST_TEST(near(make_meta_solver("replicator")->solve(zero_sum(2, 2, {1, 1, 1, 1}))[0], {0.5, 0.5}, 0));
}

BOOST_AUTO_TEST_CASE(uniform_weighs_every_strategy_alike) {
  const Mixture found = make_meta_solver("uniform")->solve(zero_sum(2, 5, std::vector<double>(10, 1.0)));
  BOOST_TEST(near(found[0], {0.5, 0.5}, 0));
  BOOST_TEST(near(found[1], {0.2, 0.2, 0.2, 0.2, 0.2}, 1e-15));
}

BOOST_AUTO_TEST_CASE(alpha_rank_is_stationary_under_its_own_chain) {
  // Two strategies for each of two players: the balance of the four combinations, worked out by hand for alpha 1, m 2.
  const PayoffTable table = dilemma();
  const AlphaRank rank(1, 2);
  const auto rho = [](double d) { return (1 - std::exp(-d)) / (1 - std::exp(-2 * d)); };
  const std::vector<double> pi = rank.stationary(table);
  // CC -> DC and CD with rho(5) each, DC -> DD with rho(1), DD -> DC with rho(-1), DC -> CC with rho(-5).
  BOOST_TEST(close(pi[0] * 2 * rho(5), (pi[1] + pi[2]) * rho(-5), 1e-12));
  BOOST_TEST(close(pi[3] * 2 * rho(-1), (pi[1] + pi[2]) * rho(1), 1e-12));
  BOOST_TEST(close(pi[0] + pi[1] + pi[2] + pi[3], 1, 1e-12));
}

BOOST_AUTO_TEST_CASE(alpha_rank_ranks_for_any_number_of_players) {
  BOOST_TEST(make_meta_solver("alpha_rank")->solve(dilemma())[0][1] > 0.99);
  BOOST_TEST(near(make_meta_solver("alpha_rank")->solve(rock_paper_scissors())[0], {1. / 3, 1. / 3, 1. / 3}, 1e-9));
  const Mixture three = make_meta_solver("alpha_rank")->solve(three_alike());
  for (const auto& player : three) BOOST_TEST(close(player[0] + player[1], 1, 1e-12));
  BOOST_TEST(refusal_of([] {
               make_meta_solver("alpha_rank")->solve(zero_sum(41, 40, std::vector<double>(1640, 0.0)));
             }) == "E1105 alpha_rank compares at most 1600 combinations of strategies, the populations have 1640");
}

BOOST_AUTO_TEST_CASE(an_unknown_name_is_refused_with_the_list) {
  BOOST_TEST(refusal_of([] { make_meta_solver("nahs"); }) == "E0207 there is no meta-solver `nahs`");
  for (const auto& name : meta_solver_names()) BOOST_TEST((make_meta_solver(name) != nullptr));
}

BOOST_AUTO_TEST_SUITE_END()
