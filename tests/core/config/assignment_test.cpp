#include "core/config/assignment.hpp"

#include <boost/test/unit_test.hpp>

#include "core/config/toml.hpp"

using namespace spar;
using namespace spar::config;

namespace {

/// The value at a path of the tree that the assignments make, as TOML.
std::string assigned(const std::vector<std::string>& arguments, const std::vector<std::string>& path,
                     const std::string& file = "") {
  Table root = parse_toml(file, "a.toml", {Layer::file, "a.toml", 0});
  for (const auto& argument : arguments) assign(root, argument);
  const Table* table = &root;
  for (size_t i = 0;; ++i) {
    const Entry* entry = table->find(path[i]);
    BOOST_REQUIRE(entry);
    if (i + 1 == path.size()) return toml_text(entry->value);
    table = entry->value.table();
    BOOST_REQUIRE(table);
  }
}

std::string refusal_of(const std::string& argument) {
  Table root;
  try {
    assign(root, argument);
    return "";
  } catch (const Error& error) {
    return error.render();
  }
}

const std::string kHelp = "   = write key=value, e.g. algorithm.lr=1e-3 or env.id=CartPole-v1\n";

}  // namespace

BOOST_AUTO_TEST_SUITE(assignment)

BOOST_AUTO_TEST_CASE(values_are_toml) {
  BOOST_TEST(assigned({"algorithm.lr=1e-3"}, {"algorithm", "lr"}) == "0.001");
  BOOST_TEST(assigned({"env.count=8"}, {"env", "count"}) == "8");
  BOOST_TEST(assigned({"a.b.c=true"}, {"a", "b", "c"}) == "true");
  BOOST_TEST(assigned({"steps=50_000"}, {"steps"}) == "50000");
  BOOST_TEST(assigned({"stop={any=[{env_steps=12000}]}"}, {"stop", "any"}) == "[{ env_steps = 12000 }]");
  BOOST_TEST(assigned({"name=\"a b\""}, {"name"}) == "\"a b\"");
}

BOOST_AUTO_TEST_CASE(bare_words_are_text) {
  BOOST_TEST(assigned({"algorithm.id=dqn"}, {"algorithm", "id"}) == "\"dqn\"");
  BOOST_TEST(assigned({"env.id=CartPole-v1"}, {"env", "id"}) == "\"CartPole-v1\"");
  BOOST_TEST(assigned({"env.id=org.spar.classic/CartPole-v1"}, {"env", "id"}) == "\"org.spar.classic/CartPole-v1\"");
  BOOST_TEST(assigned({"checkpoint.every=2min"}, {"checkpoint", "every"}) == "\"2min\"");
}

BOOST_AUTO_TEST_CASE(quoted_keys_may_hold_dots_and_equals_signs) {
  BOOST_TEST(assigned({"threshold.\"eval.return.mean\"=\">= 475\""}, {"threshold", "eval.return.mean"}) ==
             "\">= 475\"");
  BOOST_TEST(assigned({"\"a=b\"=word"}, {"a=b"}) == "\"word\"");
}

BOOST_AUTO_TEST_CASE(assignments_win_over_the_file_and_over_earlier_ones) {
  const std::string file = "[algorithm]\nlr = 1\ngamma = 2\n";
  BOOST_TEST(assigned({"algorithm.lr=5"}, {"algorithm", "lr"}, file) == "5");
  BOOST_TEST(assigned({"algorithm.lr=5"}, {"algorithm", "gamma"}, file) == "2");
  BOOST_TEST(assigned({"algorithm.lr=5", "algorithm.lr=6"}, {"algorithm", "lr"}, file) == "6");
}

BOOST_AUTO_TEST_CASE(an_inline_table_replaces_the_section) {
  BOOST_TEST(assigned({"stop={all=[]}"}, {"stop"}, "[stop]\nany=[1]\n") == "{ all = [] }");
}

BOOST_AUTO_TEST_CASE(places_are_columns_of_the_argument) {
  Table root;
  assign(root, "algorithm.id=dqn");
  const Entry& id = *root.find("algorithm")->value.table()->find("id");
  BOOST_TEST(id.place.file == "command line");
  BOOST_TEST(id.place.line == 0);
  BOOST_TEST(id.place.column == 11);
  BOOST_TEST(id.value.place.column == 14);
  BOOST_TEST(id.value.place.length == 3);
  BOOST_TEST(id.value.place.source == "algorithm.id=dqn");
  BOOST_TEST(id.value.origin.text() == "command line");
}

BOOST_AUTO_TEST_CASE(what_is_not_an_assignment_is_refused_with_a_caret) {
  BOOST_TEST(refusal_of("cartpole") ==
             "error[E0201]: `cartpole` is not an assignment: there is no `=`\n"
             " --> command line\n"
             " | cartpole\n"
             " |         ^\n" +
                 kHelp);
  BOOST_TEST(refusal_of("=5") ==
             "error[E0201]: an assignment needs a key before `=`\n"
             " --> command line\n"
             " | =5\n"
             " | ^\n" +
                 kHelp);
  BOOST_TEST(refusal_of("lr=") ==
             "error[E0201]: an assignment needs a value after `=`\n"
             " --> command line\n"
             " | lr=\n"
             " |    ^\n" +
                 kHelp);
  BOOST_TEST(refusal_of("a=1\nb=2").find("an assignment is one line of text") != std::string::npos);
  BOOST_TEST(refusal_of("[a]#=1").find("needs a key") != std::string::npos);
  BOOST_TEST(refusal_of("#=1").find("needs a key") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(broken_toml_is_refused_with_a_caret) {
  BOOST_TEST(refusal_of("algorithm.layers=[64,") ==
             "error[E0201]: this is not valid TOML: encountered end-of-file\n"
             " --> command line\n"
             " | algorithm.layers=[64,\n"
             " |                      ^\n"
             "   = text that is more than one word needs quotes inside those of the shell: 'name=\"..\"'\n");
  BOOST_TEST(refusal_of("a..b=word").starts_with("error[E0201]"));
  BOOST_TEST(refusal_of("day=2026-01-01").starts_with("error[E0204]: dates and times are not values of an experiment"));
}

BOOST_AUTO_TEST_SUITE_END()
