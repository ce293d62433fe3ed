#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "host/spar/support.hpp"
#include "support/files.hpp"

namespace {

namespace fs = std::filesystem;

const fs::path kAlgorithms = fs::path(SPAR_SOURCES) / "plugins/algorithms";

/// Folders of algorithm plugins; those without an options.hpp are shared code.
std::vector<std::string> algorithms() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kAlgorithms))
    if (fs::exists(entry.path() / "options.hpp")) names.push_back(entry.path().filename().string());
  std::ranges::sort(names);
  return names;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(option_tables)

BOOST_AUTO_TEST_CASE(readme_of_each_algorithm_holds_the_table_of_its_schema) {
  const spar::test::Workplace workplace;
  const std::vector<std::string> names = algorithms();
  BOOST_TEST(names.size() >= 1u);
  for (const std::string& name : names) {
    const auto shown = workplace.spar({"explain", name, "--markdown"});
    BOOST_TEST_REQUIRE(shown.exit_code == 0, name << ": " << shown.err);
    BOOST_TEST(shown.out.starts_with("| option | type | default | meaning |\n|---|---|---|---|\n| `"));
    const std::string readme = spar::test::read_file(kAlgorithms / name / "README.md");
    BOOST_TEST((readme.find("\n" + shown.out + "\n") != std::string::npos),
               name << ": the table in its README differs from its schema: run share/dev/option_tables");
  }
}

BOOST_AUTO_TEST_SUITE_END()
