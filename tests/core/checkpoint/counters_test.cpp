#include "core/checkpoint/counters.hpp"

#include <boost/test/unit_test.hpp>
#include <cstring>

#include "core/base/error.hpp"
#include "core/rng/philox.hpp"

using namespace spar;
using namespace spar::checkpoint;

namespace {

Counters filled() {
  Counters counters;
  counters.env_steps = 18'000, counters.updates = 17'000, counters.episodes = 90;
  counters.metrics_seq = 18, counters.eval_seq = 3, counters.seconds = 1.25;
  counters.best_return = -151.5, counters.best_step = 17'500;
  counters.recent_returns = {1, 2.5, -3};
  counters.due = {{"eval", 19'000}, {"publish", 18'001}};
  return counters;
}

auto says(const char* part) {
  return [part](const Error& error) {
    return error.code() == "E0501" && std::string(error.what()).find("section `counters`") != std::string::npos &&
           std::string(error.what()).find(part) != std::string::npos;
  };
}

}  // namespace

BOOST_AUTO_TEST_SUITE(counters)

BOOST_AUTO_TEST_CASE(unpack_gives_back_what_was_packed) {
  BOOST_TEST((unpack_counters(pack(filled()), "counters") == filled()));
  BOOST_TEST((unpack_counters(pack({}), "counters") == Counters{}));
}

BOOST_AUTO_TEST_CASE(every_truncation_and_every_extra_byte_is_refused) {
  auto bytes = pack(filled());
  for (size_t size = 0; size < bytes.size(); ++size)
    BOOST_CHECK_THROW(unpack_counters(std::span(bytes).first(size), "counters"), Error);
  bytes.push_back(std::byte{0});
  BOOST_CHECK_EXCEPTION(unpack_counters(bytes, "counters"), Error, says("1 bytes too many"));
}

BOOST_AUTO_TEST_CASE(a_length_beyond_the_bytes_that_remain_is_refused_before_memory_is_reserved) {
  auto bytes = pack(filled());
  const size_t length_of_returns = 4 + 7 * 8;
  const uint64_t claim = uint64_t{1} << 60;
  std::memcpy(bytes.data() + length_of_returns, &claim, sizeof claim);
  BOOST_CHECK_EXCEPTION(unpack_counters(bytes, "counters"), Error, says("more than the bytes that remain"));
}

BOOST_AUTO_TEST_CASE(random_bytes_are_refused_or_read_without_harm) {
  Philox random(3, "counters");
  const auto original = pack(filled());
  size_t refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    auto bytes = original;
    bytes[random.below(bytes.size())] = static_cast<std::byte>(random.bits());
    try {
      unpack_counters(bytes, "counters");
    } catch (const Error& error) {
      BOOST_TEST_REQUIRE(error.code() == "E0501");
      ++refused;
    }
  }
  BOOST_TEST(refused > 1'000u);
}

BOOST_AUTO_TEST_CASE(another_format_a_wrong_flag_and_too_many_bytes_are_refused) {
  auto bytes = pack(filled());
  bytes[0] = std::byte{9};
  BOOST_CHECK_EXCEPTION(unpack_counters(bytes, "counters"), Error, says("has format 9, this program reads format 1"));
  bytes = pack(filled());
  bytes[bytes.size() - 9] = std::byte{2};
  BOOST_CHECK_EXCEPTION(unpack_counters(bytes, "counters"), Error, says("neither 0 nor 1"));
  bytes.assign(kMaxCountersBytes + 1, std::byte{0});
  BOOST_CHECK_EXCEPTION(unpack_counters(bytes, "counters"), Error, says("at most 1048576"));
  Counters large;
  large.recent_returns.resize(kMaxCountersBytes / 8);
  BOOST_CHECK_EXCEPTION(pack(large), Error, [](const Error& error) { return error.code() == "E0506"; });
}

BOOST_AUTO_TEST_SUITE_END()
