#include "core/game/views.hpp"

#include <cstring>
#include <set>

#include "core/game/fixture.hpp"

using namespace spar;
using namespace spar::game;
using namespace spar::test;

namespace {

SeenGame seen(const std::string& id) {
  return with_position(environment_component("games", "org.spar.games/" + id), {},
                       [](Position& position) { return compile_seen(position); });
}

/// Kuhn poker whose players declare a column "alive", which the host does not serve.
const spar_component& lively_kuhn() {
  static const spar_component& kuhn = environment_component("games", "org.spar.games/kuhn_poker");
  static const auto& original = *static_cast<const spar_env_vtbl*>(kuhn.vtbl);
  static const char* const kColumns[] = {"alive"};
  static spar_agent_spec specs[2];
  static const spar_agent_spec* const kAgents[] = {&specs[0], &specs[1]};
  static const spar_env_vtbl table = [] {
    spar_env_vtbl out = original;
    out.describe = [](spar_env* self, spar_world* world, spar_error* error) {
      const spar_status status = original.describe(self, world, error);
      for (size_t p = 0; p < 2; ++p) {
        specs[p] = *world->agents[p];
        specs[p].columns = kColumns;
        specs[p].n_columns = 1;
      }
      world->agents = kAgents;
      return status;
    };
    return out;
  }();
  static const spar_component component = [] {
    spar_component out = kuhn;
    out.vtbl = &table;
    return out;
  }();
  return component;
}

std::vector<float> row(const View& view, size_t column, size_t infoset, size_t width) {
  std::vector<float> out(width);
  std::memcpy(out.data(), view.columns[column].data() + infoset * width * sizeof(float), width * sizeof(float));
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(views)

BOOST_AUTO_TEST_CASE(compiling_with_views_gives_the_same_game) {
  const SeenGame game = seen("kuhn_poker");
  BOOST_TEST(game.form.histories == kuhn().histories);
  for (size_t p = 0; p < 2; ++p) {
    BOOST_TEST(game.form.players[p].key == kuhn().players[p].key, boost::test_tools::per_element());
    BOOST_TEST(game.form.players[p].action == kuhn().players[p].action, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(each_information_set_has_the_observation_and_the_mask_of_its_player) {
  // Kuhn poker: what differs in infoset differs in observation, and both actions are always legal.
  const SeenGame game = seen("kuhn_poker");
  for (size_t p = 0; p < 2; ++p) {
    const Player& player = game.form.players[p];
    const View& view = game.views[p];
    BOOST_TEST_REQUIRE(view.columns.size() == 2u);
    BOOST_TEST_REQUIRE(view.columns[0].size() % (player.infosets() * sizeof(float)) == 0u);
    const size_t width = view.columns[0].size() / player.infosets() / sizeof(float);
    std::set<std::vector<float>> rows;
    for (size_t i = 0; i < player.infosets(); ++i) rows.insert(row(view, 0, i, width));
    BOOST_TEST(rows.size() == player.infosets());
    BOOST_TEST_REQUIRE(view.columns[1].size() == 2 * player.infosets());
    for (const std::byte allowed : view.columns[1]) BOOST_TEST((allowed == std::byte{1}));
  }
}

BOOST_AUTO_TEST_CASE(masks_say_the_legal_actions_of_each_information_set) {
  const SeenGame game = seen("leduc_poker");
  size_t forbidden = 0;
  for (size_t p = 0; p < 2; ++p) {
    const Player& player = game.form.players[p];
    const auto& masks = game.views[p].columns[1];
    const size_t n = masks.size() / player.infosets();
    for (size_t i = 0; i < player.infosets(); ++i) {
      std::set<int64_t> legal(player.action.begin() + static_cast<std::ptrdiff_t>(player.begin(i)),
                              player.action.begin() + static_cast<std::ptrdiff_t>(player.end(i)));
      for (size_t action = 0; action < n; ++action) {
        const bool allowed = masks[i * n + action] == std::byte{1};
        forbidden += !allowed;
        BOOST_TEST(allowed == legal.contains(static_cast<int64_t>(action)));
      }
    }
  }
  BOOST_TEST(forbidden > 0u);
}

BOOST_AUTO_TEST_CASE(who_moves_at_the_same_time_sees_nothing_of_the_other) {
  const SeenGame game = seen("rock_paper_scissors");
  for (size_t p = 0; p < 2; ++p) BOOST_TEST(game.form.players[p].infosets() == 1u);
}

BOOST_AUTO_TEST_CASE(columns_that_nobody_serves_matter_only_to_those_who_want_to_see) {
  BOOST_TEST(compiled(lively_kuhn()).histories == kuhn().histories);
  const std::string refused =
      refusal_of([] { with_position(lively_kuhn(), {}, [](Position& p) { return compile_seen(p); }); });
  BOOST_TEST(refused.starts_with("E0705 environment `org.spar.games/kuhn_poker`, agent `player_0`: the column `alive`"),
             refused);
}

BOOST_AUTO_TEST_SUITE_END()
