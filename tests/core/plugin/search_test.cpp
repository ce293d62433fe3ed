#include "core/plugin/search.hpp"

#include <boost/test/unit_test.hpp>

#include "support.hpp"

using namespace spar::plugin;
using namespace spar::plugin::test;

namespace {

std::vector<std::string> paths(const SearchPath& search) {
  std::vector<std::string> out;
  for (const auto& directory : search.directories) out.push_back(directory.origin + " " + directory.path.string());
  return out;
}

SearchPath directories(std::initializer_list<fs::path> list, const std::string& origin = "--plugin-path") {
  SearchPath out;
  for (const auto& path : list) out.directories.push_back({path, origin});
  return out;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(search)

BOOST_AUTO_TEST_CASE(directories_come_in_their_order) {
  SearchSources sources;
  sources.command_line = {"/a", "/b/../c/"};
  sources.environment = "/d:/e";
  sources.data_home = "/data";
  sources.home = "/home/me";
  sources.executable = "/opt/spar/bin/spar";
  const std::vector<std::string> expected{"--plugin-path /a",        "--plugin-path /c",
                                          "SPAR_PLUGIN_PATH /d",     "SPAR_PLUGIN_PATH /e",
                                          "user /data/spar/plugins", "built-in /opt/spar/lib/spar/plugins"};
  BOOST_TEST(paths(search_path(sources)) == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(user_directory_defaults_to_the_home_directory) {
  SearchSources sources;
  sources.home = "/home/me";
  BOOST_TEST(paths(search_path(sources)).at(0) == "user /home/me/.local/share/spar/plugins");
  sources.data_home = "relative";
  BOOST_TEST(paths(search_path(sources)).at(0) == "user /home/me/.local/share/spar/plugins");
  sources.home = "";
  BOOST_TEST(search_path(sources).directories.empty());
}

BOOST_AUTO_TEST_CASE(relative_and_empty_elements_are_skipped_and_reported) {
  SearchSources sources;
  sources.command_line = {"plugins"};
  sources.environment = "/a::./b:";
  const auto found = search_path(sources);
  BOOST_TEST(paths(found).size() == 1u);
  BOOST_REQUIRE(found.skipped.size() == 4u);
  BOOST_TEST(found.skipped[0].refusal.reason ==
             "--plugin-path names `plugins`, which is not absolute; the working directory is never searched");
  BOOST_TEST(found.skipped[1].refusal.reason == "SPAR_PLUGIN_PATH has an empty element");
  BOOST_TEST(found.skipped[2].refusal.reason ==
             "SPAR_PLUGIN_PATH names `./b`, which is not absolute; the working directory is never searched");
  BOOST_TEST(found.skipped[3].refusal.reason == "SPAR_PLUGIN_PATH has an empty element");
}

BOOST_AUTO_TEST_CASE(environment_and_program_are_read) {
  ::setenv("SPAR_PLUGIN_PATH", "/from/environment", 1);
  const auto sources = search_sources({"/x"});
  ::unsetenv("SPAR_PLUGIN_PATH");
  BOOST_TEST(sources.environment == "/from/environment");
  BOOST_TEST(sources.command_line.at(0) == "/x");
  BOOST_TEST(sources.executable.filename() == "test_core_plugin");
}

BOOST_AUTO_TEST_CASE(only_plugin_names_are_found_and_they_are_sorted) {
  const Directory directory;
  for (const char* name : {"b.spar.so", "a.spar.so", "c.so", "notes.txt", ".spar.so", "d.spar.so.bak"})
    directory.write(name, "x");
  fs::create_directory(directory / "sub");
  std::vector<std::string> names;
  for (const auto& file : find_plugin_files(directories({directory.path()})).files)
    names.push_back(file.path.filename());
  BOOST_TEST(names == (std::vector<std::string>{"a.spar.so", "b.spar.so"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(directory_named_twice_is_searched_once) {
  const Directory directory;
  directory.write("a.spar.so", "x");
  fs::create_directory(directory / "real");
  fs::create_directory_symlink(directory.path(), directory / "real/link");
  BOOST_TEST(find_plugin_files(directories({directory.path(), directory / "real/link"})).files.size() == 1u);
}

BOOST_AUTO_TEST_CASE(missing_directory_is_reported_only_if_it_was_named) {
  const Directory directory;
  const auto named = find_plugin_files(directories({directory / "absent"}));
  BOOST_REQUIRE(named.skipped.size() == 1u);
  BOOST_TEST(named.skipped[0].refusal.reason ==
             "directory `" + (directory / "absent").string() + "` of --plugin-path does not exist");
  BOOST_TEST(find_plugin_files(directories({directory / "absent"}, "user")).skipped.empty());
}

BOOST_AUTO_TEST_CASE(world_writable_directory_is_skipped_with_its_remedy) {
  const Directory directory;
  directory.write("a.spar.so", "x");
  BOOST_REQUIRE(::chmod(directory.path().c_str(), 0777) == 0);
  const auto found = find_plugin_files(directories({directory.path()}));
  BOOST_TEST(found.files.empty());
  BOOST_REQUIRE(found.skipped.size() == 1u);
  BOOST_TEST(found.skipped[0].refusal.reason ==
             "directory `" + directory.path().string() + "` is writable by everybody");
  BOOST_TEST(found.skipped[0].refusal.remedy == "chmod go-w " + directory.path().string());
}

BOOST_AUTO_TEST_CASE(ten_thousand_files_are_bounded_and_reported) {
  const Directory directory;
  for (int i = 0; i < 10'000; ++i) directory.write(std::to_string(i) + ".spar.so", "");
  const auto found = find_plugin_files(directories({directory.path()}));
  BOOST_TEST(found.files.size() == kMostFiles);
  BOOST_REQUIRE(found.skipped.size() == 1u);
  BOOST_TEST(found.skipped[0].refusal.reason == "directory `" + directory.path().string() +
                                                    "` holds 10000 plugin files, only the first 1000 are looked at");
}

BOOST_AUTO_TEST_SUITE_END()
