#include <boost/test/unit_test.hpp>

#include "core/config/support.hpp"

using namespace spar;
using namespace spar::config;

namespace {

Experiment pendulum(std::vector<std::string> assignments = {}) {
  const Scratch scratch;
  return load({scratch.file("a.toml", kPendulum), "", std::move(assignments), {}}, fake_lookup);
}

std::string refusal(const std::vector<std::string>& assignments) {
  try {
    check_changes(pendulum(), pendulum(assignments));
  } catch (const Error& error) {
    BOOST_TEST(error.code() == "E0508");
    BOOST_TEST(static_cast<int>(error.exit()) == 2);
    return error.what();
  }
  return "";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(changed_configuration)

BOOST_AUTO_TEST_CASE(equal_experiments_and_other_names_have_no_changes) {
  BOOST_TEST(changed_settings(pendulum(), pendulum()).empty());
  BOOST_TEST(changed_settings(pendulum(), pendulum({"name=other"})).empty());
}

BOOST_AUTO_TEST_CASE(each_change_names_path_old_and_new_value) {
  const auto found = changed_settings(pendulum({"threshold={\"eval.return.mean\" = \">= 1\"}"}),
                                      pendulum({"algorithm.gamma=0.5", "eval.episodes=7", "checkpoint.keep.last=9"}));
  const std::vector<std::string> expected = {"algorithm.gamma was 0.99 and is 0.5", "eval.episodes was 20 and is 7",
                                             "checkpoint.keep.last was 2 and is 9",
                                             "threshold.\"eval.return.mean\" was \">= 1.0\" and is left out"};
  BOOST_TEST(found == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(origins_of_what_is_the_same_are_kept) {
  const Experiment now = pendulum({"eval.episodes=6"});
  const std::string resolved = resolved_toml(now);
  BOOST_TEST(resolved_again(now, resolved) == resolved);
  const auto with = [](std::string text, const std::string& line, const std::string& other) {
    return text.replace(text.find(line), line.size(), other);
  };
  const std::string marked = with(resolved, "gamma = 0.99  # default", "gamma = 0.99  # of old");
  BOOST_TEST(resolved_again(now, with(marked, "episodes = 6  # command line", "episodes = 5  # of old")) == marked);
}

BOOST_AUTO_TEST_CASE(what_the_run_is_cannot_be_changed) {
  BOOST_TEST(refusal({"algorithm.gamma=0.5", "stop={any=[{env_steps=1}]}", "eval.every=3", "checkpoint.every=1",
                      "threshold={\"eval.return.mean\" = \">= 1\"}"}) == "");
  BOOST_TEST(refusal({"env.count=5"}) == "`env.count` of a run cannot be changed on its way: it was 8, found 5");
  BOOST_TEST(refusal({"seed=5"}) == "`seed` of a run cannot be changed on its way: it was 1, found 5");
  BOOST_TEST(refusal({"name=other"}).starts_with("`name` of a run cannot be changed on its way: it was "));
  BOOST_TEST(refusal({"env.g=1"}).starts_with("`env.g` of a run cannot be changed"));
}

BOOST_AUTO_TEST_SUITE_END()
