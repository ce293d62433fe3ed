#include "core/run/run_directory.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>
#include <regex>
#include <set>

#include "fixtures.hpp"

using namespace spar;
using namespace spar::run;

namespace {

struct Runs {
  TemporaryDirectory temporary;
  std::filesystem::path runs = temporary.path() / "deep" / "runs";
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(run_directory, Runs)

BOOST_AUTO_TEST_CASE(create_makes_a_locked_directory_with_a_manifest) {
  const RunDirectory run = RunDirectory::create(runs, "cartpole-dqn");
  BOOST_TEST(std::regex_match(run.id(), std::regex("cartpole-dqn-[0-9a-f]{4}")));
  BOOST_TEST(run.path() == runs / run.id());
  BOOST_TEST(run.locked());
  BOOST_TEST(is_locked(run.path() / "lock"));
  const auto manifest = run.manifest();
  BOOST_TEST(manifest.at("name").as_string() == "cartpole-dqn");
  BOOST_TEST(manifest.at("status").as_string() == "running");
  BOOST_TEST(std::regex_match(std::string(manifest.at("created").as_string()),
                              std::regex("20\\d\\d-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z")));
}

BOOST_AUTO_TEST_CASE(a_directory_that_begins_is_a_run_with_all_its_files_once_it_has_settled) {
  const RunDirectory run = RunDirectory::begin(runs, "a");
  BOOST_TEST(is_locked(run.path() / "lock"));
  run.write_text("resolved.toml", "first");
  run.write_text("resolved.toml", "second");
  run.update_manifest({{"host", "h"}});
  BOOST_TEST(std::filesystem::is_directory(run.seed(1)));
  run.make_inside(run.seed(1) / "checkpoints");
  BOOST_TEST(std::filesystem::is_directory(run.seed(1) / "checkpoints"));
  BOOST_TEST(!is_run(run.path()));
  BOOST_TEST(!std::filesystem::exists(run.path() / "resolved.toml"));
  BOOST_TEST(run.read_text("resolved.toml").value() == "second");
  BOOST_TEST(run.manifest().at("host").as_string() == "h");
  run.settle();
  const RunDirectory reader = RunDirectory::open(run.path());
  BOOST_TEST(reader.read_text("resolved.toml").value() == "second");
  BOOST_TEST(reader.manifest().at("host").as_string() == "h");
  BOOST_TEST(reader.manifest().at("status").as_string() == "running");
  run.make_inside(run.seed(1) / "checkpoints");
  run.make_inside(run.seed(1) / "other");
  BOOST_TEST(std::filesystem::is_directory(run.seed(1) / "other"));
  run.write_text("resolved.toml", "third");  // from now on at once
  run.settle();
  BOOST_TEST(reader.read_text("resolved.toml").value() == "third");
}

BOOST_AUTO_TEST_CASE(an_existing_directory_is_never_used_again) {
  std::set<std::string> ids;
  for (int i = 0; i < 300; ++i) ids.insert(RunDirectory::create(runs, "a").id());
  BOOST_TEST(ids.size() == 300u);
}

BOOST_AUTO_TEST_CASE(names_that_are_no_file_names_are_refused_and_nothing_is_made) {
  for (const std::string& name : {std::string(), std::string("a/b"), std::string(".."), std::string("-a"),
                                  std::string("a b"), std::string("a\n"), std::string(201, 'a')})
    BOOST_CHECK_EXCEPTION(RunDirectory::create(runs, name), Error, says("E0603", "cannot be the name of a run"));
  BOOST_TEST(!std::filesystem::exists(runs));
}

BOOST_AUTO_TEST_CASE(a_parent_that_cannot_be_written_is_named) {
  BOOST_CHECK_EXCEPTION(RunDirectory::create("/dev/null", "a"), Error, says("E0604", "/dev/null"));
  BOOST_CHECK_EXCEPTION(RunDirectory::create("/dev/null/x", "a"), Error, says("E0504", "Not a directory"));
}

BOOST_AUTO_TEST_CASE(a_file_in_the_place_of_the_parent_is_to_be_moved_away) {
  put(temporary.path() / "runs", "");
  BOOST_CHECK_EXCEPTION(RunDirectory::create(temporary.path() / "runs", "a"), Error, [](const Error& error) {
    return error.code() == "E0604" && error.help().find("is a file: move it away") != std::string::npos;
  });
}

BOOST_AUTO_TEST_CASE(open_accepts_runs_only_and_does_not_lock) {
  std::filesystem::path path;
  {
    const RunDirectory run = RunDirectory::create(runs, "a");
    path = run.path();
    BOOST_TEST(!RunDirectory::open(path).locked());
  }
  RunDirectory again = RunDirectory::open(path / "");
  BOOST_TEST(again.id() == path.filename().string());
  again.lock();
  again.lock();
  BOOST_CHECK_EXCEPTION(RunDirectory::open(path).lock(), Error, says("E0605", "in use by process"));
  BOOST_CHECK_EXCEPTION(RunDirectory::open(runs), Error, says("E0601", "is not the directory of a run"));
}

BOOST_AUTO_TEST_CASE(a_run_survives_being_moved) {
  std::filesystem::path path;
  {
    const RunDirectory run = RunDirectory::create(runs, "a");
    run.write_text("experiment.toml", "seed = 1\n");
    path = run.path();
  }
  std::filesystem::rename(path, temporary.path() / "moved");
  RunDirectory moved = RunDirectory::open(temporary.path() / "moved");
  moved.lock();
  BOOST_TEST(moved.read_text("experiment.toml").value() == "seed = 1\n");
  BOOST_TEST(moved.seed(1) == temporary.path() / "moved" / "seed-1");
}

BOOST_AUTO_TEST_CASE(seed_directories_are_made_by_the_writer_only) {
  const RunDirectory run = RunDirectory::create(runs, "a");
  const RunDirectory reader = RunDirectory::open(run.path());
  BOOST_TEST(!std::filesystem::exists(reader.seed(2)));
  BOOST_TEST(std::filesystem::is_directory(run.seed(2)));
}

BOOST_AUTO_TEST_CASE(texts_are_replaced_as_a_whole_and_missing_ones_are_none) {
  const RunDirectory run = RunDirectory::create(runs, "a");
  BOOST_TEST(!run.read_text("resolved.toml").has_value());
  run.write_text("resolved.toml", "long first version");
  run.write_text("resolved.toml", "second");
  BOOST_TEST(run.read_text("resolved.toml").value() == "second");
  std::filesystem::create_directory(run.path() / "directory");
  BOOST_CHECK_EXCEPTION(run.read_text("directory"), Error, says("E0604", "it is not a regular file"));
  BOOST_CHECK_EXCEPTION(run.write_text("directory", "x"), Error, says("E0504", "rename failed"));
  put(run.path() / "large", "");
  std::filesystem::resize_file(run.path() / "large", (uintmax_t{64} << 20) + 1);
  BOOST_CHECK_EXCEPTION(run.read_text("large"), Error, says("E0604", "more than 64 MiB"));
}

BOOST_AUTO_TEST_CASE(manifest_changes_keep_the_other_keys_and_their_order) {
  const RunDirectory run = RunDirectory::create(runs, "a");
  run.update_manifest({{"host", "h"}, {"status", "stopped"}});
  run.update_manifest({{"argv", {"spar", "train"}}});
  std::vector<std::string> keys;
  for (const auto& [key, value] : run.manifest()) keys.emplace_back(key);
  BOOST_TEST(keys == (std::vector<std::string>{"name", "created", "status", "host", "argv"}),
             boost::test_tools::per_element());
  BOOST_TEST(run.manifest().at("status").as_string() == "stopped");
}

BOOST_AUTO_TEST_CASE(finish_keeps_the_summary) {
  const RunDirectory run = RunDirectory::create(runs, "a");
  BOOST_TEST(!run.summary().has_value());
  Summary summary;
  summary.run = run.path().string();
  summary.status = "completed";
  summary.env_steps = 50'000;
  run.finish(summary);
  BOOST_TEST((run.summary() == summary));
  BOOST_TEST(run.manifest().at("status").as_string() == "completed");
}

BOOST_AUTO_TEST_CASE(damaged_manifests_are_named) {
  const RunDirectory run = RunDirectory::create(runs, "a");
  put(run.path() / "manifest.json", "{\"name\":");
  BOOST_CHECK_EXCEPTION(run.manifest(), Error, says("E0606", "manifest.json` is not valid JSON"));
  put(run.path() / "manifest.json", "[]");
  BOOST_CHECK_EXCEPTION(run.manifest(), Error, says("E0606", "must hold one JSON object"));
  put(run.path() / "manifest.json", R"({"summary":1})");
  BOOST_CHECK_EXCEPTION(run.summary(), Error, says("E0606", "`summary` must be an object"));
}

BOOST_AUTO_TEST_SUITE_END()
