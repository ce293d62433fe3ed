#include "host/spar/panel.hpp"

#include <boost/test/unit_test.hpp>

#include "host/spar/words.hpp"

namespace {

using namespace spar::host;

View half_way() {
  View view;
  view.run = "cartpole-dqn-7f3a";
  view.progress.env_steps = 25'000;
  view.progress.budget = 50'000;
  view.progress.seconds = 2;
  view.progress.steps_per_second = 12'345.6;
  view.progress.recent_return = 123.456;
  view.evaluations = {10, 500, 255};
  view.best = {500, 20'000};
  view.metrics = {{"loss/q", 0.012345}, {"epsilon", 0.04}};
  return view;
}

BOOST_AUTO_TEST_SUITE(panel)

BOOST_AUTO_TEST_CASE(the_lines_show_progress_returns_and_losses) {
  const auto lines = panel_lines(half_way(), 100, {false, false, true, true});
  BOOST_TEST_REQUIRE(lines.size() == 4u);
  BOOST_TEST(lines[0] == "cartpole-dqn-7f3a  seed 1");
  BOOST_TEST(lines[1] == "███████████████░░░░░░░░░░░░░░░  50 %  25,000 / 50,000 steps  12,345 steps/s  ETA 2.0 s");
  BOOST_TEST(lines[2] == "train return 123.5  eval 255  best 500 at 20,000  ▁█▄");
  BOOST_TEST(lines[3] == "loss/q 0.01235  epsilon 0.04");
}

BOOST_AUTO_TEST_CASE(no_line_is_wider_than_the_terminal) {
  for (const int width : {20, 39, 60, 79})
    for (const bool color : {false, true})
      for (const auto& line : panel_lines(half_way(), width, {color, color, true, true}))
        BOOST_TEST(columns_of(line) <= static_cast<size_t>(width), line);
}

BOOST_AUTO_TEST_CASE(the_width_is_that_of_columns) {
  ::setenv("COLUMNS", "57", 1);
  BOOST_TEST(terminal_width() == 57);
  ::setenv("COLUMNS", "3", 1);
  BOOST_TEST(terminal_width() == 20);
  ::unsetenv("COLUMNS");
}

BOOST_AUTO_TEST_CASE(without_a_budget_there_is_no_bar) {
  View view = half_way();
  view.progress.budget.reset();
  BOOST_TEST(panel_lines(view, 80, {false, false, true, true})[1] == "25,000 steps  12,345 steps/s  2.0 s so far");
}

BOOST_AUTO_TEST_CASE(a_run_that_solves_a_game_counts_iterations) {
  View view;
  view.progress.iterations = 200;
  view.progress.budget = 400;
  view.progress.seconds = 2;
  view.progress.steps_per_second = 100;
  BOOST_TEST(panel_lines(view, 80, {false, false, true, true})[1].ends_with(
      "  50 %  200 / 400 iterations  100 iterations/s  ETA 2.0 s"));
}

BOOST_AUTO_TEST_CASE(a_terminal_without_unicode_gets_plain_signs) {
  const auto lines = panel_lines(half_way(), 100, {false, false, true, false});
  BOOST_TEST(lines[1].starts_with("###############---------------  50 %"), lines[1]);
  BOOST_TEST(lines[2].ends_with("_#~"), lines[2]);
}

BOOST_AUTO_TEST_CASE(a_sparkline_shows_the_latest_values) {
  BOOST_TEST(sparkline({100, 0, 7}, 2, true) == "▁█");
  BOOST_TEST(sparkline({5, 5}, 8, true) == "▄▄");
  BOOST_TEST(sparkline({}, 8, true) == "");
}

BOOST_AUTO_TEST_SUITE_END()
BOOST_AUTO_TEST_SUITE(words)

BOOST_AUTO_TEST_CASE(numbers_are_written_for_people) {
  BOOST_TEST(grouped(0) == "0");
  BOOST_TEST(grouped(999) == "999");
  BOOST_TEST(grouped(1'234'567) == "1,234,567");
  BOOST_TEST(brief(475) == "475");
  BOOST_TEST(brief(1.0 / 0.0) == "-");
  BOOST_TEST(bytes_text(999) == "999 B");
  BOOST_TEST(bytes_text(1'500) == "1.5 kB");
  BOOST_TEST(bytes_text(13'700'000) == "14 MB");
  BOOST_TEST(bytes_text(999'999'999) == "1.0 GB");
  BOOST_TEST(duration_text(2.14) == "2.1 s");
  BOOST_TEST(duration_text(200) == "3 min 20 s");
  BOOST_TEST(duration_text(7'500) == "2 h 05 min");
}

BOOST_AUTO_TEST_CASE(text_is_cut_between_letters) {
  BOOST_TEST(cut_to("äöü", 2) == "äö");
  BOOST_TEST(cut_to("\x1b[1mab\x1b[0m", 1) == "\x1b[1ma\x1b[0m");
  BOOST_TEST(columns_of("\x1b[1mäb\x1b[0m") == 2u);
  BOOST_TEST(padded("ä", 3) == "ä  ");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
