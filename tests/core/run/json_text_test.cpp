#include "core/run/json_text.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>

#include "core/rng/philox.hpp"
#include "fixtures.hpp"

using namespace spar;
using namespace spar::run;

BOOST_AUTO_TEST_SUITE(json_writing)

BOOST_AUTO_TEST_CASE(keys_keep_their_order_and_numbers_are_short) {
  const boost::json::object object = {{"z", 1.5}, {"a", 3.0},  {"tiny", 1e-7},   {"third", 1.0 / 3},
                                      {"n", -7},  {"t", true}, {"none", nullptr}};
  BOOST_TEST(json_text(object) ==
             R"({"z":1.5,"a":3,"tiny":1e-07,"third":0.3333333333333333,"n":-7,"t":true,"none":null})");
  BOOST_TEST(json_text(boost::json::object()) == "{}");
  BOOST_TEST(json_text(boost::json::parse(R"([ [], {}, [1, "x"] ])")) == R"([[],{},[1,"x"]])");
}

BOOST_AUTO_TEST_CASE(what_is_not_finite_is_null) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  BOOST_TEST(json_text(boost::json::object{{"a", std::nan("")}, {"b", kInfinity}, {"c", -kInfinity}}) ==
             R"({"a":null,"b":null,"c":null})");
}

BOOST_AUTO_TEST_CASE(control_characters_never_break_a_line) {
  BOOST_TEST(json_text(boost::json::object{{"a\nb", "c\n\"d\"\x01"}}) == R"({"a\nb":"c\n\"d\"\u0001"})");
}

BOOST_AUTO_TEST_CASE(doubles_read_back_the_same) {
  Philox random(1, "numbers");
  for (int i = 0; i < 10'000; ++i) {
    const uint64_t bits = random.bits();
    double value;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    BOOST_TEST_REQUIRE(std::strtod(number_text(value).c_str(), nullptr) == value);
  }
}

BOOST_AUTO_TEST_CASE(damaged_text_is_refused_with_the_file) {
  BOOST_TEST(parse_json(" {\"a\": 1}\n", "f").at("a").as_int64() == 1);
  BOOST_CHECK_EXCEPTION(parse_json("{\"a\":", "m.json"), Error, says("E0606", "`m.json` is not valid JSON: "));
  BOOST_CHECK_EXCEPTION(parse_json("", "m.json"), Error, says("E0606", "`m.json`"));
  BOOST_CHECK_EXCEPTION(parse_json("{} x", "m.json"), Error, says("E0606", "`m.json` is not valid JSON: "));
  BOOST_CHECK_EXCEPTION(parse_json(std::string(100'000, '['), "m.json"), Error, says("E0606", "`m.json`"));
}

BOOST_AUTO_TEST_SUITE_END()
