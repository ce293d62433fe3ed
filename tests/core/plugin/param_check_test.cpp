#include "core/plugin/param_check.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace spar;
using namespace spar::plugin;

namespace {

config::Param param(uint32_t type, const char* value) {
  config::Param out;
  out.name = "x";
  out.doc = "a parameter";
  out.type = type;
  if (value) out.default_json = value;
  return out;
}

std::string problem(std::vector<config::Param> params) {
  config::Component component;
  component.id = "a.b";
  component.params = std::move(params);
  return params_problem(component).value_or("sound");
}

std::string ranged(uint32_t type, const char* value, double min, double max, uint32_t flags = 0) {
  config::Param out = param(type, value);
  out.min = min;
  out.max = max;
  out.flags = flags;
  return problem({out});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(param_check)

BOOST_AUTO_TEST_CASE(every_type_has_sound_defaults) {
  for (const auto& [type, value] : {std::pair{SPAR_T_BOOL, "true"},
                                    {SPAR_T_INT, "-3"},
                                    {SPAR_T_REAL, "1"},
                                    {SPAR_T_REAL, "2.5e-3"},
                                    {SPAR_T_STR, "\"text\""},
                                    {SPAR_T_INTS, "[64, 64]"},
                                    {SPAR_T_INTS, "[]"},
                                    {SPAR_T_REALS, "[0.5, 1]"},
                                    {SPAR_T_JSON, "{\"a\":[1]}"}})
    BOOST_TEST(problem({param(static_cast<uint32_t>(type), value)}) == "sound");
  BOOST_TEST(problem({param(SPAR_T_INT, nullptr)}) == "sound");
}

BOOST_AUTO_TEST_CASE(default_of_another_type_is_refused) {
  BOOST_TEST(problem({param(SPAR_T_BOOL, "1")}) ==
             "parameter `x` of `a.b` has the default `1`, which is not true or false");
  BOOST_TEST(problem({param(SPAR_T_INT, "1.5")}) ==
             "parameter `x` of `a.b` has the default `1.5`, which is not an integer");
  BOOST_TEST(problem({param(SPAR_T_REAL, "\"1\"")}) ==
             "parameter `x` of `a.b` has the default `\"1\"`, which is not a number");
  BOOST_TEST(problem({param(SPAR_T_STR, "adam")}) ==
             "parameter `x` of `a.b` has the default `adam`, which is not a text");
  BOOST_TEST(problem({param(SPAR_T_INTS, "[1, 2.5]")}) ==
             "parameter `x` of `a.b` has the default `[1, 2.5]`, which is not a list of integers");
  BOOST_TEST(problem({param(SPAR_T_REALS, "3")}) ==
             "parameter `x` of `a.b` has the default `3`, which is not a list of numbers");
  BOOST_TEST(problem({param(SPAR_T_JSON, "{")}) == "parameter `x` of `a.b` has the default `{`, which is not JSON");
}

BOOST_AUTO_TEST_CASE(default_must_be_in_range_and_may_equal_an_inclusive_bound) {
  BOOST_TEST(ranged(SPAR_T_REAL, "0.00005", 0.00005, 1) == "sound");
  BOOST_TEST(ranged(SPAR_T_REAL, "1", 0, 1) == "sound");
  BOOST_TEST(ranged(SPAR_T_REAL, "1.5", 0, 1) == "parameter `x` of `a.b` has the default 1.5, above its maximum 1");
  BOOST_TEST(ranged(SPAR_T_INT, "-1", 0, 10) == "parameter `x` of `a.b` has the default -1, below its minimum 0");
  BOOST_TEST(ranged(SPAR_T_REAL, "0", 0, 1, SPAR_PARAM_MIN_EXCLUSIVE) ==
             "parameter `x` of `a.b` has the default 0, below its minimum 0");
  BOOST_TEST(ranged(SPAR_T_REAL, "1", 0, 1, SPAR_PARAM_MAX_EXCLUSIVE) ==
             "parameter `x` of `a.b` has the default 1, above its maximum 1");
  BOOST_TEST(ranged(SPAR_T_INTS, "[64, 0]", 1, 4096) ==
             "parameter `x` of `a.b` has the default 0, below its minimum 1");
}

BOOST_AUTO_TEST_CASE(names_documentation_types_bounds_and_choices_are_checked) {
  auto twice = param(SPAR_T_BOOL, "true");
  BOOST_TEST(problem({twice, twice}) == "parameter `x` of `a.b` is defined twice");
  for (const char* name : {"", "X", "9x", "a-b", "a b", "\x1b[0m"}) {
    auto bad = param(SPAR_T_BOOL, "true");
    bad.name = name;
    BOOST_TEST(
        problem({bad}).ends_with("of `a.b` needs a name of the form [a-z][a-z0-9_]*, at most 64 characters long"));
  }
  auto undocumented = param(SPAR_T_BOOL, "true");
  undocumented.doc = "";
  BOOST_TEST(problem({undocumented}) == "parameter `x` of `a.b` has no documentation");
  BOOST_TEST(problem({param(9, nullptr)}) == "parameter `x` of `a.b` has the unknown type 9");
  BOOST_TEST(ranged(SPAR_T_REAL, "1", 2, 1) == "parameter `x` of `a.b` has the minimum 2 above its maximum 1");
  auto choice = param(SPAR_T_STR, "\"blue\"");
  choice.choices = {"red", "green"};
  BOOST_TEST(problem({choice}) == "parameter `x` of `a.b` has the default \"blue\", which is not one of its choices");
  choice.default_json = "\"red\"";
  BOOST_TEST(problem({choice}) == "sound");
  choice.type = SPAR_T_INT;
  BOOST_TEST(problem({choice}) == "parameter `x` of `a.b` has choices but is not a text");
}

BOOST_AUTO_TEST_SUITE_END()
