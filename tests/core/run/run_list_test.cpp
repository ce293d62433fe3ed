#include "core/run/run_list.hpp"

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include "core/run/json_text.hpp"
#include "core/run/run_directory.hpp"
#include "fixtures.hpp"

using namespace spar;
using namespace spar::run;

namespace {

struct ListedRuns {
  TemporaryDirectory temporary;
  std::filesystem::path runs = temporary.path() / "runs";

  /// A finished run; `created` orders them.
  void add(const std::string& id, const std::string& created, std::optional<double> best = {}) const {
    Summary summary;
    summary.status = "completed";
    summary.env_steps = 50'000;
    if (best) summary.best = {*best, 1'000};
    put(runs / id / "manifest.json", json_text(boost::json::object{{"name", id.substr(0, id.size() - 5)},
                                                                   {"created", created},
                                                                   {"status", "completed"},
                                                                   {"summary", to_json(summary)}}));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(run_names, ListedRuns)

BOOST_AUTO_TEST_CASE(list_is_ordered_by_age_and_shows_results) {
  add("pendulum-sac-aaaa", "2026-01-02", -150);
  add("cartpole-dqn-7f3a", "2026-01-01", 500);
  add("cartpole-dqn-7b00", "2026-01-03");
  std::filesystem::create_directories(runs / "something-else");
  const auto found = list(runs);
  BOOST_TEST_REQUIRE(found.size() == 3u);
  BOOST_TEST(found[0].id == "cartpole-dqn-7f3a");
  BOOST_TEST(found[0].name == "cartpole-dqn");
  BOOST_TEST(found[0].status == "completed");
  BOOST_TEST(found[0].env_steps == 50'000u);
  BOOST_TEST(found[0].best_return.value() == 500);
  BOOST_TEST(found[0].path == runs / "cartpole-dqn-7f3a");
  BOOST_TEST(found[1].best_return.value() == -150);
  BOOST_TEST(!found[2].best_return.has_value());
  BOOST_TEST(list(temporary.path() / "none").empty());
}

BOOST_AUTO_TEST_CASE(steps_of_a_run_that_solved_a_game_are_its_iterations) {
  Summary summary;
  summary.status = "completed";
  summary.iterations = 400;
  put(runs / "kuhn-cfr-aaaa" / "manifest.json",
      json_text(boost::json::object{{"name", "kuhn-cfr"}, {"status", "completed"}, {"summary", to_json(summary)}}));
  BOOST_TEST(list(runs).at(0).env_steps == 400u);
}

BOOST_AUTO_TEST_CASE(a_run_without_summary_is_running_or_interrupted_and_shows_its_progress) {
  {
    const RunDirectory run = RunDirectory::create(runs, "a");
    put(run.seed(1) / "metrics.jsonl", "{\"seq\":1,\"step\":1000}\n{\"seq\":2,\"step\":2000}\n{\"seq\":3,\"st");
    put(run.seed(2) / "eval.jsonl",
        "{\"seq\":1,\"step\":500,\"return\":{\"mean\":7.5}}\n{\"seq\":2,\"step\":1500,\"return\":{\"mean\":3}}"
        "\nnonsense\n");
    BOOST_TEST(list(runs).at(0).status == "running");
  }
  const RunInfo info = list(runs).at(0);
  BOOST_TEST(info.status == "interrupted");
  BOOST_TEST(info.env_steps == 2'000u);
  BOOST_TEST(info.best_return.value() == 7.5);
}

BOOST_AUTO_TEST_CASE(a_damaged_run_is_listed_as_damaged) {
  add("a-0000", "2026-01-01");
  put(runs / "b-1111" / "manifest.json", "{");
  put(runs / "c-2222" / "manifest.json", R"({"created":5,"summary":{"status":1}})");
  const auto found = list(runs);
  BOOST_TEST_REQUIRE(found.size() == 3u);
  BOOST_TEST(found[0].status == "damaged");
  BOOST_TEST(found[1].status == "damaged");
  BOOST_TEST(found[2].status == "completed");
}

BOOST_AUTO_TEST_CASE(runs_are_found_by_path_name_beginning_digits_and_tag) {
  add("cartpole-dqn-7f3a", "2026-01-01", 400);
  add("cartpole-ppo-7f3b", "2026-01-02", 475);
  add("pendulum-sac-aaaa", "2026-01-03", -150);
  add("pendulum-sac-aaaa-0001", "2026-01-04");
  BOOST_TEST(resolve((runs / "cartpole-dqn-7f3a").string() + "/", "elsewhere") == runs / "cartpole-dqn-7f3a");
  BOOST_TEST(resolve("cartpole-ppo-7f3b", runs) == runs / "cartpole-ppo-7f3b");
  BOOST_TEST(resolve("cartpole-d", runs) == runs / "cartpole-dqn-7f3a");
  BOOST_TEST(resolve("7f3b", runs) == runs / "cartpole-ppo-7f3b");
  BOOST_TEST(resolve("@last", runs) == runs / "pendulum-sac-aaaa-0001");
  BOOST_TEST(resolve("@best", runs) == runs / "cartpole-ppo-7f3b");
  // An exact name wins over a longer one that begins with it.
  BOOST_TEST(resolve("pendulum-sac-aaaa", runs) == runs / "pendulum-sac-aaaa");
}

BOOST_AUTO_TEST_CASE(a_beginning_of_several_runs_is_refused_with_all_of_them) {
  add("cartpole-dqn-7f3a", "2026-01-01");
  add("cartpole-dqn-7f3b", "2026-01-02");
  BOOST_CHECK_EXCEPTION(resolve("cart", runs), Error, [](const Error& error) {
    const std::string text = error.what();
    return error.code() == "E0602" && error.exit() == Exit::usage &&
           text.find("`cartpole-dqn-7f3a`") != std::string::npos &&
           text.find("`cartpole-dqn-7f3b`") != std::string::npos;
  });
}

BOOST_AUTO_TEST_CASE(what_is_not_there_is_refused_with_the_nearest_name) {
  BOOST_CHECK_EXCEPTION(resolve("@last", runs), Error, says("E0601", "there are no runs in"));
  add("cartpole-dqn-7f3a", "2026-01-01");
  BOOST_CHECK_EXCEPTION(resolve("cartpole-dqm-7f3a", runs), Error, says("E0601", "did you mean `cartpole-dqn-7f3a`?"));
  BOOST_CHECK_EXCEPTION(resolve("zzz", runs), Error, says("E0601", "`spar runs` lists the runs"));
  BOOST_CHECK_EXCEPTION(resolve("", runs), Error, says("E0601", "is named ``"));
  BOOST_CHECK_EXCEPTION(resolve("@best", runs), Error, says("E0601", "has been evaluated yet"));
  BOOST_CHECK_EXCEPTION(resolve("@first", runs), Error, says("E0601", "is named `@first`"));
}

BOOST_AUTO_TEST_SUITE_END()
