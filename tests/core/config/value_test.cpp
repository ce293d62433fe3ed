#include "core/config/value.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <stdexcept>

#include "core/config/json.hpp"
#include "core/config/toml.hpp"

using namespace spar;
using namespace spar::config;

namespace {
Table parse(const std::string& text) { return parse_toml(text, "a.toml", {Layer::file, "a.toml", 0}); }
}  // namespace

BOOST_AUTO_TEST_SUITE(value)

BOOST_AUTO_TEST_CASE(entries_keep_the_order_of_the_text) {
  const Table table = parse("z = 1\na = 2\n[m]\n[b]\n");
  std::string order;
  for (const auto& entry : table.entries) order += entry.key;
  BOOST_TEST(order == "zamb");
}

BOOST_AUTO_TEST_CASE(keys_and_values_know_their_places) {
  const Table table = parse("\n[algorithm]\nlr   = [1.0, 2.5]\n");
  const Entry& lr = *table.find("algorithm")->value.table()->find("lr");
  BOOST_TEST(lr.place.line == 3);
  BOOST_TEST(lr.place.column == 1);
  BOOST_TEST(lr.place.length == 2);
  BOOST_TEST(lr.place.source == "lr   = [1.0, 2.5]");
  const Value& second = lr.value.array()->at(1);
  BOOST_TEST(second.place.column == 14);
  BOOST_TEST(second.place.length == 3);
  BOOST_TEST(second.origin.text() == "a.toml:3");
}

BOOST_AUTO_TEST_CASE(origins_read_as_in_the_resolved_file) {
  BOOST_TEST(Origin{}.text() == "default");
  BOOST_TEST((Origin{Layer::preset, "cartpole-dqn", 0}.text()) == "preset cartpole-dqn");
  BOOST_TEST((Origin{Layer::command_line, "", 0}.text()) == "command line");
}

BOOST_AUTO_TEST_CASE(written_values_read_back_as_themselves) {
  for (const double number : {3e-4, 1e22, 1.0, -0.0, 0.1 + 0.2, 5e-324, 1.7976931348623157e308}) {
    const Table table = parse("x = " + toml_text(number));
    BOOST_TEST(std::get<double>(table.find("x")->value.data) == number);
  }
  const std::string nasty("a\"b\\c\n\t\x01\x7f é", 12);
  BOOST_TEST(std::get<std::string>(parse("x = " + toml_text(std::string_view(nasty))).find("x")->value.data) == nasty);
  const std::string text = "{ a = [1, 2.0], \"b c\" = { d = true, e = \"f\" }, g = {}, h = [] }";
  BOOST_TEST(toml_text(parse("x = " + text).find("x")->value) == text);
}

BOOST_AUTO_TEST_CASE(json_numbers_are_exact) {
  const Value value = from_json("[3e-4, 0.3, 1, 2.5e-5, -1.5e300]");
  BOOST_TEST(toml_text(value) == "[3e-04, 0.3, 1, 2.5e-05, -1.5e+300]");
}

BOOST_AUTO_TEST_CASE(json_keeps_order_nesting_and_escapes) {
  const std::string text = R"({"z":[1,{"a":true}],"b":"x\ny","c":{},"d":[]})";
  BOOST_TEST(to_json(from_json(text)) == text);
}

BOOST_AUTO_TEST_CASE(json_that_no_value_can_hold_is_refused) {
  for (const auto* text : {"null", "[null]", "[1,", "{\"a\" 1}", "18446744073709551615", "1 2", ""})
    BOOST_CHECK_THROW(from_json(text), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()
