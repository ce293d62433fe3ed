#include "core/agent/recipe.hpp"

#include <limits>

#include "core/agent/fixture.hpp"

using namespace spar;
using namespace spar::test;

BOOST_AUTO_TEST_SUITE(agent_recipe)

BOOST_AUTO_TEST_CASE(recipes_survive_being_saved) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Spaces all[] = {{Space::box({-1, -kInfinity, 0}, {3, kInfinity, 0}), Space::discrete(7)},
                        {Space::image(4, 5, 3), Space::box({-1, 0}, {3, 10})},
                        {Space::discrete(5), Space::box(2, -kInfinity, 1)}};
  for (const Spaces& spaces : all) {
    const Recipe recipe =
        make_recipe(agent_plugins(), "dqn", spaces, "lr = 0.1\nhidden_layers = []\nstate_transform = \"clip(2)\"",
                    {.steps = 5, .seed = 9, .copies = 3, .max_rows = 1, .name = "left"});
    BOOST_TEST(recipe.settings.max_rows == 3u);
    ByteWriter writer, again;
    save_recipe(recipe, writer);
    const auto bytes = writer.take();
    ByteReader reader(bytes, "agent");
    const Recipe loaded = load_recipe(agent_plugins(), reader);
    reader.end();
    check_same(loaded, recipe);
    save_recipe(loaded, again);
    BOOST_TEST((again.take() == bytes));
  }
}

BOOST_AUTO_TEST_SUITE_END()
