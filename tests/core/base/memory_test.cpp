#include "core/base/memory.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

using namespace spar;

BOOST_AUTO_TEST_SUITE(memory)

BOOST_AUTO_TEST_CASE(what_is_written_to_is_in_use_and_what_was_is_remembered) {
  constexpr uint64_t kBytes = 64 << 20;
  const uint64_t before = memory_in_use();
  uint64_t during = 0;
  {
    std::vector<char> block(kBytes, 1);
    asm volatile("" : : "r"(block.data()) : "memory");
    during = memory_in_use();
  }
  BOOST_TEST(during >= before + kBytes * 9 / 10);
  BOOST_TEST(most_memory_in_use() >= before + kBytes * 9 / 10);
  BOOST_TEST(free_memory() > 0u);
}

BOOST_AUTO_TEST_SUITE_END()
