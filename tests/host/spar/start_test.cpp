#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <thread>

#include "host/spar/support.hpp"
#include "support/sanitized.hpp"

namespace {

using spar::test::Workplace;

/// Milliseconds of the fastest of five starts.
double fastest(const Workplace& workplace, const std::vector<std::string>& words) {
  double best = 1e9;
  for (int i = 0; i < 5; ++i) {
    const auto result = workplace.spar(words);
    BOOST_TEST(result.exit_code == 0);
    best = std::min(best, result.seconds * 1e3);
  }
  return best;
}

/// How much longer things may take here: sanitizers make a start several times slower, and on a machine with more work
/// than processors each program waits its turn.
double patience() {
  constexpr double kSlower = spar::test::kSanitized ? 10 : 1;
  double load = 0;
  ::getloadavg(&load, 1);
  return kSlower * std::max(1.0, load / static_cast<double>(std::max(1U, std::thread::hardware_concurrency())));
}

BOOST_AUTO_TEST_SUITE(start)

BOOST_AUTO_TEST_CASE(version_is_there_within_50_ms) {
  const Workplace workplace;
  BOOST_TEST(workplace.spar({"--version"}).out.starts_with("spar 0."));
  BOOST_TEST(workplace.spar({"--version", "-q"}).out == workplace.spar({"--version"}).out);
  const double ms = fastest(workplace, {"--version"});
  BOOST_TEST_MESSAGE("spar --version: " << ms << " ms");
  BOOST_TEST(ms < 50 * patience());
}

BOOST_AUTO_TEST_CASE(plugin_list_is_there_within_50_ms) {
  const double ms = fastest(Workplace(), {"plugin", "list"});
  BOOST_TEST_MESSAGE("spar plugin list: " << ms << " ms");
  BOOST_TEST(ms < 50 * patience());
}

BOOST_AUTO_TEST_CASE(the_first_step_is_made_within_150_ms) {
  // In memory: how long a disk takes to sync the run's first files says nothing about the program.
  const std::filesystem::path memory = "/dev/shm";
  const spar::test::TemporaryDirectory directory(
      std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path());
  const Workplace workplace;
  auto command = workplace.command({"train", "cartpole-dqn", "stop={any=[{env_steps=500}]}", "--json"});
  command.directory = directory.path();
  double best = 1e9, processor = 1e9;
  for (int i = 0; i < 5; ++i) {
    const auto result = run(command);
    BOOST_TEST(result.exit_code == 0, result.err);
    for (const auto& line : spar::test::json_lines(result.out))
      if (line.at("event").as_string() == "first_step") {
        best = std::min(best, line.at("ms").to_number<double>());
        processor = std::min(processor, line.at("processor_ms").to_number<double>());
      }
  }
  BOOST_TEST_MESSAGE("first step: " << best << " ms, " << processor << " ms of a processor");
  BOOST_TEST(best > 0);
  BOOST_TEST(processor > 0);
  BOOST_TEST(processor < 100 * patience());
  BOOST_TEST(best < 150 * patience());
}

BOOST_AUTO_TEST_CASE(the_program_links_no_torch) {
  const auto result = spar::test::run({{"ldd", SPAR_BUILD_DIR "/bin/spar"}, {}, {}});
  BOOST_TEST(result.exit_code == 0);
  BOOST_TEST(result.out.find("libc.so") != std::string::npos);
  for (const char* library : {"libtorch", "libc10", "libdnnl", "libgomp"})  // a bare c10 is in many an address
    BOOST_TEST(result.out.find(library) == std::string::npos, result.out);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
