#include "core/config/presets.hpp"

#include <boost/test/unit_test.hpp>

#include "core/config/support.hpp"
#include "core/config/toml.hpp"

using namespace spar;
using namespace spar::config;

namespace {
std::string failed(const std::string& directory, const std::string& name) {
  try {
    find_preset(directory, name);
    return "";
  } catch (const Error& error) {
    return error.render();
  }
}
}  // namespace

BOOST_AUTO_TEST_SUITE(preset)

BOOST_AUTO_TEST_CASE(presets_are_listed_by_name_with_their_titles) {
  const Scratch scratch;
  scratch.file("b.toml", "#  Second  \n# more\n");
  scratch.file("a.toml", "name = \"a\"\n");
  scratch.file("notes.txt", "# no preset\n");
  const auto presets = list_presets(scratch.path());
  BOOST_REQUIRE(presets.size() == 2u);
  BOOST_TEST(presets[0].name == "a");
  BOOST_TEST(presets[0].title == "");
  BOOST_TEST(presets[1].title == "Second  ");
  BOOST_TEST(presets[1].path == scratch.path() + "/b.toml");
  BOOST_TEST(list_presets(scratch.path() + "/none").empty());
}

BOOST_AUTO_TEST_CASE(a_unique_prefix_is_enough) {
  const Scratch scratch;
  for (const auto* name : {"cartpole-dqn.toml", "cartpole-dqn-fast.toml", "pendulum-sac.toml"}) scratch.file(name, "");
  BOOST_TEST(find_preset(scratch.path(), "pend").name == "pendulum-sac");
  BOOST_TEST(find_preset(scratch.path(), "cartpole-dqn").name == "cartpole-dqn");
  BOOST_TEST(failed(scratch.path(), "cart") ==
             "error[E0207]: `cart` is the beginning of several presets\n"
             "   = write one of cartpole-dqn or cartpole-dqn-fast\n");
  BOOST_TEST(failed(scratch.path(), "pendulun-sac") ==
             "error[E0207]: there is no preset `pendulun-sac`\n"
             "   = did you mean `pendulum-sac`? presets: cartpole-dqn, cartpole-dqn-fast and pendulum-sac; a file ends "
             "in .toml\n");
  BOOST_TEST(failed(scratch.path() + "/none", "x").find("there are no presets in") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(presets_of_spar_parse_and_have_title_name_and_budget) {
  const auto presets = list_presets(SPAR_PRESETS);
  BOOST_TEST(presets.size() >= 3u);
  for (const auto& preset : presets) {
    BOOST_TEST_CONTEXT(preset.name) {
      BOOST_TEST(preset.title.find(" with ") != std::string::npos);
      // Every option that the file sets, with the type that it has there.
      const Table root = parse_toml_file(preset.path, {Layer::preset, preset.name, 0});
      const auto component = [&](uint32_t kind, const Table& section, const std::vector<std::string>& reserved) {
        auto out = std::make_shared<Component>();
        out->kind = kind;
        for (const auto& entry : section.entries) {
          if (entry.key == "id") out->id = std::get<std::string>(entry.value.data);
          if (std::ranges::find(reserved, entry.key) != reserved.end()) continue;
          const auto& data = entry.value.data;
          const uint32_t type = std::holds_alternative<bool>(data)          ? SPAR_T_BOOL
                                : std::holds_alternative<int64_t>(data)     ? SPAR_T_INT
                                : std::holds_alternative<double>(data)      ? SPAR_T_REAL
                                : std::holds_alternative<std::string>(data) ? SPAR_T_STR
                                                                            : SPAR_T_INTS;
          out->params.push_back(param(entry.key, type, {}));
        }
        return out;
      };
      const auto table = [](const Table& in, const std::string& key) -> const Table& {
        return *in.find(key)->value.table();
      };
      // The algorithm of a group is the one that stands where it was looked up.
      const auto algorithm = [&](const Place& place) -> const Table& {
        if (root.find("group"))
          for (const Value& group : *root.find("group")->value.array())
            if (const Table& own = table(*group.table(), "algorithm"); own.find("id")->value.place.line == place.line)
              return own;
        return table(root, "algorithm");
      };
      const auto lookup = [&](uint32_t kind, std::string_view id,
                              const Place& place) -> std::shared_ptr<const Component> {
        if (kind == SPAR_KIND_ENV) return component(kind, table(root, "env"), {"id", "count", "shards", "wrap"});
        if (kind == SPAR_KIND_ALGO) return component(kind, algorithm(place), {"id", "preset"});
        if (kind == SPAR_KIND_STRATEGY && root.find("strategy"))
          return component(kind, table(root, "strategy"), {"id"});
        return fake(kind, std::string(id));
      };
      const Experiment experiment = load({preset.name, SPAR_PRESETS, {}, {}}, lookup);
      BOOST_TEST(experiment.name == preset.name);
      const auto budget = experiment.solves() ? experiment.stop.iterations() : experiment.stop.budget();
      BOOST_TEST(budget.value_or(0) > 0u);
      BOOST_TEST(experiment.eval.episodes == 20u);
      BOOST_TEST(experiment.warnings.empty());
    }
  }
}

BOOST_AUTO_TEST_CASE(presets_of_dqn_set_options_of_dqn) {
  const std::vector<std::string> names = {"id",
                                          "hidden_layers",
                                          "lr",
                                          "gamma",
                                          "tau",
                                          "batch_size",
                                          "buffer_size",
                                          "warm_up",
                                          "update_freq",
                                          "number_updates",
                                          "max_grad_norm",
                                          "using_double_q",
                                          "n_steps",
                                          "loss",
                                          "dueling",
                                          "noisy",
                                          "prioritized",
                                          "per_alpha",
                                          "per_beta_start",
                                          "per_beta_end",
                                          "per_eps",
                                          "epsilon_start",
                                          "epsilon_end",
                                          "epsilon_decay",
                                          "target_update_every",
                                          "reward_transform",
                                          "network",
                                          "device"};
  int checked = 0;
  for (const auto& preset : list_presets(SPAR_PRESETS)) {
    const Table root = parse_toml_file(preset.path, {Layer::preset, preset.name, 0});
    if (!root.find("algorithm")) continue;  // a game is solved without
    const Table& algorithm = *root.find("algorithm")->value.table();
    if (std::get<std::string>(algorithm.find("id")->value.data) != "dqn") continue;
    ++checked;
    for (const auto& entry : algorithm.entries)
      BOOST_TEST((std::ranges::find(names, entry.key) != names.end()), preset.name << ": " << entry.key);
  }
  BOOST_TEST(checked >= 3);
}

BOOST_AUTO_TEST_SUITE_END()
