#include "core/train/metrics.hpp"

#include <cmath>

#include "core/base/crew.hpp"
#include "core/train/fixture.hpp"
#include "core/train/identity.hpp"
#include "core/train/stopping.hpp"

using namespace spar;
using namespace spar::test;
using train::Budget;
using train::Metrics;

namespace {

template <class Service>
const Service& service(const char* id) {
  return *static_cast<const Service*>(scripted_host().get_service(&scripted_host(), id));
}

spar_str str_of(const char* text) { return {text, std::string_view(text).size()}; }

}  // namespace

BOOST_AUTO_TEST_SUITE(metrics)

BOOST_AUTO_TEST_CASE(kinds_join_values_in_their_own_way) {
  Metrics metrics;
  const uint32_t mean = metrics.define("mean", SPAR_METRIC_MEAN, ""),
                 last = metrics.define("last", SPAR_METRIC_LAST, "");
  const uint32_t sum = metrics.define("sum", SPAR_METRIC_SUM, ""),
                 unused = metrics.define("unused", SPAR_METRIC_MEAN, "");
  BOOST_TEST((mean == 1 && last == 2 && sum == 3 && unused == 4));
  BOOST_TEST(metrics.define("last", SPAR_METRIC_MEAN, "") == 2u);  // the first definition stays
  BOOST_TEST(metrics.define("", SPAR_METRIC_MEAN, "") == 0u);
  for (const double x : {1.0, 2.0, 6.0})
    for (const uint32_t id : {mean, last, sum}) metrics.record(id, 0, x);
  const auto values = metrics.drain();
  BOOST_REQUIRE(values.size() == 3u);
  BOOST_TEST((values[0].name == "mean" && values[0].value == 3));
  BOOST_TEST((values[1].name == "last" && values[1].value == 6));
  BOOST_TEST((values[2].name == "sum" && values[2].value == 9));
  BOOST_TEST(metrics.drain().empty());
}

BOOST_AUTO_TEST_CASE(first_value_that_is_not_finite_is_kept) {
  Metrics metrics;
  const uint32_t a = metrics.define("a", SPAR_METRIC_MEAN, ""), b = metrics.define("b", SPAR_METRIC_MEAN, "");
  metrics.record(a, 1, 1e308);
  BOOST_TEST(!metrics.broken().has_value());
  metrics.record(b, 2, -HUGE_VAL);
  metrics.record(a, 3, std::nan(""));
  BOOST_REQUIRE(metrics.broken().has_value());
  BOOST_TEST(metrics.broken()->id == b);
  BOOST_TEST(metrics.broken()->step == 2u);
}

BOOST_AUTO_TEST_CASE(what_others_recorded_joins_as_if_it_had_come_after) {
  Metrics metrics, other;
  const uint32_t mean = metrics.define("mean", SPAR_METRIC_MEAN, "");
  const uint32_t last = other.define("last", SPAR_METRIC_LAST, ""), same = other.define("mean", SPAR_METRIC_MEAN, "");
  metrics.record(mean, 1, 1);
  for (const double x : {2.0, 6.0}) other.record(same, 2, x);
  for (const double x : {4.0, 5.0}) other.record(last, 2, x);
  metrics.absorb(other);
  metrics.absorb(other);  // nothing was recorded since
  const auto values = metrics.drain();
  BOOST_REQUIRE(values.size() == 2u);
  BOOST_TEST((values[0].name == "mean" && values[0].value == 3));
  BOOST_TEST((values[1].name == "last" && values[1].value == 5));
  other.record(last, 7, HUGE_VAL);
  metrics.absorb(other);
  BOOST_REQUIRE(metrics.broken().has_value());
  BOOST_TEST(metrics.broken_text() == "the metric `last` became infinite at step 7");
}

BOOST_AUTO_TEST_CASE(what_was_not_drained_is_part_of_the_state) {
  Metrics metrics, other;
  other.define("b", SPAR_METRIC_SUM, "");  // in another order
  metrics.record(metrics.define("a", SPAR_METRIC_MEAN, ""), 0, 4);
  metrics.record(metrics.define("b", SPAR_METRIC_SUM, ""), 0, 5);
  ByteWriter writer;
  metrics.save(writer);
  const auto bytes = writer.take();
  ByteReader reader(bytes, "metrics");
  other.load(reader);
  reader.end();
  other.record(other.define("b", SPAR_METRIC_SUM, ""), 0, 1);
  const auto values = other.drain();
  BOOST_REQUIRE(values.size() == 2u);
  BOOST_TEST((values[0].name == "b" && values[0].value == 6));
  BOOST_TEST((values[1].name == "a" && values[1].value == 4));
}

BOOST_AUTO_TEST_CASE(newest_value_outlives_the_log_line_and_is_part_of_the_state) {
  Metrics metrics, other;
  metrics.define("never", SPAR_METRIC_MEAN, "");
  const uint32_t a = metrics.define("a", SPAR_METRIC_MEAN, "");
  for (const double x : {1.0, 3.0}) metrics.record(a, 0, x);
  metrics.drain();
  ByteWriter writer;
  metrics.save(writer);
  const auto bytes = writer.take();
  ByteReader reader(bytes, "metrics");
  other.load(reader);
  for (const Metrics* m : {&metrics, &other}) {
    const auto newest = m->newest();
    BOOST_REQUIRE(newest.size() == 1u);
    BOOST_TEST((newest[0].name == "a" && newest[0].value == 3));
  }
}

BOOST_AUTO_TEST_CASE(service_forgives_what_a_plugin_gets_wrong) {
  const auto& table = service<spar_svc_metrics>(SPAR_SVC_METRICS);
  Metrics metrics;
  spar_ctx with, without;
  with.metrics = &metrics;
  BOOST_TEST(table.define(&without, str_of("a"), SPAR_METRIC_MEAN, str_of("")) == 0u);
  table.record(&without, 1, 0, 1);
  BOOST_TEST(table.define(&with, str_of(""), SPAR_METRIC_MEAN, str_of("")) == 0u);
  BOOST_TEST(table.define(&with, str_of("a"), SPAR_METRIC_MEAN, str_of("")) == 1u);
  table.record(&with, 0, 0, 1);
  table.record(&with, 2, 0, 1);
  BOOST_TEST(metrics.drain().empty());
  table.record(&with, 1, 0, 1);
  BOOST_TEST(metrics.drain().size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(budget)

BOOST_AUTO_TEST_CASE(progress_is_the_share_done_and_at_most_one) {
  Budget budget(200);
  BOOST_TEST(budget.progress() == 0.0);
  budget.advance_to(50);
  BOOST_TEST(budget.progress() == 0.25);
  budget.advance_to(500);
  BOOST_TEST(budget.progress() == 1.0);
  BOOST_TEST(Budget(0).progress() == 1.0);
  BOOST_TEST(std::isnan(Budget(std::nullopt).progress()));
}

BOOST_AUTO_TEST_CASE(service_answers_from_the_instances_budget) {
  const auto& table = service<spar_svc_exec>(SPAR_SVC_EXEC);
  Budget budget(10);
  budget.advance_to(5);
  spar_ctx with, without;
  with.budget = &budget;
  BOOST_TEST(table.progress(&with) == 0.5);
  BOOST_TEST(std::isnan(table.progress(&without)));
  BOOST_TEST(table.threads(&with) == 1u);
  BOOST_TEST(table.threads(&without) == 1u);
  BOOST_TEST(table.cancelled(&with) == 0u);
  budget.cancel();
  BOOST_TEST(table.cancelled(&with) == 1u);
  BOOST_TEST(table.cancelled(&without) == 0u);
  std::vector<uint64_t> order;
  BOOST_TEST(table.parallel(
                 &with, 3, [](void* arg, uint64_t i) { static_cast<std::vector<uint64_t>*>(arg)->push_back(i); },
                 &order) == SPAR_OK);
  BOOST_TEST(order == (std::vector<uint64_t>{0, 1, 2}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(service_shares_calls_out_among_the_instances_threads) {
  const auto& table = service<spar_svc_exec>(SPAR_SVC_EXEC);
  Crew crew(2);
  spar_ctx ctx;
  ctx.crew = &crew;
  BOOST_TEST(table.threads(&ctx) == 2u);
  std::atomic<int> arrived{0};
  BOOST_TEST(table.parallel(
                 &ctx, 2,
                 [](void* arg, uint64_t) {  // each waits for the other
                   auto& count = *static_cast<std::atomic<int>*>(arg);
                   ++count;
                   while (count < 2) std::this_thread::yield();
                 },
                 &arrived) == SPAR_OK);
  BOOST_TEST(arrived == 2);
  crew.run(1, [&](size_t) { BOOST_TEST(table.threads(&ctx) == 1u); });  // they are in use
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(stopping)

BOOST_AUTO_TEST_CASE(each_measure_holds_from_its_value_on) {
  std::vector<double> evaluations = {1, 5, 4};
  const train::Situation now{100, 20, 7, 1.5, &evaluations};
  const std::pair<Measure, double> edges[] = {{Measure::env_steps, 100}, {Measure::train_steps, 20},
                                              {Measure::episodes, 7},    {Measure::seconds, 1.5},
                                              {Measure::eval_return, 4}, {Measure::no_improvement, 1}};
  for (const auto& [measure, edge] : edges) {
    BOOST_TEST(train::holds({measure, edge, 1}, now));
    BOOST_TEST(!train::holds({measure, edge + 0.5, 1}, now));
  }
}

BOOST_AUTO_TEST_CASE(evaluations_in_a_row_must_all_reach_the_value) {
  std::vector<double> evaluations = {5, 3, 5, 6};
  const train::Situation now{0, 0, 0, 0, &evaluations};
  BOOST_TEST(train::holds({Measure::eval_return, 5, 2}, now));
  BOOST_TEST(!train::holds({Measure::eval_return, 5, 3}, now));
  BOOST_TEST(!train::holds({Measure::eval_return, 1, 5}, now));  // not so many yet
  const std::vector<double> none;
  const train::Situation start{0, 0, 0, 0, &none};
  BOOST_TEST(!train::holds({Measure::eval_return, -1e9, 1}, start));
  BOOST_TEST(!train::holds({Measure::no_improvement, 1, 1}, start));
}

BOOST_AUTO_TEST_CASE(equal_evaluation_is_no_improvement) {
  const std::vector<double> evaluations = {5, 5, 5};
  const train::Situation now{0, 0, 0, 0, &evaluations};
  BOOST_TEST(train::holds({Measure::no_improvement, 2, 1}, now));
  BOOST_TEST(!train::holds({Measure::no_improvement, 3, 1}, now));
}

BOOST_AUTO_TEST_CASE(one_of_any_is_enough_and_all_takes_all) {
  const std::vector<double> none;
  config::StopConfig stop;
  BOOST_TEST(!train::fired(stop, {0, 0, 0, 0, &none}).has_value());
  stop.any = {{Measure::env_steps, 100, 1}, {Measure::episodes, 5, 1}};
  BOOST_TEST(train::fired(stop, {10, 0, 5, 0, &none}).value() == "episodes");
  BOOST_TEST(!train::fired(stop, {99, 0, 4, 0, &none}).has_value());
  stop.any.clear();
  stop.all = {{Measure::env_steps, 100, 1}, {Measure::episodes, 5, 1}};
  BOOST_TEST(!train::fired(stop, {100, 0, 4, 0, &none}).has_value());
  BOOST_TEST(train::fired(stop, {100, 0, 5, 0, &none}).value() == "all");
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(identity)

BOOST_AUTO_TEST_CASE(differences_are_named_by_path) {
  const std::string saved = R"({"seed":1,"kernels":"avx2","algorithm":{"plugin":"a","sha256":"00"}})";
  BOOST_TEST(train::identity_differences(saved, saved).empty());
  const auto found = train::identity_differences(
      saved, R"({"seed":2,"kernels":"avx2","algorithm":{"plugin":"a","sha256":"01"},"threads":1})");
  BOOST_TEST(
      found == (std::vector<std::string>{"seed was 1 and is 2", "algorithm.sha256 was 00 and is 01", "threads is new"}),
      boost::test_tools::per_element());
  BOOST_TEST(train::identity_differences("{", "{}") ==
                 (std::vector<std::string>{"the checkpoint does not say what it was made with"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
