#include "core/run/summary.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "core/run/json_text.hpp"
#include "fixtures.hpp"

using namespace spar;
using namespace spar::run;

namespace {

Summary filled() {
  Summary summary;
  summary.run = "runs/cartpole-dqn-7f3a";
  summary.status = "completed";
  summary.stop_reason = "env_steps";
  summary.env_steps = 50'000;
  summary.seconds = 2.1;
  summary.steps_per_second = 23'809;
  summary.eval = EvalStatistics{480.5, 500, 470, 500, 400, 500, 30.25, 20};
  summary.best = {500, 40'000};
  summary.parameters_sha256 = "ab12";
  return summary;
}

Summary again(const Summary& summary) {
  return summary_from_json(parse_json(json_text(to_json(summary)), "x").get_object(), "x");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(summary)

BOOST_AUTO_TEST_CASE(line_has_the_documented_keys_in_their_order) {
  BOOST_TEST(
      json_text(to_json(filled())) ==
      R"({"event":"end","run":"runs/cartpole-dqn-7f3a","status":"completed","stop_reason":"env_steps",)"
      R"("env_steps":50000,"seconds":2.1,"steps_per_second":23809,)"
      R"("eval":{"return":{"mean":480.5,"iqm":500,"ci":[470,500],"episodes":20,"std":30.25,"min":400,"max":500}},)"
      R"("best":{"eval_return":500,"step":40000},"parameters_sha256":"ab12","error":null})");
}

BOOST_AUTO_TEST_CASE(absent_parts_are_null_or_left_out) {
  BOOST_TEST(json_text(to_json(Summary())) ==
             R"({"event":"end","run":"","status":"","stop_reason":"","env_steps":0,"seconds":0,"steps_per_second":0,)"
             R"("eval":null,"best":null,"parameters_sha256":"","error":null})");
}

BOOST_AUTO_TEST_CASE(reading_gives_back_what_was_written) {
  BOOST_TEST((again(filled()) == filled()));
  BOOST_TEST((again({}) == Summary{}));
  Summary several = filled();
  several.error = "the first cause";
  several.nash_conv = 0.125, several.exploitability = 0.0625, several.iterations = 7;
  several.seeds = {filled(), filled()};
  several.seeds[0].seed = 1, several.seeds[1].seed = 2;
  BOOST_TEST((again(several) == several));
}

BOOST_AUTO_TEST_CASE(numbers_that_are_not_finite_come_back_as_nan) {
  Summary summary = filled();
  summary.eval->iqm = std::nan("");
  BOOST_TEST(std::isnan(again(summary).eval->iqm));
}

BOOST_AUTO_TEST_CASE(every_missing_key_and_every_wrong_type_is_named) {
  const auto refused = [](auto change, const char* part) {
    boost::json::object object = to_json(filled());
    change(object);
    BOOST_CHECK_EXCEPTION(summary_from_json(object, "m.json"), Error, says("E0606", part));
  };
  for (const char* key :
       {"run", "status", "stop_reason", "env_steps", "seconds", "steps_per_second", "parameters_sha256"}) {
    const std::string expected = "`m.json`: `" + std::string(key) + "` in the summary ";
    refused([key](auto& object) { object.erase(key); }, (expected + "is missing").c_str());
    refused([key](auto& object) { object[key] = boost::json::array(); }, (expected + "must be").c_str());
  }
  refused([](auto& object) { object["env_steps"] = -1; }, "`env_steps` in the summary must be a whole number");
  refused([](auto& object) { object["eval"] = 1; }, "`eval` in the summary must be an object");
  refused([](auto& object) { object["eval"].at("return").as_object().erase("ci"); },
          "`eval.return.ci` in the summary is missing");
  refused([](auto& object) { object["eval"].at("return").at("ci") = boost::json::array{1}; },
          "must be a list of two numbers");
  refused([](auto& object) { object["error"] = 5; }, "`error` in the summary must be a string");
  refused([](auto& object) { object["seeds"] = 5; }, "`seeds` in the summary must be a list");
  refused([](auto& object) { object["seeds"] = boost::json::array{5}; },
          "`seeds` in the summary must be a list of objects");
  refused([](auto& object) { object["seeds"] = boost::json::array{boost::json::object()}; },
          "`seeds[].run` in the summary is missing");
}

BOOST_AUTO_TEST_SUITE_END()
