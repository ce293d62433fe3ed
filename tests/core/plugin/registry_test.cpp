#include "core/plugin/registry.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>

#include "core/base/error.hpp"
#include "support.hpp"
#include "support/sanitized.hpp"

using namespace spar;
using namespace spar::plugin;
using namespace spar::plugin::test;
using namespace std::chrono_literals;

namespace {

/// Status and reason of one fixture, after its schemas were asked for.
const PluginFile described(const std::string& fixture, RegistryOptions (*change)(RegistryOptions) = nullptr) {
  const Directory directory;
  directory.plugin(fixture);
  const HostTable host;
  RegistryOptions with = options(directory, &host);
  Registry registry = Registry::scan(directory.search(), change ? change(with) : with);
  registry.read_schemas();
  PluginFile file = file_named(registry, fixture + ".spar.so");
  BOOST_TEST((file.status == Status::usable) == file.reason.empty());
  return file;
}

std::string row_reason(const std::string& fixture) { return described(fixture).reason; }

}  // namespace

BOOST_AUTO_TEST_SUITE(registry)

BOOST_AUTO_TEST_CASE(good_plugin_is_listed_without_being_loaded) {
  const Directory directory;
  directory.plugin("good");
  directory.plugin("abort_in_constructor");  // would end this process
  const Registry registry = Registry::scan(directory.search(), options(directory));
  const auto& good = file_named(registry, "good.spar.so");
  BOOST_TEST((good.status == Status::usable));
  BOOST_TEST(good.id == "org.spar.test.good");
  BOOST_TEST(good.version == "1.2.3");
  BOOST_TEST(abi_text(good.abi) == "1.0");
  BOOST_TEST(good.origin == "--plugin-path");
  BOOST_TEST(good.build_id.size() == 40u);
  BOOST_REQUIRE(good.components.size() == 2u);
  BOOST_TEST(good.components[0].kind_name == "environment");
  BOOST_TEST(good.components[1].id == "org.spar.test.learner");
  BOOST_TEST(good.requires_services.at(0) == "spar.log/1");
  BOOST_TEST((file_named(registry, "abort_in_constructor.spar.so").status == Status::usable));
}

BOOST_AUTO_TEST_CASE(wrong_plugins_are_refused_with_their_reason) {
  BOOST_TEST(row_reason("good") == "");
  BOOST_TEST(row_reason("future_minor") == "");
  BOOST_TEST(row_reason("unknown_kind") == "");
  BOOST_TEST(row_reason("noisy") == "");
  BOOST_TEST(row_reason("future_major") == "is built for plugin ABI 2.3, this program speaks 1.0");
  BOOST_TEST(row_reason("note_mismatch") == "has the version `1.0.1`, but its note says `1.0.0`");
  BOOST_TEST(row_reason("no_note") == "has no note of owner SPAR: it is not a spar plugin");
  BOOST_TEST(row_reason("no_entry") == "does not export `spar_plugin_entry_v1`");
  BOOST_TEST(row_reason("missing_symbol").ends_with("missing_symbol.spar.so: undefined symbol: function_of_nobody"));
  BOOST_TEST(row_reason("returns_null") == "gave no descriptor to a host of ABI 1.0");
  BOOST_TEST(row_reason("throws_in_entry") == "threw an exception out of its entry");
  BOOST_TEST(row_reason("param_twice") ==
             "is unsound: parameter `rate` of `org.spar.test/ParamTwice` is defined twice");
  BOOST_TEST(row_reason("param_default") ==
             "is unsound: parameter `rate` of `org.spar.test/ParamDefault` has the default 1.5, above its maximum 1");
  BOOST_TEST(row_reason("requires_unknown") ==
             "requires the service `spar.crystal_ball/3`, which this program does not offer");
  BOOST_TEST(row_reason("runpath") ==
             "carries the RUNPATH \"/opt/evil\", which would choose libraries for the whole program");
  BOOST_TEST(
      row_reason("needs_torch_9") ==
      "needs LibTorch (`libtorch_cpu.so.9`), which cannot be opened: libtorch_cpu.so.9: cannot open shared object "
      "file: No such file or directory");
  BOOST_TEST(row_reason("needs_nobody") ==
             "cannot be loaded: libnobody.so: cannot open shared object file: No such file or directory");
}

BOOST_AUTO_TEST_CASE(remedies_say_what_to_do) {
  BOOST_TEST(described("future_major").remedy == "install a newer spar, or build the plugin with this version's SDK");
  BOOST_TEST(described("requires_unknown").remedy == "install a newer spar, or an older version of the plugin");
  BOOST_TEST(described("needs_nobody").remedy ==
             "a missing library or symbol means that it was built on another system: build it here");
}

BOOST_AUTO_TEST_CASE(plugins_that_end_the_process_end_only_the_scanner) {
  BOOST_TEST(row_reason("abort_in_constructor") ==
             "crashed while it was loaded: signal SIGABRT (it said: assertion failed: the stars are right)");
  if (!spar::test::kThreadSanitizer) {  // which ends a process with a code of its own when it ends inside dlopen
    BOOST_TEST(row_reason("exit_in_constructor") == "ended the process with exit code 7 while it was loaded");
    BOOST_TEST(row_reason("exit_0_in_constructor") == "ended the process with exit code 0 while it was loaded");
  }
  const auto short_limit = [](RegistryOptions with) {
    with.scan_limit = 1500ms;
    return with;
  };
  const auto start = std::chrono::steady_clock::now();
  BOOST_TEST(described("hang_in_entry", short_limit).reason == "did not describe itself within 1500 ms");
  BOOST_TEST((std::chrono::steady_clock::now() - start < 10s));
}

BOOST_AUTO_TEST_CASE(scanner_that_answers_nonsense_refuses_the_plugin) {
  const Directory directory;
  const auto with_answer = [&](const std::string& script) {
    const fs::path worker = directory.write("worker", "#!/bin/sh\n" + script + "\n");
    BOOST_REQUIRE(::chmod(worker.c_str(), 0755) == 0);
    const Directory plugins;
    plugins.plugin("good");
    RegistryOptions with = options(plugins);
    with.worker = worker;
    Registry registry = Registry::scan(plugins.search(), with);
    registry.read_schemas();
    return registry.files().at(0).reason;
  };
  const std::string unreadable = "described itself in a way that cannot be read";
  BOOST_TEST(with_answer("echo hello") == unreadable);
  BOOST_TEST(with_answer("echo '{\"format\":2}'") == unreadable);
  BOOST_TEST(with_answer("echo '{\"format\":1}'") == "`components` is missing or of the wrong type");
  BOOST_TEST(with_answer("echo '{\"format\":1,\"components\":[]}'") ==
             "describes other components than its note lists");
  BOOST_TEST(with_answer("kill -SEGV $$") == "crashed while it was loaded: signal SIGSEGV");
  BOOST_TEST(with_answer("exit 3") == "ended the process with exit code 3 while it was loaded");
  BOOST_TEST(with_answer("head -c 9000000 /dev/zero") == "printed more than 8 MiB while it was loaded");
}

BOOST_AUTO_TEST_CASE(files_that_are_no_plugins_are_refused_with_their_reason) {
  const Directory directory, outside;
  directory.write("text.spar.so", "hello, I am a text file\n");
  directory.write("empty.spar.so", "");
  fs::create_directory(directory / "directory.spar.so");
  BOOST_REQUIRE(::mkfifo((directory / "fifo.spar.so").c_str(), 0644) == 0);
  fs::create_symlink(directory / "nowhere", directory / "dangling.spar.so");
  fs::create_symlink(outside.plugin("good"), directory / "out.spar.so");
  BOOST_REQUIRE(::chmod(directory.plugin("good", "writable.spar.so").c_str(), 0666) == 0);
  std::string bytes = fixture_bytes("good");
  bytes[EI_CLASS] = ELFCLASS32;
  directory.write("bits32.spar.so", bytes);
  bytes = fixture_bytes("good");
  header(bytes).e_machine = EM_S390;
  directory.write("machine.spar.so", bytes);
  bytes = fixture_bytes("good");
  directory.write("cut.spar.so", bytes.substr(0, 5000));
  directory.plugin("good", "good.so");  // another name: ignored
  directory.write("control\x1b[2J.spar.so", "x");

  Registry registry = Registry::scan(directory.search(), options(directory));
  registry.read_schemas();
  const auto reason_of = [&](const std::string& name) { return file_named(registry, name).reason; };
  BOOST_TEST(registry.files().size() == 11u);
  BOOST_TEST(reason_of("text.spar.so") == "is not an ELF file (first bytes: \"hell\")");
  BOOST_TEST(reason_of("empty.spar.so") == "is empty");
  BOOST_TEST(reason_of("directory.spar.so") == "is a directory");
  BOOST_TEST(reason_of("fifo.spar.so") == "is a FIFO");
  BOOST_TEST(reason_of("dangling.spar.so") == "is a symbolic link");
  BOOST_TEST(reason_of("out.spar.so") == "is a symbolic link");
  BOOST_TEST(reason_of("writable.spar.so") == "is writable by everybody");
  BOOST_TEST(reason_of("bits32.spar.so") == "is a 32-bit library, this program is 64-bit");
  BOOST_TEST(reason_of("machine.spar.so").starts_with("is built for s390, this program runs on "));
  BOOST_TEST(reason_of("cut.spar.so").starts_with("is cut off: "));
  BOOST_TEST(reason_of("cut.spar.so").ends_with(" but the file has 5000"));
  for (const auto& file : registry.files()) BOOST_TEST((file.status == Status::refused));
}

BOOST_AUTO_TEST_CASE(truncated_plugins_never_reach_the_linker) {
  const std::string bytes = fixture_bytes("good");
  const Directory directory;
  for (size_t i = 0; i < 200; ++i)
    directory.write(std::to_string(i) + ".spar.so", bytes.substr(0, i * bytes.size() / 200));
  RegistryOptions with = options(directory);
  with.worker = "/bin/false";  // would be started for whatever looks usable
  Registry registry = Registry::scan(directory.search(), with);
  registry.read_schemas();
  BOOST_TEST(registry.files().size() == 200u);
  for (const auto& file : registry.files())
    BOOST_TEST((file.reason.starts_with("is cut off: ") || file.reason == "is empty"), file.path << " " << file.reason);
}

BOOST_AUTO_TEST_CASE(unusable_directories_are_noted) {
  const Directory directory;
  BOOST_REQUIRE(::chmod(directory.path().c_str(), 0777) == 0);
  const Registry registry = Registry::scan(directory.search(), options(directory));
  BOOST_TEST(registry.files().empty());
  BOOST_REQUIRE(registry.notes().size() == 1u);
  BOOST_TEST(registry.notes()[0] == "directory `" + directory.path().string() +
                                        "` is writable by everybody (skipped): chmod go-w " +
                                        directory.path().string());
}

BOOST_AUTO_TEST_CASE(components_are_found_by_full_and_short_names) {
  const Directory directory;
  directory.plugin("good");
  directory.plugin("sound_1");
  directory.plugin("sound_2");
  const Registry registry = Registry::scan(directory.search(), options(directory));
  for (const char* name : {"org.spar.test/Good-v1", "test/Good-v1", "Good-v1", "Goo", "org.spar.test/G"})
    BOOST_TEST(registry.find(SPAR_KIND_ENV, name).component->id == "org.spar.test/Good-v1");
  BOOST_TEST(registry.find(SPAR_KIND_ALGO, "learner").component->id == "org.spar.test.learner");
  BOOST_TEST(registry.find(SPAR_KIND_ALGO, "learner").file->path == directory / "good.spar.so");
}

BOOST_AUTO_TEST_CASE(unknown_name_shows_the_nearest_and_where_plugins_are_looked_for) {
  const Directory directory;
  directory.plugin("good");
  const Registry registry = Registry::scan(directory.search(), options(directory));
  const Error error = caught([&] { registry.find(SPAR_KIND_ALGO, "leraner"); });
  BOOST_TEST(error.code() == "E0110");
  BOOST_TEST(static_cast<int>(error.exit()) == 2);
  BOOST_TEST(error.what() == std::string("no algorithm `leraner` is known; the nearest is `learner`"));
  BOOST_TEST(error.help() ==
             "plugins are looked for in " + directory.path().string() + "; `spar plugin list` shows what they offer");
  // A name of another kind does not count.
  BOOST_TEST(caught([&] { registry.find(SPAR_KIND_STRATEGY, "learner"); }).what() ==
             std::string("no strategy `learner` is known; no plugin offers any strategy"));
  BOOST_TEST(caught([&] { registry.find(SPAR_KIND_ALGO, "zzzzzzzz"); }).what() ==
             std::string("no algorithm `zzzzzzzz` is known"));
  const Registry nowhere = Registry::scan({}, options(directory));
  BOOST_TEST(caught([&] { nowhere.find(SPAR_KIND_ALGO, "x"); }).help() ==
             "plugins are looked for in no directory; `spar plugin list` shows what they offer");
}

BOOST_AUTO_TEST_CASE(ambiguous_name_shows_the_candidates) {
  const Directory directory;
  directory.plugin("sound_1");
  directory.plugin("sound_2");
  const Registry registry = Registry::scan(directory.search(), options(directory));
  const Error error = caught([&] { registry.find(SPAR_KIND_ENV, "Sound"); });
  BOOST_TEST(error.code() == "E0111");
  BOOST_TEST(error.what() == std::string("environment `Sound` is ambiguous: it could be `org.spar.test/Sound-v1` or "
                                         "`org.spar.test/Sound-v2`"));
}

BOOST_AUTO_TEST_CASE(name_of_a_refused_plugin_shows_why) {
  const Directory directory;
  directory.plugin("requires_unknown");
  const HostTable host;
  const Registry registry = Registry::scan(directory.search(), options(directory, &host));
  const Error error = caught([&] { registry.find(SPAR_KIND_ENV, "RequiresUnknown"); });
  BOOST_TEST(error.code() == "E0101");
  BOOST_TEST(static_cast<int>(error.exit()) == 3);
  BOOST_TEST(error.what() == "environment `org.spar.test/RequiresUnknown` belongs to plugin " +
                                 (directory / "requires_unknown.spar.so").string() +
                                 ", which is refused: it requires the service `spar.crystal_ball/3`, which this "
                                 "program does not offer");
}

BOOST_AUTO_TEST_CASE(same_component_in_two_builds_is_an_error_that_names_both) {
  const Directory directory;
  const fs::path first = directory.plugin("sound_1"), second = directory.plugin("sound_1_again");
  directory.plugin("sound_2");
  const Registry registry = Registry::scan(directory.search(), options(directory));
  BOOST_TEST(file_named(registry, "sound_1_again.spar.so").reason ==
             "offers the environment `org.spar.test/Sound-v1`, which `" + first.string() + "` offers too");
  const Error error = caught([&] { registry.find(SPAR_KIND_ENV, "Sound-v1"); });
  BOOST_TEST(error.code() == "E0112");
  BOOST_TEST(error.what() == "environment `org.spar.test/Sound-v1` is offered by two plugins: `" + first.string() +
                                 "` and `" + second.string() + "`");
  BOOST_CHECK_NO_THROW(registry.find(SPAR_KIND_ENV, "Sound-v2"));
}

BOOST_AUTO_TEST_CASE(same_build_in_two_directories_is_no_conflict_and_the_first_wins) {
  const Directory first, second;
  first.plugin("sound_1");
  second.plugin("sound_1", "copy.spar.so");
  SearchPath search = first.search();
  search.directories.push_back({second.path(), "SPAR_PLUGIN_PATH"});
  const Registry registry = Registry::scan(search, options(first));
  BOOST_TEST(registry.find(SPAR_KIND_ENV, "Sound-v1").file->path == first / "sound_1.spar.so");
  const auto& copy = file_named(registry, "copy.spar.so");
  BOOST_TEST((copy.status == Status::shadowed));
  BOOST_TEST(copy.reason == "is the same build as `" + (first / "sound_1.spar.so").string() + "`");
}

BOOST_AUTO_TEST_CASE(unknown_kinds_are_listed_and_skipped) {
  const Directory directory;
  directory.plugin("unknown_kind");
  Registry registry = Registry::scan(directory.search(), options(directory));
  BOOST_TEST(registry.files().at(0).components.at(0).kind_name == "meta_solver");
  BOOST_TEST(registry.schema(SPAR_KIND_ENV, "UnknownKind").title == "A fixture");
  BOOST_TEST(caught([&] { registry.find(0, "nash"); }).what() ==
             std::string("no component `nash` is known; no plugin offers any component"));
}

BOOST_AUTO_TEST_CASE(schema_comes_from_the_scanner_first_and_from_the_cache_then) {
  const Directory directory;
  directory.plugin("good");
  {
    Registry registry = Registry::scan(directory.search(), options(directory));
    const auto& schema = registry.schema(SPAR_KIND_ALGO, "learner");
    BOOST_TEST(schema.title == "Learner");
    BOOST_REQUIRE(schema.params.size() == 7u);
    BOOST_TEST(schema.params[0].name == "lr");
    BOOST_TEST(schema.params[0].min.value() == 0.00005);
    BOOST_TEST(schema.params[3].choices.size() == 2u);
    BOOST_TEST(&registry.schema(SPAR_KIND_ALGO, "org.spar.test.learner") == &schema);
    BOOST_TEST(registry.notes().empty());
  }
  RegistryOptions without = options(directory);
  without.worker = "/bin/false";  // a scan would refuse the plugin
  Registry cached = Registry::scan(directory.search(), without);
  BOOST_TEST(cached.schema(SPAR_KIND_ALGO, "learner").params.size() == 7u);
  // Touched: another file as far as the cache knows.
  fs::last_write_time(directory / "good.spar.so", fs::file_time_type::clock::now() + std::chrono::seconds(5));
  Registry touched = Registry::scan(directory.search(), without);
  BOOST_TEST(caught([&] { touched.schema(SPAR_KIND_ALGO, "learner"); }).what() ==
             "algorithm `org.spar.test.learner` belongs to plugin " + (directory / "good.spar.so").string() +
                 ", which is refused: it ended the process with exit code 1 while it was loaded");
}

BOOST_AUTO_TEST_CASE(schemas_of_all_plugins_share_one_cache) {
  const Directory directory;
  directory.plugin("good");
  directory.plugin("second");
  directory.plugin("abort_in_constructor");
  Registry registry = Registry::scan(directory.search(), options(directory));
  registry.read_schemas();
  const SchemaCache cache(directory / "cache/schemas.json");
  for (const auto& file : registry.files()) {
    BOOST_TEST((cache.find(file.path, file.key, file.build_id) != nullptr) == (file.status == Status::usable));
    BOOST_TEST((registry.schemas_of(file) != nullptr) == (file.status == Status::usable));
  }
  BOOST_TEST(registry.schemas_of(file_named(registry, "good.spar.so"))->at(1).title == "Learner");
}

BOOST_AUTO_TEST_CASE(missing_scanner_is_noted_and_the_plugin_describes_itself_here) {
  const Directory directory;
  directory.plugin("good");
  directory.plugin("abort_in_constructor");
  RegistryOptions without = options(directory);
  without.worker = directory / "spar-worker";
  Registry registry = Registry::scan(directory.search(), without);
  registry.read_schemas();  // runs no plugin here
  BOOST_TEST(registry.schema(SPAR_KIND_ALGO, "learner").params.size() == 7u);
  BOOST_REQUIRE(registry.notes().size() == 1u);
  BOOST_TEST(registry.notes()[0] ==
             "the scanner `" + (directory / "spar-worker").string() +
                 "` is missing: plugins are described by loading them into this process; install "
                 "spar again");
}

BOOST_AUTO_TEST_CASE(unwritable_cache_is_noted_and_nothing_else_changes) {
  const Directory directory;
  directory.plugin("good");
  directory.write("file", "x");
  RegistryOptions with = options(directory);
  with.schema_cache = directory / "file/spar/schemas.json";
  Registry registry = Registry::scan(directory.search(), with);
  BOOST_TEST(registry.schema(SPAR_KIND_ALGO, "learner").params.size() == 7u);
  BOOST_REQUIRE(registry.notes().size() == 1u);
  BOOST_TEST(registry.notes()[0] == "schemas are not remembered: cannot create " + (directory / "file/spar").string() +
                                        " (Not a directory); the next start scans the plugins again");
}

BOOST_AUTO_TEST_CASE(listing_ten_plugins_with_a_warm_cache_takes_less_than_50_ms) {
  const Directory directory;
  directory.plugin("good");
  directory.plugin("second");
  for (int i = 1; i <= 8; ++i) directory.plugin("sound_" + std::to_string(i));
  Registry::scan(directory.search(), options(directory)).read_schemas();
  auto best = std::chrono::steady_clock::duration::max();
  for (int round = 0; round < 5; ++round) {
    const auto start = std::chrono::steady_clock::now();
    Registry registry = Registry::scan(directory.search(), options(directory));
    registry.read_schemas();
    best = std::min(best, std::chrono::steady_clock::now() - start);
    BOOST_TEST(registry.files().size() == 10u);
    for (const auto& file : registry.files())
      BOOST_TEST((file.status == Status::usable), file.path << " " << file.reason);
  }
  const auto us = std::chrono::duration_cast<std::chrono::microseconds>(best).count();
  BOOST_TEST_MESSAGE("listing ten plugins: " << us << " us");
  BOOST_TEST(us < 50'000);
}

BOOST_AUTO_TEST_SUITE_END()
