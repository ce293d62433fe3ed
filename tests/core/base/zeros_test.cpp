#include "core/base/zeros.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "core/base/memory.hpp"

using namespace spar;

BOOST_AUTO_TEST_SUITE(zeros)

BOOST_AUTO_TEST_CASE(blocks_of_every_size_are_zero_and_begin_on_a_cache_line) {
  for (const size_t bytes : {1, 64, 4096, 16383, 16384, 33'792, 65'536, 65'537, 1'000'000}) {
    for (int again = 0; again < 2; ++again) {
      auto* block = static_cast<unsigned char*>(take_zeros(bytes));
      BOOST_TEST(reinterpret_cast<uintptr_t>(block) % 64 == 0u);
      BOOST_TEST(std::all_of(block, block + bytes, [](unsigned char x) { return x == 0; }), bytes);
      std::fill(block, block + bytes, 0xff);
      give_back_zeros(block, bytes);
    }
  }
}

BOOST_AUTO_TEST_CASE(mapped_blocks_count_as_allocated_until_they_are_given_back) {
  const uint64_t before = mapped_zeros(), allocated = allocated_memory();
  void* block = take_zeros(1 << 15);
  if (mapped_zeros() > before) BOOST_TEST(allocated_since(allocated) >= uint64_t{1} << 15);
  give_back_zeros(block, 1 << 15);
  BOOST_TEST(mapped_zeros() == before);
}

BOOST_AUTO_TEST_CASE(more_than_there_can_be_is_refused) { BOOST_CHECK_THROW(take_zeros(SIZE_MAX - 5), std::bad_alloc); }

BOOST_AUTO_TEST_SUITE_END()
