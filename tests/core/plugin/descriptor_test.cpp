#include "core/plugin/descriptor.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>

#include "core/base/error.hpp"
#include "support.hpp"

using namespace spar;
using namespace spar::plugin;
using namespace spar::plugin::test;

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// A sound plugin with one environment, and the note that goes with it; tests break one thing.
struct Sound {
  spar_env_vtbl table{};
  spar_param param{sizeof(spar_param), SPAR_T_INT, "size", "how large", "3", 1, kNone, nullptr, 0, 0};
  const spar_param* params[1] = {&param};
  spar_component component{sizeof(spar_component), SPAR_KIND_ENV, "a.b/C", "1", "title", "doc", params, 1, 0, &table};
  const spar_component* components[2] = {&component, nullptr};
  spar_plugin plugin{
      sizeof(spar_plugin), SPAR_ABI_VERSION, "a.b", "1.0", "vendor", "MIT", nullptr, nullptr, components, 1, 0};
  PluginFile file;

  Sound(const Sound&) = delete;  // it points into itself
  Sound& operator=(const Sound&) = delete;
  Sound() {
    table.struct_size = sizeof table;
    table.flags = SPAR_ENV_CHANCE_NODES;
    table.create = [](auto...) { return spar_status{SPAR_OK}; };
    table.destroy = [](auto...) {};
    table.describe = [](auto...) { return spar_status{SPAR_OK}; };
    table.reset = [](auto...) { return spar_status{SPAR_OK}; };
    table.step = [](auto...) { return spar_status{SPAR_OK}; };
    file.path = "/p/x.spar.so";
    file.id = "a.b";
    file.version = "1.0";
    file.abi = SPAR_ABI_VERSION;
    file.components = {{SPAR_KIND_ENV, "environment", "a.b/C"}};
  }

  /// What is said against it, without the plugin's name.
  std::string problem() const {
    try {
      check_descriptor(plugin, file);
    } catch (const Error& error) {
      BOOST_TEST(error.code() == "E0121");
      BOOST_TEST(static_cast<int>(error.exit()) == 3);
      const std::string text = error.what(), name = "plugin /p/x.spar.so ";
      BOOST_TEST(text.starts_with(name));
      return text.substr(name.size());
    }
    return "sound";
  }
};

}  // namespace

BOOST_AUTO_TEST_SUITE(descriptor)

BOOST_AUTO_TEST_CASE(sound_plugin_is_copied) {
  const Sound sound;
  const auto components = check_descriptor(sound.plugin, sound.file);
  BOOST_REQUIRE(components.size() == 1u);
  BOOST_TEST(components[0].id == "a.b/C");
  BOOST_TEST(components[0].flags == uint32_t{SPAR_ENV_CHANCE_NODES});
  BOOST_TEST(components[0].params.at(0).name == "size");
  BOOST_TEST(components[0].params.at(0).min.value() == 1);
  BOOST_TEST(!components[0].params.at(0).max.has_value());
  BOOST_TEST(find_component(sound.plugin, SPAR_KIND_ENV, "a.b/C") == &sound.component);
  BOOST_TEST(find_component(sound.plugin, SPAR_KIND_ALGO, "a.b/C") == nullptr);
}

BOOST_AUTO_TEST_CASE(sizes_below_the_first_version_are_refused) {
  Sound sound;
  sound.plugin.struct_size = 40;
  BOOST_TEST(sound.problem() == "has a descriptor of 40 bytes, ABI 1.0 has at least 68");
  sound.plugin.struct_size = SPAR_END(spar_plugin, n_components);
  BOOST_TEST(sound.problem() == "sound");
}

BOOST_AUTO_TEST_CASE(version_id_and_components_must_equal_the_note) {
  Sound sound;
  sound.plugin.abi_version = 2u << 16;
  BOOST_TEST(sound.problem() == "says that it speaks ABI 2.0, this program speaks 1.0");
  sound.plugin.abi_version = (1u << 16) | 4;
  BOOST_TEST(sound.problem() == "says that it was built for ABI 1.4, but its note says 1.0");
  sound.plugin.abi_version = SPAR_ABI_VERSION;
  sound.plugin.id = "a.c";
  BOOST_TEST(sound.problem() == "has the id `a.c`, but its note says `a.b`");
  sound.plugin.id = nullptr;
  BOOST_TEST(sound.problem() == "has no id");
  sound.plugin.id = "a.b";
  sound.plugin.version = "2";
  BOOST_TEST(sound.problem() == "has the version `2`, but its note says `1.0`");
  sound.plugin.version = "1.0";
  sound.component.id = "a.b/D";
  BOOST_TEST(sound.problem() == "has the environment `a.b/D`, which its note does not list");
  sound.component.id = "a.b/C";
  sound.plugin.n_components = 2;
  BOOST_TEST(sound.problem() == "has 2 components, but its note lists 1");
  sound.file.components.push_back({SPAR_KIND_ENV, "environment", "a.b/E"});
  BOOST_TEST(sound.problem() == "has NULL as component 1");
  sound.components[1] = &sound.component;
  BOOST_TEST(sound.problem() == "has the environment `a.b/C` twice");
}

BOOST_AUTO_TEST_CASE(what_is_required_may_not_be_null) {
  Sound sound;
  sound.plugin.components = nullptr;
  BOOST_TEST(sound.problem() == "has no list of components");
  sound.plugin.components = sound.components;
  sound.component.struct_size = 63;
  BOOST_TEST(sound.problem() == "has a component of 63 bytes, ABI 1.0 has at least 64");
  sound.component.struct_size = sizeof(spar_component);
  sound.component.id = nullptr;
  BOOST_TEST(sound.problem() == "has a component without an id");
  sound.component.id = "a.b/C";
  sound.component.title = nullptr;
  BOOST_TEST(sound.problem() == "has the component `a.b/C` without version, title or documentation");
  sound.component.title = "t";
  sound.component.vtbl = nullptr;
  BOOST_TEST(sound.problem() == "has the component `a.b/C` without a function table");
  sound.component.vtbl = &sound.table;
  sound.component.params = nullptr;
  BOOST_TEST(sound.problem() == "has the component `a.b/C` without its list of parameters");
  sound.component.params = sound.params;
  sound.component.n_params = 5000;
  BOOST_TEST(sound.problem() == "has the component `a.b/C` with 5000 parameters, at most 1024 are read");
  sound.component.n_params = 1;
  sound.params[0] = nullptr;
  BOOST_TEST(sound.problem() == "has a NULL parameter in `a.b/C`");
  sound.params[0] = &sound.param;
  sound.param.struct_size = 8;
  BOOST_TEST(sound.problem() == "has a parameter of `a.b/C` of 8 bytes, ABI 1.0 has at least 60");
  sound.param.struct_size = sizeof(spar_param);
  sound.param.default_json = "0";
  BOOST_TEST(sound.problem() == "is unsound: parameter `size` of `a.b/C` has the default 0, below its minimum 1");
}

BOOST_AUTO_TEST_CASE(required_functions_are_named) {
  Sound sound;
  sound.table.step = nullptr;
  BOOST_TEST(sound.problem() == "has no function `step` in the table of the environment `a.b/C`");
  // A table that ends before a function does not have it, whatever bytes follow.
  sound.table.step = [](auto...) { return spar_status{SPAR_OK}; };
  sound.table.struct_size = offsetof(spar_env_vtbl, step);
  BOOST_TEST(sound.problem() == "has no function `step` in the table of the environment `a.b/C`");
  sound.table.struct_size = 4;
  BOOST_TEST(sound.problem() == "has a function table of the environment `a.b/C` of 4 bytes, ABI 1.0 has at least 8");

  spar_algo_vtbl empty{};  // as long as the others' beginning
  empty.struct_size = 32;
  sound.component.vtbl = &empty;
  for (const uint32_t kind : {SPAR_KIND_ALGO, SPAR_KIND_STRATEGY, SPAR_KIND_BACKEND}) {
    const std::string name(kind_name(kind));
    sound.component.kind = kind;
    sound.file.components = {{kind, name, "a.b/C"}};
    BOOST_TEST(sound.problem() == "has no function `" + std::string(kind == SPAR_KIND_BACKEND ? "open" : "create") +
                                      "` in the table of the " + name + " `a.b/C`");
  }
}

BOOST_AUTO_TEST_CASE(components_of_unknown_kinds_are_skipped) {
  Sound sound;
  spar_component later = sound.component;
  later.kind = 77;
  later.id = "a.b.later";
  later.vtbl = nullptr;
  sound.components[1] = &later;
  sound.plugin.n_components = 2;
  sound.file.components.push_back({0, "meta_solver", "a.b.later"});
  const auto components = check_descriptor(sound.plugin, sound.file);
  BOOST_TEST(components.size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
