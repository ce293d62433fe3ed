#include "spar/schema.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>

using namespace spar;

namespace {

struct Config {
  bool on = true;
  int64_t count = -3;
  double lr = 3e-4, whole = 10, tiny = 1e-300;
  std::optional<double> limit;
  std::optional<int64_t> cap;
  std::string kind = "relu", path = "a \"b\" \\ \n";
  std::vector<int64_t> sizes = {64, 32};
  std::vector<double> weights;
};

const Schema<Config>& schema() {
  static const auto instance = Schema<Config>()
                                   .boolean("on", &Config::on, "a switch")
                                   .integer("count", &Config::count, at_least(-5), "a count", SPAR_PARAM_ADVANCED)
                                   .real("lr", &Config::lr, above(0), "a step size", SPAR_PARAM_LOG_SCALE)
                                   .real("whole", &Config::whole, between(0, 20), "a real that looks whole")
                                   .real("tiny", &Config::tiny, above_up_to(0, 1), "a small number")
                                   .optional_real("limit", &Config::limit, any_number(), "may be left out")
                                   .optional_integer("cap", &Config::cap, at_least(1), "may be left out too")
                                   .text("kind", &Config::kind, {"relu", "tanh"}, "one of two")
                                   .text("path", &Config::path, {}, "any text")
                                   .integers("sizes", &Config::sizes, at_least(1), "widths")
                                   .reals("weights", &Config::weights, any_number(), "weights");
  return instance;
}

const spar_param& param(const std::string& name) {
  for (uint32_t i = 0; i < schema().size(); ++i) {
    if (name == schema().table()[i]->name) return *schema().table()[i];
  }
  throw std::runtime_error("no parameter " + name);
}

const int64_t kSizes[] = {1, 2, 3};
const double kWeights[] = {0.5};

spar_value value(uint32_t type, uint32_t count = 0) {
  spar_value out{};
  out.type = type;
  out.count = count;
  return out;
}

/// Values that differ from every default, in the order of the schema.
std::vector<spar_value> values() {
  std::vector<spar_value> out = {value(SPAR_T_BOOL), value(SPAR_T_INT),     value(SPAR_T_REAL),    value(SPAR_T_REAL),
                                 value(SPAR_T_REAL), value(SPAR_T_REAL),    value(SPAR_T_NONE),    value(SPAR_T_STR),
                                 value(SPAR_T_STR),  value(SPAR_T_INTS, 3), value(SPAR_T_REALS, 1)};
  out[1].u.i = 42;
  out[2].u.r = 0.5;
  out[3].u.r = 11;
  out[4].u.r = 0.25;
  out[5].u.r = 2.5;
  out[7].u.s = str("tanh");
  out[8].u.s = str(std::string_view("no NUL here!", 6));
  out[9].u.iv = kSizes;
  out[10].u.rv = kWeights;
  return out;
}

Config parse(const std::vector<spar_value>& list) {
  const spar_config config{sizeof(spar_config), static_cast<uint32_t>(list.size()), list.data()};
  return schema().parse(&config);
}

auto says(const std::string& text) {
  return [text](const StatusError& error) { return error.code == SPAR_E_INVALID && error.what() == text; };
}

}  // namespace

BOOST_AUTO_TEST_SUITE(schema_of_a_component)

BOOST_AUTO_TEST_CASE(initialisers_are_the_defaults) {
  BOOST_TEST(schema().size() == 11u);
  BOOST_TEST(param("on").default_json == "true");
  BOOST_TEST(param("count").default_json == "-3");
  BOOST_TEST(param("lr").default_json == "3e-04");
  BOOST_TEST(param("whole").default_json == "10.0");
  BOOST_TEST(param("tiny").default_json == "1e-300");
  BOOST_TEST(param("kind").default_json == "\"relu\"");
  BOOST_TEST(param("path").default_json == R"("a \"b\" \\ \u000a")");
  BOOST_TEST(param("sizes").default_json == "[64,32]");
  BOOST_TEST(param("weights").default_json == "[]");
  BOOST_TEST(!param("limit").default_json);
  BOOST_TEST(!param("cap").default_json);
}

BOOST_AUTO_TEST_CASE(table_tells_the_host_types_bounds_and_flags) {
  for (uint32_t i = 0; i < schema().size(); ++i) BOOST_TEST(schema().table()[i]->struct_size == sizeof(spar_param));
  BOOST_TEST(param("on").type == uint32_t{SPAR_T_BOOL});
  BOOST_TEST(param("count").type == uint32_t{SPAR_T_INT});
  BOOST_TEST(param("count").min == -5.0);
  BOOST_TEST(std::isnan(param("count").max));
  BOOST_TEST(param("count").flags == uint32_t{SPAR_PARAM_ADVANCED});
  BOOST_TEST(param("lr").flags == uint32_t{SPAR_PARAM_LOG_SCALE | SPAR_PARAM_MIN_EXCLUSIVE});
  BOOST_TEST(param("whole").min == 0.0);
  BOOST_TEST(param("whole").max == 20.0);
  BOOST_TEST(param("whole").flags == 0u);
  BOOST_TEST(param("tiny").flags == uint32_t{SPAR_PARAM_MIN_EXCLUSIVE});
  BOOST_TEST(param("limit").flags == uint32_t{SPAR_PARAM_OPTIONAL});
  BOOST_TEST(param("limit").type == uint32_t{SPAR_T_REAL});
  BOOST_TEST(std::isnan(param("limit").min));
  BOOST_TEST(param("cap").type == uint32_t{SPAR_T_INT});
  BOOST_TEST(param("sizes").type == uint32_t{SPAR_T_INTS});
  BOOST_TEST(param("weights").type == uint32_t{SPAR_T_REALS});
  BOOST_TEST(param("lr").doc == "a step size");
  BOOST_TEST(schema().table() == schema().table());  // one table, however often it is asked for
}

BOOST_AUTO_TEST_CASE(choices_end_with_null_and_free_text_has_none) {
  const char* const* choices = param("kind").choices;
  BOOST_REQUIRE(choices);
  BOOST_TEST(choices[0] == "relu");
  BOOST_TEST(choices[1] == "tanh");
  BOOST_TEST(!choices[2]);
  BOOST_TEST(!param("path").choices);
}

BOOST_AUTO_TEST_CASE(values_of_the_host_reach_their_members) {
  const Config config = parse(values());
  BOOST_TEST(!config.on);
  BOOST_TEST(config.count == 42);
  BOOST_TEST(config.lr == 0.5);
  BOOST_TEST(config.whole == 11.0);
  BOOST_TEST(config.tiny == 0.25);
  BOOST_TEST(config.limit.value() == 2.5);
  BOOST_TEST(!config.cap.has_value());
  BOOST_TEST(config.kind == "tanh");
  BOOST_TEST(config.path == "no NUL");
  BOOST_TEST(config.sizes == std::vector<int64_t>(std::begin(kSizes), std::end(kSizes)),
             boost::test_tools::per_element());
  BOOST_TEST(config.weights == std::vector<double>{0.5}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(wrong_count_and_wrong_types_are_refused) {
  BOOST_CHECK_EXCEPTION(schema().parse(nullptr), StatusError,
                        says("the host passed 0 configuration values, the schema has 11"));
  std::vector<spar_value> list = values();
  list.pop_back();
  BOOST_CHECK_EXCEPTION(parse(list), StatusError, says("the host passed 10 configuration values, the schema has 11"));
  list = values();
  list[2].type = SPAR_T_INT;
  BOOST_CHECK_EXCEPTION(parse(list), StatusError, says("parameter `lr` arrived with type 2, expected 3"));
  list = values();
  list[2].type = SPAR_T_NONE;  // only an optional one may be left out
  BOOST_CHECK_EXCEPTION(parse(list), StatusError, says("parameter `lr` arrived with type 0, expected 3"));
}

BOOST_AUTO_TEST_CASE(component_without_parameters_has_an_empty_table) {
  struct None {};
  const Schema<None> none;
  BOOST_TEST(none.size() == 0u);
  const spar_config config{sizeof(spar_config), 0, nullptr};
  BOOST_CHECK_NO_THROW(none.parse(&config));
}

BOOST_AUTO_TEST_SUITE_END()
