// The program spar-worker itself.
#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include "core/plugin/child.hpp"
#include "support.hpp"

using namespace spar::plugin;
using namespace spar::plugin::test;
using namespace std::chrono_literals;

namespace {
ChildResult run_worker(const std::vector<std::string>& arguments) {
  return run_child(SPAR_BUILD_DIR "/bin/spar-worker", arguments, 20s, 1 << 20);
}
}  // namespace

BOOST_AUTO_TEST_SUITE(worker)

BOOST_AUTO_TEST_CASE(wrong_usage_exits_with_2) {
  for (const auto& arguments : std::vector<std::vector<std::string>>{
           {}, {"scan"}, {"scan", "relative.spar.so"}, {"paint", "/x"}, {"scan", "/x", "/y"}, {"scan", ""}}) {
    const auto result = run_worker(arguments);
    BOOST_TEST(result.exit_code == 2);
    BOOST_TEST(result.output.empty());
    BOOST_TEST(result.errors.starts_with("usage: spar-worker scan FILE\n"));
  }
}

BOOST_AUTO_TEST_CASE(description_is_one_json_document_whatever_the_plugin_prints) {
  const Directory directory;
  const auto result = run_worker({"scan", directory.plugin("noisy").string()});
  BOOST_TEST(result.exit_code == 0);
  BOOST_TEST(result.errors == "{\"format\":1,\"components\":[]}\n");
  const auto document = boost::json::parse(result.output);
  BOOST_TEST(document.at("components").at(0).at("id").as_string() == "org.spar.test/Noisy");
}

BOOST_AUTO_TEST_CASE(refusal_is_a_document_too_and_exits_with_3) {
  const auto result = run_worker({"scan", "/nonexistent.spar.so"});
  BOOST_TEST(result.exit_code == 3);
  const auto document = boost::json::parse(result.output);
  BOOST_TEST(document.at("refused").at("reason").as_string() == "cannot be opened (No such file or directory)");
}

BOOST_AUTO_TEST_SUITE_END()
