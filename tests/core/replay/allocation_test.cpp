// A program of its own, because it counts every operator new.
#include "core/replay/fixture.hpp"
#include "support/counting_new.hpp"

using namespace spar;
using namespace spar::replay;
using namespace spar::test;

BOOST_AUTO_TEST_SUITE(allocation)

BOOST_AUTO_TEST_CASE(nothing_is_allocated_after_warm_up) {
  for (const uint32_t kind : {SPAR_BUF_REPLAY, SPAR_BUF_PRIORITIZED, SPAR_BUF_ROLLOUT}) {
    Buffer buffer(small_spec(kind, 64, 4, 3), Philox(1, "replay"));
    const float obs[8] = {}, reward[4] = {1, 2, 3, 4}, p[32] = {};
    const int64_t action[4] = {};
    const uint8_t off[4] = {}, on[4] = {1, 0, 0, 1};
    const void *observed[] = {obs}, *acted[] = {action};
    const auto round = [&](int i) {
      for (int step = 0; step < 8; ++step)
        buffer.append({4, nullptr, observed, acted, observed, reward, step == i % 8 ? on : off, off});
      spar_batch batches[4] = {};
      for (spar_batch& batch : batches) {
        batch.struct_size = sizeof batch;
        buffer.sample(kind == SPAR_BUF_ROLLOUT ? 0 : 32, 0.5, &batch);
        if (kind == SPAR_BUF_PRIORITIZED) buffer.set_priority(batch.index, p, 32);
      }
      for (spar_batch& batch : batches) buffer.release(&batch);
      buffer.after_learn();
    };
    for (int i = 0; i < 20; ++i) round(i);
    const uint64_t before = allocations;
    const size_t reserved = buffer.bytes();
    for (int i = 0; i < 100; ++i) round(i);
    BOOST_TEST(allocations == before);
    BOOST_TEST(buffer.bytes() == reserved);
  }
}

BOOST_AUTO_TEST_SUITE_END()
