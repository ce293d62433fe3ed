#include <string>

#include "core/replay/fixture.hpp"

using namespace spar;
using namespace spar::replay;
using namespace spar::test;

namespace {

/// A deterministic stream of steps of three lanes with ends.
void feed(Buffer& buffer, int from, int to) {
  for (int t = from; t < to; ++t) {
    const uint64_t lane = static_cast<uint64_t>(t * 7 % 3);
    append(buffer, {{.obs = static_cast<float>(t),
                     .next = static_cast<float>(t) + 0.5f,
                     .reward = static_cast<float>(t % 5) - 1.5f,
                     .terminated = t % 17 == 0,
                     .truncated = t % 13 == 0,
                     .lane = lane,
                     .action = t}});
  }
}

/// A learner's day: sample, report priorities, store; returns everything it saw.
std::vector<double> work(Buffer& buffer, int from, int rounds) {
  std::vector<double> seen;
  for (int round = 0; round < rounds; ++round) {
    feed(buffer, from + 4 * round, from + 4 * round + 4);
    const bool rollout = buffer.spec().kind == SPAR_BUF_ROLLOUT;
    const Sample sample(buffer, rollout ? 0 : 8, 0.6);
    for (const char* name : {"obs", "next_obs", "reward"})
      for (const float x : sample.column<float>(name)) seen.push_back(x);
    for (const uint8_t x : sample.column<uint8_t>("terminated")) seen.push_back(x);
    if (buffer.spec().kind == SPAR_BUF_PRIORITIZED) {
      std::vector<float> p;
      for (size_t row = 0; row < 8; ++row) {
        seen.push_back(sample.weight(row));
        p.push_back(static_cast<float>(sample.index(row) % 7));
      }
      buffer.set_priority(sample.batch().index, p.data(), 8);
    }
  }
  return seen;
}

void load(Buffer& buffer, const std::vector<std::byte>& bytes) {
  ByteReader in(bytes, "replay");
  buffer.load(in);
  in.end();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(memory_state)

BOOST_AUTO_TEST_CASE(size_of_what_is_saved_is_known_before) {
  for (const uint32_t kind : {SPAR_BUF_REPLAY, SPAR_BUF_PRIORITIZED, SPAR_BUF_ROLLOUT})
    for (const uint64_t capacity : {200u, 5000u}) {
      Buffer buffer(small_spec(kind, capacity, 3, 4), Philox(1, "replay"));
      feed(buffer, 0, 3000);
      ByteWriter out;
      buffer.save(out);
      const size_t written = out.take().size(), known = buffer.saved_bytes(buffer.size());
      BOOST_TEST(written <= known);
      BOOST_TEST(known <= written + 2048);
    }
}

BOOST_AUTO_TEST_CASE(loaded_memory_goes_on_bit_for_bit) {
  for (const uint32_t kind : {SPAR_BUF_REPLAY, SPAR_BUF_PRIORITIZED, SPAR_BUF_ROLLOUT})
    for (const uint64_t capacity : {5u, 40u, 1000u}) {
      const BufferSpec spec = small_spec(kind, capacity, 3, 4);
      Buffer original(spec, Philox(1, "replay"));
      feed(original, 0, 10);
      work(original, 10, 20);
      const auto bytes = saved(original);
      Buffer copy(spec, Philox(777, "another"));
      feed(copy, 0, 3);  // must leave no trace
      load(copy, bytes);
      BOOST_TEST(copy.size() == original.size());
      BOOST_TEST(copy.inserted() == original.inserted());
      BOOST_TEST((saved(copy) == bytes));
      BOOST_TEST((work(copy, 200, 20) == work(original, 200, 20)));
      BOOST_TEST((saved(copy) == saved(original)));
    }
}

BOOST_AUTO_TEST_CASE(same_history_gives_the_same_bytes) {
  const auto bytes = [] {
    Buffer buffer(small_spec(SPAR_BUF_PRIORITIZED, 30, 3, 3), Philox(1, "replay"));
    feed(buffer, 0, 10);
    work(buffer, 10, 10);
    return saved(buffer);
  };
  BOOST_TEST((bytes() == bytes()));
}

BOOST_AUTO_TEST_CASE(only_rows_in_use_are_written) {
  const auto size = [](uint64_t capacity) {
    Buffer buffer(small_spec(SPAR_BUF_PRIORITIZED, capacity, 3), Philox(1, "replay"));
    feed(buffer, 0, 10);
    return saved(buffer).size();
  };
  BOOST_TEST(size(100000) < size(100) + 16);
}

BOOST_AUTO_TEST_CASE(saving_with_nothing_stored_works) {
  for (const uint32_t kind : {SPAR_BUF_REPLAY, SPAR_BUF_PRIORITIZED, SPAR_BUF_ROLLOUT}) {
    const BufferSpec spec = small_spec(kind, 10, 3, 4);
    const Buffer original(spec, Philox(1, "replay"));
    Buffer copy(spec, Philox(2, "replay"));
    feed(copy, 0, 9);
    load(copy, saved(original));
    BOOST_TEST(copy.size() == 0u);
  }
}

BOOST_AUTO_TEST_CASE(another_specification_is_refused_by_name) {
  const BufferSpec spec = small_spec(SPAR_BUF_PRIORITIZED, 10, 3, 4);
  const Buffer original(spec, Philox(1, "replay"));
  const auto bytes = saved(original);
  const auto refused = [&](auto change, const char* words) {
    BufferSpec other = spec;
    change(other);
    Buffer buffer(other, Philox(1, "replay"));
    BOOST_CHECK_EXCEPTION(load(buffer, bytes), Error, error_with("E0805", words));
  };
  refused([](BufferSpec& s) { s.capacity = 11; }, "it has capacity 10, this one has capacity 11");
  refused([](BufferSpec& s) { s.kind = SPAR_BUF_REPLAY; }, "it has kind prioritised replay, this one has kind replay");
  refused([](BufferSpec& s) { s.n_step = 3; }, "n_step 4");
  refused([](BufferSpec& s) { s.gamma = 0.5; }, "gamma 0.9");
  refused([](BufferSpec& s) { s.lanes = 4; }, "lanes 3");
  refused([](BufferSpec& s) { s.alpha = 0.25; }, "alpha 1");
  refused([](BufferSpec& s) { s.eps = 0.25; }, "eps 0.01");
  refused([](BufferSpec& s) { s.observed[0].shape = {3}; }, "column obs float32 [2]");
  refused([](BufferSpec& s) { s.acted.push_back({"logp", SPAR_DTYPE_FLOAT, 32, {}}); }, "no column logp");
  refused([](BufferSpec& s) { s.acted.clear(); }, "column action int64 []");
}

BOOST_AUTO_TEST_CASE(every_truncation_is_refused_and_leaves_the_memory_as_it_was) {
  for (const uint32_t kind : {SPAR_BUF_PRIORITIZED, SPAR_BUF_ROLLOUT}) {
    const BufferSpec spec = small_spec(kind, 6, 3, 4);
    Buffer original(spec, Philox(1, "replay")), buffer(spec, Philox(2, "replay"));
    feed(original, 1, 12);
    feed(buffer, 0, 9);
    const auto before = saved(buffer);
    const auto bytes = saved(original);
    for (size_t length = 0; length < bytes.size(); ++length) {
      BOOST_CHECK_THROW(load(buffer, {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length)}), Error);
      BOOST_REQUIRE((saved(buffer) == before));
    }
  }
}

BOOST_AUTO_TEST_CASE(damaged_contents_are_refused) {
  const BufferSpec spec = small_spec(SPAR_BUF_PRIORITIZED, 2);
  Buffer buffer(spec, Philox(1, "replay"));
  append_counting(buffer, 0, 2);
  auto bytes = saved(buffer);
  // The end is: two masses, then next step and number of open rewards of the only window.
  const double bad = -1;
  std::memcpy(bytes.data() + bytes.size() - 32, &bad, sizeof bad);
  BOOST_CHECK_EXCEPTION(load(buffer, bytes), Error, error_with("E0805", "mass -1"));

  Buffer windows(small_spec(SPAR_BUF_REPLAY, 10, 1, 3), Philox(1, "replay"));
  append_counting(windows, 0, 1);
  bytes = saved(windows);
  // The end is: next step (8), number of rewards (8), one reward (8), the waiting row (2 floats and an action).
  const uint64_t next = 0;
  std::memcpy(bytes.data() + bytes.size() - 40, &next, sizeof next);
  BOOST_CHECK_EXCEPTION(load(windows, bytes), Error, error_with("E0805", "window of lane 0"));

  Buffer rollout(small_spec(SPAR_BUF_ROLLOUT, 10, 2), Philox(1, "rollout"));
  append(rollout, {{.lane = 1}});
  bytes = saved(rollout);
  // The end is: the lane (8), then the only row (8 + 8 + 8 + 4 + 3).
  const uint64_t lane = 2;
  std::memcpy(bytes.data() + bytes.size() - 39, &lane, sizeof lane);
  BOOST_CHECK_EXCEPTION(load(rollout, bytes), Error, error_with("E0805", "lane 2"));
}

BOOST_AUTO_TEST_SUITE_END()
