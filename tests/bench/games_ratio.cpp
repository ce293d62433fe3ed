// Exact solving of Leduc poker in flat sequence form against the plain pointer tree, and play through the function
// table, in one program: prints times and ratios, and fails when the two sides compute different things or a number is
// far below what the project holds itself to; with --check, when it is below.
#include <cmath>
#include <cstdio>
#include <exception>
#include <string_view>

#include "core/bench/stopwatch.hpp"
#include "core/config/options.hpp"
#include "core/game/cfr.hpp"
#include "core/game/psro.hpp"
#include "plugins/environments/environment_copies.hpp"
#include "pointer_tree.hpp"

using namespace spar;
using namespace spar::bench;

namespace {

constexpr double kLeastNashConvRatio = 20, kLeastPsroRatio = 40, kLeastMoves = 10e6, kMostSeconds = 2;
constexpr int kIterations = 200;

const spar_host kHost = {sizeof(spar_host), SPAR_ABI_VERSION, "bench", "1",
                         [](const spar_host*, const char*) -> const void* { return nullptr; }};

/// Share of a budget that must be reached: moves per second are no ratio, and a machine with other work halves them.
double margin = 0.4;

bool holds(bool sound, const char* what) {
  if (!sound) std::printf("NOT HELD: %s\n", what);
  return sound;
}

/// A figure that grows when things get better.
bool reaches(double figure, double budget, const char* what) {
  if (figure < budget)
    std::printf("%s: %s\n", figure < margin * budget ? "NOT HELD" : "missed, perhaps by noise", what);
  return figure >= margin * budget;
}

bool solving() {
  const spar_component& component = test::environment_component("games", "org.spar.games/leduc_poker");
  const config::ConfigView view(
      config::default_options(std::make_shared<config::Component>(config::copy_component(component))));
  game::Position position(kHost, component, *view.get());
  game::SequenceForm form;
  const double compiling = best_seconds(5, [&] { form = game::compile(position); });
  const PointerTree tree(position);

  std::vector<game::Behaviour> behaviour;
  std::vector<game::Plan> plans(2);
  for (const auto& player : form.players) behaviour.push_back(game::uniform(player));
  std::vector<double> scratch(std::max(form.players[0].sequences(), form.players[1].sequences()));
  std::vector<std::vector<int32_t>> choice;
  for (const auto& player : form.players) choice.emplace_back(player.infosets());
  game::Exploitability flat;
  const Policy uniform[2] = {tree.uniform(0), tree.uniform(1)};
  double tree_value = 0;
  const double flat_nash = 0.01 * best_seconds(30, [&] {
                             for (int i = 0; i < 100; ++i) {
                               for (size_t p = 0; p < 2; ++p) game::to_plan(form.players[p], behaviour[p], plans[p]);
                               game::exploitability(form, plans, scratch, choice, flat);
                             }
                           });
  const double tree_nash = best_seconds(30, [&] { tree_value = tree.nash_conv(uniform[0], uniform[1]); });

  double flat_psro_value = 0, tree_psro_value = 0;
  const auto run = [&](int iterations) {
    game::Psro psro(form, game::make_meta_solver(game::meta_solver_names().front()));
    for (int i = 0; i <= iterations; ++i) psro.iterate();
    return psro.result().nash_conv;
  };
  const double flat_psro = best_seconds(30, [&] { flat_psro_value = run(kIterations); });
  const double tree_psro = best_seconds(1, [&] {
    const auto solver = game::make_meta_solver(game::meta_solver_names().front());
    tree_psro_value = pointer_tree_psro(tree, *solver, kIterations);
  });
  double solved = 0;
  const double to_hundredth = best_seconds(1, [&] { solved = run(400); });
  game::Cfr cfr(form, game::Cfr::Variant::plus);
  const double cfr_seconds = 0.01 * best_seconds(10, [&] {
                               for (int i = 0; i < 100; ++i) cfr.iterate();
                             });

  std::printf("Leduc poker: compiling %.1f ms, CFR+ iteration %.1f us\n", 1e3 * compiling, 1e6 * cfr_seconds);
  std::printf("NashConv: flat %.1f us, pointer tree %.1f us, ratio %.1f\n", 1e6 * flat_nash, 1e6 * tree_nash,
              tree_nash / flat_nash);
  std::printf("PSRO, %d iterations: flat %.3f s (NashConv %.4f), pointer tree %.3f s (%.4f), ratio %.1f\n", kIterations,
              flat_psro, flat_psro_value, tree_psro, tree_psro_value, tree_psro / flat_psro);
  std::printf("PSRO, 400 iterations: %.3f s, NashConv %.5f\n", to_hundredth, solved);
  bool sound = holds(std::abs(flat.nash_conv - tree_value) < 1e-9, "both sides have the same NashConv");
  sound &= holds(std::abs(flat_psro_value - tree_psro_value) < 0.05, "both sides of PSRO come equally far");
  sound &= reaches(tree_nash / flat_nash, kLeastNashConvRatio, "NashConv at least 20 times as fast");
  sound &= reaches(tree_psro / flat_psro, kLeastPsroRatio, "PSRO at least 40 times as fast");
  sound &= holds(solved <= 0.01 && to_hundredth < kMostSeconds, "NashConv of 0.01 after 400 iterations within 2 s");
  return sound;
}

/// Moves of 256 copies side by side; choosing an allowed action is part of the time.
bool playing(const char* name) {
  constexpr uint64_t kRows = 256;
  constexpr int kSteps = 4'000;
  test::EnvironmentCopies copies(test::environment_component("games", std::string("org.spar.games/") + name), kRows);
  copies.reset_all(1);
  spar_env_io& io = copies.io(true);
  spar_error error{};
  error.struct_size = sizeof error;
  const uint8_t *acting[2], *mask[2];
  int64_t* action[2];
  const auto n = static_cast<size_t>(copies.agent().act->n);
  for (size_t agent = 0; agent < 2; ++agent) {
    acting[agent] = copies.column(agent, "acting").as<uint8_t>();
    mask[agent] = copies.column(agent, "action_mask").as<uint8_t>();
    action[agent] = &copies.discrete(0, agent);
  }
  const uint8_t* over = &copies.terminated();
  bool sound = true;
  uint64_t turn = 0;
  const double seconds = best_seconds(12, [&] {
    for (int step = 0; step < kSteps; ++step) {
      for (uint64_t row = 0; row < kRows; ++row) {
        const size_t mover = acting[0][row] ? 0 : 1;
        size_t chosen = (turn += 7) % n;
        while (!mask[mover][row * n + chosen]) chosen = chosen + 1 < n ? chosen + 1 : 0;
        action[mover][row] = static_cast<int64_t>(chosen);
      }
      sound &= copies.table().step(copies.handle(), &io, &error) == SPAR_OK;
      sound &= copies.table().reset(copies.handle(), over, nullptr, &io, &error) == SPAR_OK;
    }
  });
  const double moves = kRows * kSteps / seconds;
  std::printf("%-12s %.1f M moves/s\n", name, 1e-6 * moves);
  return holds(sound, "every call succeeds") && reaches(moves, kLeastMoves, "at least 10 M moves/s");
}

}  // namespace

/// --check: the budgets themselves are held.
int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i)
    if (std::string_view(argv[i]) == "--check") margin = 1;
  try {
    bool sound = solving();
    for (const char* name : {"kuhn_poker", "leduc_poker", "tic_tac_toe", "connect_four"})
      sound = playing(name) && sound;
    return sound ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
