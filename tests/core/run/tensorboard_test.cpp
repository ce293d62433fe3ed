#include "core/run/tensorboard.hpp"

#include <signal.h>
#include <sys/resource.h>

#include <array>
#include <boost/test/unit_test.hpp>

#include "fixtures.hpp"

using namespace spar;
using namespace spar::run;

namespace {

constexpr double kWallTime = 1'700'000'000.5;

std::string hex(std::span<const std::byte> bytes) {
  std::string out;
  for (const std::byte byte : bytes) {
    out += "0123456789abcdef"[std::to_integer<int>(byte) >> 4];
    out += "0123456789abcdef"[std::to_integer<int>(byte) & 15];
  }
  return out;
}

std::string hex(const std::string& text) { return hex(std::as_bytes(std::span(text))); }

// The expected bytes were put together by a separate program from the formats' descriptions, with a bitwise CRC-32C.
// Every event file of TensorFlow begins with the same twelve bytes as kVersion.
constexpr const char* kVersion =
    "1800000000000000a37f4b22"  // length 24 and its masked CRC
    "090000"
    "2040fc54d941"                    // wall_time
    "1a0d627261696e2e4576656e743a32"  // file_version "brain.Event:2"
    "2b353110";                       // masked CRC
constexpr const char* kScalars =
    "300000000000000095f5d05f"
    "0900002040fc54d941"
    "10d08c01"                                  // step 18000
    "2a21"                                      // summary of 33 bytes
    "0a120a0b6576616c2f72657475726e15004016c3"  // "eval/return" -150.25
    "0a0b0a046c6f737315cdcccc3d"                // "loss" 0.1f
    "85960f8a";
constexpr const char* kStart = "11000000000000009d6db52e0900002040fc54d94110d08c013a020801805bdd15";

constexpr std::array<Scalar, 2> kPair = {{{"eval/return", -150.25}, {"loss", 0.1}}};

}  // namespace

BOOST_AUTO_TEST_SUITE(tensorboard)

BOOST_AUTO_TEST_CASE(frames_have_the_golden_bytes) {
  BOOST_TEST(hex(frame({})) == "000000000000000029039807d8ea82a2");
  BOOST_TEST(hex(version_event(kWallTime)) == kVersion);
  BOOST_TEST(hex(scalar_event(kWallTime, 18'000, kPair)) == kScalars);
  BOOST_TEST(hex(start_event(kWallTime, 18'000)) == kStart);
}

BOOST_AUTO_TEST_CASE(file_is_the_version_and_then_the_events) {
  TemporaryDirectory temporary;
  EventFile file(temporary.path() / "tb", kWallTime);
  BOOST_TEST(file.resumed_at(kWallTime, 18'000));
  BOOST_TEST(file.write(kWallTime, 18'000, kPair));
  BOOST_TEST(hex(text_of(file.path())) == std::string(kVersion) + kStart + kScalars);
  BOOST_TEST(file.path().filename().string().starts_with("events.out.tfevents.1700000000."));
  BOOST_TEST(file.lost() == 0u);
}

BOOST_AUTO_TEST_CASE(each_start_has_a_file_of_its_own) {
  TemporaryDirectory temporary;
  const EventFile first(temporary.path(), kWallTime), second(temporary.path(), kWallTime);
  BOOST_TEST(first.path() != second.path());
  BOOST_TEST(hex(text_of(first.path())) == kVersion);
}

BOOST_AUTO_TEST_CASE(a_full_disk_is_told_once_and_leaves_whole_events) {
  TemporaryDirectory temporary;
  const int status = in_child([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    EventFile file(temporary.path(), kWallTime);
    const std::string before = text_of(file.path());
    const rlimit tight{before.size() + 10, RLIM_INFINITY}, roomy{RLIM_INFINITY, RLIM_INFINITY};
    ::setrlimit(RLIMIT_FSIZE, &tight);
    if (file.write(kWallTime, 1, kPair) || !file.write(kWallTime, 2, kPair) || file.lost() != 2) return 1;
    if (text_of(file.path()) != before) return 2;
    ::setrlimit(RLIMIT_FSIZE, &roomy);
    if (!file.write(kWallTime, 18'000, kPair)) return 3;
    return hex(text_of(file.path())) == std::string(kVersion) + kScalars ? 0 : 4;
  });
  BOOST_TEST(status == 0);
}

BOOST_AUTO_TEST_CASE(a_directory_that_cannot_be_made_is_an_error_at_the_start) {
  BOOST_CHECK_EXCEPTION(EventFile("/dev/null/tb", kWallTime), Error, says("E0604", "Not a directory"));
}

BOOST_AUTO_TEST_SUITE_END()
