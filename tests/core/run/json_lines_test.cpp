#include "core/run/json_lines.hpp"

#include <signal.h>
#include <sys/resource.h>

#include <boost/json.hpp>
#include <boost/test/unit_test.hpp>

#include "fixtures.hpp"

using namespace spar;
using namespace spar::run;

namespace {

struct OneFile {
  TemporaryDirectory temporary;
  std::filesystem::path file = temporary.path() / "metrics.jsonl";

  static boost::json::object line(int step) { return {{"step", step}, {"loss", 0.25 * step}}; }
  void write(int first, int last) const {
    JsonLines lines(file);
    for (int step = first; step <= last; ++step) BOOST_TEST_REQUIRE(lines.write(line(step)));
  }
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(json_lines, OneFile)

BOOST_AUTO_TEST_CASE(lines_are_numbered_from_one) {
  JsonLines lines(file);
  BOOST_TEST(lines.seq() == 0u);
  BOOST_TEST(lines.write(line(1)));
  BOOST_TEST(lines.write({}));
  BOOST_TEST(lines.seq() == 2u);
  BOOST_TEST(lines.sync());
  BOOST_TEST(text_of(file) == "{\"seq\":1,\"step\":1,\"loss\":0.25}\n{\"seq\":2}\n");
}

BOOST_AUTO_TEST_CASE(numbers_go_on_when_the_file_is_opened_again) {
  write(1, 3);
  write(4, 5);
  BOOST_TEST(JsonLines(file).seq() == 5u);
  BOOST_TEST(text_of(file).find("{\"seq\":4,\"step\":4,\"loss\":1}\n{\"seq\":5,") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(every_cut_of_a_killed_writer_leaves_whole_lines) {
  write(1, 4);
  const std::string whole = text_of(file);
  for (size_t size = 0; size <= whole.size(); ++size) {
    put(file, whole.substr(0, size));
    const uint64_t seq = JsonLines(file).seq();
    const size_t end = size == 0 ? 0 : whole.rfind('\n', size - 1) + 1;
    BOOST_TEST_REQUIRE(text_of(file) == whole.substr(0, end));
    BOOST_TEST_REQUIRE(
        seq == static_cast<uint64_t>(std::count(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(end), '\n')));
  }
}

BOOST_AUTO_TEST_CASE(zeros_and_fragments_after_a_power_cut_are_dropped) {
  write(1, 3);
  const std::string whole = text_of(file);
  for (const std::string& garbage :
       {std::string(5'000, '\0'), std::string(40, '\0') + "\n", std::string("ss\":1}\n"),
        std::string("{\"seq\":4,\"st\n"), std::string("{\"seq\":4}x\n"), std::string("\n\n")}) {
    put(file, whole + garbage);
    BOOST_TEST(JsonLines(file).seq() == 3u);
    BOOST_TEST(text_of(file) == whole);
  }
}

BOOST_AUTO_TEST_CASE(cut_to_drops_later_lines_and_leaves_the_bytes_before) {
  write(1, 2'000);
  const std::string whole = text_of(file);
  for (const uint64_t seq : {1'999, 1'000, 1, 0}) {
    JsonLines lines(file);
    BOOST_TEST(lines.cut_to(seq));
    const size_t next = whole.find("{\"seq\":" + std::to_string(seq + 1) + ",");
    BOOST_TEST(text_of(file) == whole.substr(0, next));
    BOOST_TEST(lines.seq() == seq);
  }
}

BOOST_AUTO_TEST_CASE(a_resumed_file_equals_an_uninterrupted_one) {
  write(1, 20);
  const std::string uninterrupted = text_of(file);
  std::filesystem::remove(file);
  write(1, 13);
  JsonLines lines(file);
  BOOST_TEST(lines.cut_to(9));
  for (int step = 10; step <= 20; ++step) lines.write(line(step));
  BOOST_TEST(text_of(file) == uninterrupted);
}

BOOST_AUTO_TEST_CASE(cut_to_beyond_the_end_keeps_everything_and_counts_on_from_there) {
  write(1, 3);
  const std::string whole = text_of(file);
  JsonLines lines(file);
  BOOST_TEST(lines.cut_to(7));
  BOOST_TEST(text_of(file) == whole);
  lines.write({});
  BOOST_TEST(text_of(file) == whole + "{\"seq\":8}\n");
}

BOOST_AUTO_TEST_CASE(long_lines_are_found_over_block_borders) {
  {
    JsonLines lines(file);
    for (const size_t size : {10, 4'000, 4'096, 9'000, 100'000}) lines.write({{"text", std::string(size, 'x')}});
  }
  JsonLines lines(file);
  BOOST_TEST(lines.seq() == 5u);
  BOOST_TEST(lines.cut_to(3));
  BOOST_TEST(JsonLines(file).seq() == 3u);
}

BOOST_AUTO_TEST_CASE(a_file_of_something_else_is_left_alone) {
  put(file, "{\"step\":1}\n{\"step\":2}\n");
  BOOST_CHECK_EXCEPTION(JsonLines{file}, Error, says("E0607", "metrics.jsonl` holds no line that begins with"));
  BOOST_TEST(text_of(file) == "{\"step\":1}\n{\"step\":2}\n");
}

BOOST_AUTO_TEST_CASE(a_file_that_cannot_be_opened_is_an_error_at_the_start) {
  BOOST_CHECK_EXCEPTION(JsonLines(temporary.path() / "no" / "metrics.jsonl"), Error,
                        says("E0604", "for writing: No such file or directory"));
}

BOOST_AUTO_TEST_CASE(a_full_disk_is_told_once_and_counted) {
  JsonLines lines("/dev/full");
  BOOST_TEST(!lines.write(line(1)));
  BOOST_TEST(lines.trouble() == "cannot write to `/dev/full`: No space left on device");
  BOOST_TEST(lines.write(line(2)));
  BOOST_TEST(lines.write(line(3)));
  BOOST_TEST(lines.lost() == 3u);
  BOOST_TEST(lines.seq() == 3u);
}

BOOST_AUTO_TEST_CASE(half_a_line_is_taken_back_and_writing_goes_on_when_there_is_room) {
  const int status = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    JsonLines lines(file);
    if (!lines.write(line(1))) return 1;
    const std::string before = text_of(file);
    const rlimit tight{before.size() + 10, RLIM_INFINITY}, roomy{RLIM_INFINITY, RLIM_INFINITY};
    ::setrlimit(RLIMIT_FSIZE, &tight);
    if (lines.write(line(2)) || lines.lost() != 1) return 2;
    if (text_of(file) != before) return 3;
    ::setrlimit(RLIMIT_FSIZE, &roomy);
    if (!lines.write(line(3))) return 4;
    if (text_of(file) != before + "{\"seq\":3,\"step\":3,\"loss\":0.75}\n") return 5;
    ::setrlimit(RLIMIT_FSIZE, &tight);
    return lines.write(line(4)) ? 6 : 0;  // a new outage is told again
  });
  BOOST_TEST(status == 0);
}

BOOST_AUTO_TEST_SUITE_END()
