#include <memory>
#include <numeric>

#include "core/replay/fixture.hpp"

using namespace spar;
using namespace spar::replay;
using namespace spar::test;

BOOST_AUTO_TEST_SUITE(sampled_batch)

BOOST_AUTO_TEST_CASE(columns_are_compact_named_and_aligned) {
  Buffer buffer(small_spec(SPAR_BUF_PRIORITIZED, 10), Philox(1, "replay"));
  append_counting(buffer, 0, 10);
  const Sample sample(buffer, 6, 0.5);
  BOOST_TEST(sample.batch().n_columns == 6u);
  for (const char* name : {"obs", "action", "next_obs", "reward", "discount", "terminated"}) {
    const spar_tensor& t = sample.tensor(name);
    BOOST_TEST(t.shape[0] == 6);
    BOOST_TEST((t.strides == nullptr));
    BOOST_TEST(t.device_type == SPAR_DEVICE_CPU);
    BOOST_TEST(t.lanes == 1u);
    BOOST_TEST(reinterpret_cast<uintptr_t>(t.data) % 64 == 0u);
  }
  BOOST_TEST(sample.tensor("obs").ndim == 2);
  BOOST_TEST(sample.tensor("obs").shape[1] == 2);
  BOOST_TEST(sample.tensor("action").ndim == 1);
  BOOST_TEST(sample.tensor("action").code == SPAR_DTYPE_INT);
  BOOST_TEST(sample.tensor("terminated").bits == 8);
}

BOOST_AUTO_TEST_CASE(columns_of_every_width_come_out_as_they_were_stored) {
  std::vector<int64_t> widths(70);
  std::iota(widths.begin(), widths.end(), 1);
  widths.insert(widths.end(), {255, 256, 257, 1000});
  constexpr uint64_t kRows = 40;
  const auto byte_of = [](uint64_t step, size_t i) { return static_cast<uint8_t>(31 * step + 7 * i + 1); };
  for (const int64_t width : widths) {
    BufferSpec spec = small_spec(SPAR_BUF_REPLAY, kRows);
    spec.observed = {{"obs", SPAR_DTYPE_UINT, 8, {width}}};
    Buffer buffer(spec, Philox(1, "replay"));
    std::vector<uint8_t> obs(static_cast<size_t>(width)), next(obs.size());
    for (uint64_t step = 0; step < kRows; ++step) {
      for (size_t i = 0; i < obs.size(); ++i) obs[i] = byte_of(step, i), next[i] = byte_of(step + 1, i);
      const auto action = static_cast<int64_t>(step);
      const float reward = 0;
      const uint8_t no = 0;
      const void *observed[] = {obs.data()}, *acted[] = {&action}, *after[] = {next.data()};
      buffer.append({1, nullptr, observed, acted, after, &reward, &no, &no});
    }
    const Sample sample(buffer, kRows + 3);
    const auto seen = sample.column<uint8_t>("obs"), seen_next = sample.column<uint8_t>("next_obs");
    size_t wrong = 0;
    for (size_t row = 0; row < sample.rows(); ++row)
      for (size_t i = 0; i < obs.size(); ++i) {
        wrong += seen[row * obs.size() + i] != byte_of(sample.index(row), i);
        wrong += seen_next[row * obs.size() + i] != byte_of(sample.index(row) + 1, i);
      }
    BOOST_TEST(wrong == 0u, width << " bytes");
  }
}

BOOST_AUTO_TEST_CASE(several_batches_may_be_out_and_stay_as_they_were) {
  Buffer buffer(small_spec(SPAR_BUF_REPLAY, 4), Philox(1, "replay"));
  append_counting(buffer, 0, 4);
  std::vector<std::unique_ptr<Sample>> samples;
  std::vector<std::vector<int64_t>> actions;
  for (uint64_t i = 0; i < 6; ++i) {
    samples.push_back(std::make_unique<Sample>(buffer, 3 + i));
    actions.push_back(samples.back()->column<int64_t>("action"));
  }
  append_counting(buffer, 100, 108);
  for (size_t i = 0; i < 6; ++i) BOOST_TEST((samples[i]->column<int64_t>("action") == actions[i]));
}

BOOST_AUTO_TEST_CASE(released_batch_is_empty_and_its_memory_used_again) {
  Buffer buffer(small_spec(SPAR_BUF_REPLAY, 4), Philox(1, "replay"));
  append_counting(buffer, 0, 4);
  spar_batch batch{};
  batch.struct_size = sizeof batch;
  buffer.sample(5, 0, &batch);
  const void* memory = batch.columns[0].t.data;
  spar_batch stale = batch;
  buffer.release(&batch);
  BOOST_TEST(batch.rows == 0u);
  BOOST_TEST((batch.columns == nullptr && batch.token == nullptr));
  BOOST_TEST(batch.struct_size == sizeof batch);
  buffer.release(&batch);  // empty already: ignored
  BOOST_CHECK_EXCEPTION(buffer.release(&stale), Error, error_with("E0803", "has not lent"));
  buffer.sample(5, 0, &batch);
  BOOST_TEST(batch.columns[0].t.data == memory);
  buffer.release(&batch);
}

BOOST_AUTO_TEST_CASE(batches_that_are_never_released_are_noticed) {
  Buffer buffer(small_spec(SPAR_BUF_REPLAY, 4), Philox(1, "replay"));
  append_counting(buffer, 0, 4);
  spar_batch batch{};
  batch.struct_size = sizeof batch;
  for (size_t i = 0; i < BatchPool::kMostLent; ++i) buffer.sample(1, 0, &batch);
  BOOST_CHECK_EXCEPTION(buffer.sample(1, 0, &batch), Error, error_with("E0803", "not yet released"));
  buffer.release(&batch);
  buffer.sample(1, 0, &batch);
}

BOOST_AUTO_TEST_CASE(older_batch_struct_is_not_written_past_its_size) {
  Buffer buffer(small_spec(SPAR_BUF_PRIORITIZED, 4), Philox(1, "replay"));
  append_counting(buffer, 0, 4);
  struct {
    spar_batch batch;
    uint64_t guard;
  } caller = {};
  caller.batch.struct_size = offsetof(spar_batch, weight);
  caller.guard = 42;
  buffer.sample(2, 0.4, &caller.batch);
  BOOST_TEST(caller.batch.rows == 2u);
  BOOST_TEST((caller.batch.weight == nullptr && caller.batch.token == nullptr));
  caller.batch.struct_size = sizeof(spar_batch) + 8;  // a newer caller: what follows is not ours
  buffer.sample(2, 0.4, &caller.batch);
  BOOST_TEST(caller.guard == 42u);
  buffer.release(&caller.batch);
}

BOOST_AUTO_TEST_CASE(impossible_samples_are_refused_and_draw_nothing) {
  Buffer buffer(small_spec(SPAR_BUF_PRIORITIZED, 4), Philox(1, "replay"));
  BOOST_CHECK_EXCEPTION(Sample(buffer, 1), Error, error_with("E0806", "empty"));
  append_counting(buffer, 0, 4);
  const auto before = saved(buffer);
  BOOST_CHECK_EXCEPTION(Sample(buffer, 0), Error, error_with("E0803", "0 rows"));
  BOOST_CHECK_EXCEPTION(Sample(buffer, 1, -0.5), Error, error_with("E0803", "beta is -0.5"));
  BOOST_CHECK_EXCEPTION(Sample(buffer, 1, std::numeric_limits<double>::quiet_NaN()), Error,
                        error_with("E0803", "beta is nan"));
  BOOST_CHECK_THROW(Sample(buffer, UINT64_MAX / 4), std::bad_alloc);
  BOOST_TEST((saved(buffer) == before));
  BOOST_TEST(Sample(buffer, 2, 1).rows() == 2u);
}

BOOST_AUTO_TEST_SUITE_END()
