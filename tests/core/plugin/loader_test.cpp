#include "core/plugin/loader.hpp"

#include <boost/test/unit_test.hpp>

#include "core/base/error.hpp"
#include "support.hpp"

using namespace spar;
using namespace spar::plugin;
using namespace spar::plugin::test;

namespace {

/// What the plugins good and second tell the service "test.calls/1".
struct Calls {
  uint32_t struct_size = sizeof(Calls), reserved = 0;
  void (*record)(const char*) = [](const char* what) { log().emplace_back(what); };

  static std::vector<std::string>& log() {
    static std::vector<std::string> lines;
    return lines;
  }
};

bool is_mapped(const fs::path& file) { return read_file("/proc/self/maps").find(file.string()) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_SUITE(loader)

BOOST_AUTO_TEST_CASE(plugins_are_initialised_once_and_ended_in_reverse_order) {
  const Directory directory;
  const fs::path good = directory.plugin("good");
  directory.plugin("second");
  const Calls calls;
  HostTable host;
  host.offer("test.calls/1", &calls);
  Calls::log().clear();
  {
    Registry registry = Registry::scan(directory.search(), options(directory, &host));
    BOOST_TEST(!is_mapped(good));
    const spar_component& learner = registry.load(SPAR_KIND_ALGO, "learner");
    BOOST_TEST(is_mapped(good));
    BOOST_TEST(std::string(learner.id) == "org.spar.test.learner");
    BOOST_TEST(SPAR_HAS(static_cast<const spar_algo_vtbl*>(learner.vtbl), spar_algo_vtbl, act));
    BOOST_TEST(&registry.load(SPAR_KIND_ALGO, "org.spar.test.learner") == &learner);
    BOOST_TEST(registry.load(SPAR_KIND_ENV, "Good-v1").kind == uint32_t{SPAR_KIND_ENV});
    registry.load(SPAR_KIND_ENV, "Second");
    BOOST_TEST(Calls::log() == (std::vector<std::string>{"good init", "second init"}),
               boost::test_tools::per_element());
    Registry moved = std::move(registry);
    moved.shutdown();
    moved.shutdown();
  }
  BOOST_TEST(Calls::log() == (std::vector<std::string>{"good init", "second init", "second deinit", "good deinit"}),
             boost::test_tools::per_element());
  BOOST_TEST(is_mapped(good));  // never unloaded
}

BOOST_AUTO_TEST_CASE(plugin_of_a_later_minor_is_loaded) {
  const Directory directory;
  directory.plugin("future_minor");
  const HostTable host;
  Registry registry = Registry::scan(directory.search(), options(directory, &host));
  BOOST_TEST(abi_text(registry.files().at(0).abi) == "1.7");
  const spar_component& component = registry.load(SPAR_KIND_ENV, "FutureMinor");
  BOOST_TEST(component.struct_size > sizeof(spar_component));
  BOOST_TEST(registry.schema(SPAR_KIND_ENV, "FutureMinor").params.at(0).name == "gravity");
}

BOOST_AUTO_TEST_CASE(plugin_that_did_not_survive_its_scan_is_never_loaded) {
  const Directory directory;
  const fs::path file = directory.plugin("abort_in_constructor");
  const HostTable host;
  Registry registry = Registry::scan(directory.search(), options(directory, &host));
  const Error error = caught([&] { registry.load(SPAR_KIND_ENV, "Abort"); });
  BOOST_TEST(error.code() == "E0101");
  BOOST_TEST(static_cast<int>(error.exit()) == 3);
  BOOST_TEST(error.what() == "environment `org.spar.test/Abort` belongs to plugin " + file.string() +
                                 ", which is refused: it crashed while it was loaded: signal SIGABRT (it said: "
                                 "assertion failed: the stars are right)");
  BOOST_TEST(!is_mapped(file));
}

BOOST_AUTO_TEST_CASE(loading_failures_name_the_file_and_the_linkers_reason) {
  const Directory directory;
  const auto failure = [&](const std::string& fixture) {
    const fs::path file = directory.plugin(fixture);
    const PluginFile found = inspect(file, "test", std::nullopt);
    const Error error = caught([&] { LoadedPlugin plugin(found); });
    BOOST_TEST(static_cast<int>(error.exit()) == 3);
    const std::string text = error.what(), name = "plugin " + file.string() + " ";
    BOOST_TEST(text.starts_with(name));
    return error.code() + " " + text.substr(name.size());
  };
  BOOST_TEST(failure("missing_symbol") == "E0120 cannot be loaded: " + (directory / "missing_symbol.spar.so").string() +
                                              ": undefined symbol: function_of_nobody");
  BOOST_TEST(failure("needs_nobody") ==
             "E0120 cannot be loaded: libnobody.so: cannot open shared object file: No such file or directory");
  BOOST_TEST(failure("no_entry") == "E0120 does not export `spar_plugin_entry_v1`");
  BOOST_TEST(failure("returns_null") == "E0120 gave no descriptor to a host of ABI 1.0");
  BOOST_TEST(failure("throws_in_entry") == "E0120 threw an exception out of its entry");
  BOOST_TEST(failure("note_mismatch") == "E0121 has the version `1.0.1`, but its note says `1.0.0`");
  BOOST_TEST(
      failure("needs_torch_9") ==
      "E0127 needs LibTorch (`libtorch_cpu.so.9`), which cannot be opened: libtorch_cpu.so.9: cannot open shared "
      "object file: No such file or directory");
  BOOST_TEST(
      failure("runpath") ==
      "E0101 is refused: it carries the RUNPATH \"/opt/evil\", which would choose libraries for the whole program");
}

BOOST_AUTO_TEST_CASE(file_that_was_swapped_after_it_was_examined_is_not_loaded) {
  const Directory directory;
  const fs::path file = directory.plugin("sound_3");
  const PluginFile found = inspect(file, "test", std::nullopt);
  fs::rename(directory.plugin("abort_in_constructor"), file);
  BOOST_TEST(caught([&] { LoadedPlugin plugin(found); }).what() ==
             "plugin " + file.string() + " changed since it was examined: it is another file now");
  fs::remove(file);
  fs::create_symlink("/etc/passwd", file);
  const Error error = caught([&] { LoadedPlugin plugin(found); });
  BOOST_TEST(error.code() == "E0123");
  BOOST_TEST(error.what() == "plugin " + file.string() + " changed since it was examined: it is a symbolic link");
}

BOOST_AUTO_TEST_CASE(failing_init_is_an_error_in_the_plugins_own_words) {
  const Directory directory;
  directory.plugin("init_fails");
  directory.plugin("throws_in_init");
  const HostTable host;
  Registry registry = Registry::scan(directory.search(), options(directory, &host));
  const Error error = caught([&] { registry.load(SPAR_KIND_ENV, "InitFails"); });
  BOOST_TEST(error.code() == "E0122");
  BOOST_TEST(static_cast<int>(error.exit()) == 3);
  BOOST_TEST(error.what() == "plugin " + (directory / "init_fails.spar.so").string() +
                                 " cannot be initialised (status -5): [31mno licence was found[0m");
  BOOST_TEST(caught([&] { registry.load(SPAR_KIND_BACKEND, "backend"); }).what() ==
             "plugin " + (directory / "throws_in_init.spar.so").string() + " threw an exception out of init()");
}

BOOST_AUTO_TEST_CASE(registry_without_a_host_loads_nothing) {
  const Directory directory;
  directory.plugin("sound_4");
  Registry registry = Registry::scan(directory.search(), options(directory));
  BOOST_TEST(caught([&] { registry.load(SPAR_KIND_ENV, "Sound-v4"); }).code() == "E0125");
}

BOOST_AUTO_TEST_SUITE_END()
