#include <boost/test/unit_test.hpp>
#include <cstddef>

#include "spar/algorithm.hpp"
#include "spar/environment.hpp"
#include "spar/plugin.hpp"

namespace {

struct Thinker : spar::Algorithm {
  static constexpr const char *id = "org.example.thinker", *version = "2.0.0", *title = "Thinks";
  static constexpr const char* doc = "Thinks, then acts.";
  static constexpr const char* kServices[] = {SPAR_SVC_BUFFER, SPAR_SVC_RNG};
  static constexpr uint32_t kFlags = SPAR_ALGO_DISCRETE;
  struct Config {
    double lr = 0.5;
  };
  static const spar::Schema<Config>& schema() {
    static const auto instance = spar::Schema<Config>().real("lr", &Config::lr, spar::above(0), "step size");
    return instance;
  }
  Thinker(const spar::Context&, const Config&, const spar_algo_setup&) {}
  void needs(spar_needs&) const {}
  void act(const spar_act&, const spar_batch&, spar_batch&) {}
  void learn(uint64_t) {}
};

struct Room : spar::Environment {
  static constexpr const char *id = "org.example/Room-v0", *version = "1.0.0", *title = "An empty room";
  struct State {
    int64_t unused;
  };
  using Action = int64_t;
  spar::World world() const { return {spar::Space::box({0}, {1}), spar::Space::discrete(2)}; }
  void reset(State& s, spar::NumpyRandom&) const { s = {}; }
  spar::Outcome step(State&, Action, spar::NumpyRandom&) const { return {0, true}; }
  void observe(const State&, float* obs) const { obs[0] = 0; }
};

}  // namespace

SPAR_PLUGIN("org.example.test", "3.1.4", Thinker, Room)

BOOST_AUTO_TEST_SUITE(plugin_note)

BOOST_AUTO_TEST_CASE(note_is_the_json_that_the_host_reads) {
  const std::string expected =
      R"({"id":"org.example.test","version":"3.1.4","components":[{"kind":"algorithm","id":"org.example.thinker"},)"
      R"({"kind":"environment","id":"org.example/Room-v0"}],"requires":["spar.buffer/1","spar.rng/1"]})";
  BOOST_TEST(spar_note_.desc == expected);
  BOOST_TEST(spar_note_.descsz == expected.size() + 1);  // with its NUL
}

BOOST_AUTO_TEST_CASE(note_without_required_services_lists_none) {
  constexpr size_t kSize = spar::detail::note_size<Room>("a", "1");
  constexpr auto note = spar::detail::make_note<kSize, Room>("a", "1");
  BOOST_TEST(
      note.desc ==
      R"({"id":"a","version":"1","components":[{"kind":"environment","id":"org.example/Room-v0"}],"requires":[]})");
}

BOOST_AUTO_TEST_CASE(note_has_the_layout_of_an_elf_note) {
  BOOST_TEST(spar_note_.namesz == 5u);
  BOOST_TEST(spar_note_.type == SPAR_ABI_VERSION);
  BOOST_TEST(spar_note_.name == "SPAR");
  BOOST_TEST(offsetof(decltype(spar_note_), name) == 12u);
  BOOST_TEST(offsetof(decltype(spar_note_), desc) == 20u);
  BOOST_TEST(sizeof spar_note_.desc % 4 == 0u);
  BOOST_TEST(sizeof spar_note_ == 20 + sizeof spar_note_.desc);
  for (size_t at = spar_note_.descsz; at < sizeof spar_note_.desc; ++at) BOOST_TEST(spar_note_.desc[at] == '\0');
}

BOOST_AUTO_TEST_CASE(kinds_have_the_names_of_the_contract) {
  BOOST_TEST(spar::detail::kind_name(SPAR_KIND_ENV) == "environment");
  BOOST_TEST(spar::detail::kind_name(SPAR_KIND_ALGO) == "algorithm");
  BOOST_TEST(spar::detail::kind_name(SPAR_KIND_STRATEGY) == "strategy");
  BOOST_TEST(spar::detail::kind_name(SPAR_KIND_BACKEND) == "backend");
}

BOOST_AUTO_TEST_CASE(descriptor_says_the_same_as_the_note) {
  const spar_plugin* plugin = spar_plugin_entry_v1(SPAR_ABI_VERSION);
  BOOST_REQUIRE(plugin);
  BOOST_TEST(plugin == spar_plugin_entry_v1(0));  // pure: the same storage for every host
  BOOST_TEST(plugin->struct_size == sizeof(spar_plugin));
  BOOST_TEST(plugin->abi_version == SPAR_ABI_VERSION);
  BOOST_TEST(plugin->id == "org.example.test");
  BOOST_TEST(plugin->version == "3.1.4");
  BOOST_REQUIRE(plugin->n_components == 2u);
  const spar_component& thinker = *plugin->components[0];
  const spar_component& room = *plugin->components[1];
  BOOST_TEST(thinker.kind == uint32_t{SPAR_KIND_ALGO});
  BOOST_TEST(thinker.id == "org.example.thinker");
  BOOST_TEST(thinker.doc == "Thinks, then acts.");
  BOOST_REQUIRE(thinker.n_params == 1u);
  BOOST_TEST(thinker.params[0]->name == "lr");
  BOOST_TEST(static_cast<const spar_algo_vtbl*>(thinker.vtbl)->flags == uint32_t{SPAR_ALGO_DISCRETE});
  BOOST_TEST(room.kind == uint32_t{SPAR_KIND_ENV});
  BOOST_TEST(room.doc == "An empty room");  // its title, where there is no longer text
  BOOST_TEST(room.n_params == 0u);
  BOOST_TEST(static_cast<const spar_env_vtbl*>(room.vtbl)->struct_size == sizeof(spar_env_vtbl));
}

BOOST_AUTO_TEST_SUITE_END()
