#include "spar/stream.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cstring>

using namespace spar;

namespace {

/// A stream that moves at most `chunk` bytes a call.
struct Pipe {
  explicit Pipe(uint64_t most) : chunk(most), stream{sizeof(spar_stream), 0, this, read, write} {}

  static int64_t read(void* self, void* to, uint64_t n) {
    auto& pipe = *static_cast<Pipe*>(self);
    if (pipe.failure < 0) return pipe.failure;
    const uint64_t take = std::min<uint64_t>({n, pipe.chunk, pipe.bytes.size() - pipe.at});
    std::memcpy(to, pipe.bytes.data() + pipe.at, take);
    pipe.at += take;
    return static_cast<int64_t>(take);
  }
  static int64_t write(void* self, const void* from, uint64_t n) {
    auto& pipe = *static_cast<Pipe*>(self);
    if (pipe.failure < 0) return pipe.failure;
    const uint64_t take = std::min({n, pipe.chunk, pipe.room - pipe.bytes.size()});
    pipe.bytes.append(static_cast<const char*>(from), take);
    return static_cast<int64_t>(take);
  }

  uint64_t chunk;
  uint64_t room = 1000, at = 0;
  int64_t failure = 0;
  std::string bytes;
  spar_stream stream;
};

auto fails(spar_status status, const std::string& text) {
  return [status, text](const StatusError& error) { return error.code == status && error.what() == text; };
}

}  // namespace

BOOST_AUTO_TEST_SUITE(streams)

BOOST_AUTO_TEST_CASE(what_is_written_in_any_chunks_is_read_in_any_chunks) {
  const std::vector<double> saved = {1.5, -2.5, 1e300};
  for (const uint64_t chunk : {uint64_t{1}, uint64_t{3}, uint64_t{17}, uint64_t{1000}}) {
    Pipe pipe(chunk);
    StreamWriter writer(pipe.stream);
    writer.put<int32_t>(-7);
    writer.array(saved);
    writer.array(std::vector<uint8_t>{});
    BOOST_TEST(pipe.bytes.size() == 4u + 8u + 24u + 8u);

    StreamReader reader(pipe.stream);
    std::vector<double> loaded(3);
    std::vector<uint8_t> nothing;
    BOOST_TEST(reader.get<int32_t>() == -7);
    reader.array(loaded);
    reader.array(nothing);
    BOOST_TEST(loaded == saved, boost::test_tools::per_element());
    BOOST_TEST(pipe.at == pipe.bytes.size());
  }
}

BOOST_AUTO_TEST_CASE(early_end_says_how_many_bytes_are_missing) {
  Pipe pipe(2);
  StreamWriter(pipe.stream).put<uint32_t>(1);
  StreamReader reader(pipe.stream);
  BOOST_CHECK_EXCEPTION(reader.get<uint64_t>(), StatusError,
                        fails(SPAR_E_IO, "the saved state ends 4 bytes too early"));
}

BOOST_AUTO_TEST_CASE(status_of_the_stream_passes_through) {
  Pipe pipe(8);
  pipe.failure = SPAR_E_CANCELLED;
  BOOST_CHECK_EXCEPTION(StreamReader(pipe.stream).get<uint8_t>(), StatusError,
                        fails(SPAR_E_CANCELLED, "the host's stream refused a read"));
  BOOST_CHECK_EXCEPTION(StreamWriter(pipe.stream).put<uint8_t>(1), StatusError,
                        fails(SPAR_E_CANCELLED, "the host's stream refused a write"));
}

BOOST_AUTO_TEST_CASE(stream_that_takes_nothing_more_is_an_error) {
  Pipe pipe(8);
  pipe.room = 6;
  BOOST_CHECK_EXCEPTION(StreamWriter(pipe.stream).put<uint64_t>(1), StatusError,
                        fails(SPAR_E_IO, "the host's stream refused a write"));
}

BOOST_AUTO_TEST_CASE(saved_length_is_never_trusted_with_an_allocation) {
  Pipe pipe(1000);
  StreamWriter(pipe.stream).put<uint64_t>(uint64_t{1} << 60);
  std::vector<float> values(2, 3.0F);
  BOOST_CHECK_EXCEPTION(StreamReader(pipe.stream).array(values), StatusError,
                        fails(SPAR_E_INVALID, "the saved state holds 1152921504606846976 values where 2 are expected"));
  BOOST_TEST(values == std::vector<float>(2, 3.0F), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
