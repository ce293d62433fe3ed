#include "core/base/hash.hpp"

#include <boost/test/unit_test.hpp>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/base/sha256.hpp"

using namespace spar;

namespace {
std::span<const std::byte> bytes(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }
std::string sha256(std::string_view text) {
  Sha256 hash;
  hash.update(bytes(text));
  return hash.hex();
}
}  // namespace

BOOST_AUTO_TEST_SUITE(hash)

BOOST_AUTO_TEST_CASE(crc32c_gives_the_check_value_of_the_castagnoli_polynomial) {
  BOOST_TEST(crc32c(bytes("123456789")) == 0xe3069283u);
  BOOST_TEST(crc32c(bytes("")) == 0u);
}

BOOST_AUTO_TEST_CASE(crc32c_can_be_continued) {
  BOOST_TEST(crc32c(bytes("6789"), crc32c(bytes("12345"))) == crc32c(bytes("123456789")));
}

BOOST_AUTO_TEST_CASE(sha256_gives_the_vectors_of_fips_180_4) {
  BOOST_TEST(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  BOOST_TEST(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  BOOST_TEST(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
             "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

BOOST_AUTO_TEST_CASE(sha256_does_not_depend_on_how_the_data_is_cut) {
  const std::string text(1000, 'x');
  for (const size_t piece : {1, 7, 63, 64, 65, 129}) {
    Sha256 hash;
    for (size_t i = 0; i < text.size(); i += piece) hash.update(bytes(std::string_view(text).substr(i, piece)));
    BOOST_TEST(hash.hex() == sha256(text));
  }
}

BOOST_AUTO_TEST_CASE(sha256_is_the_same_by_the_processors_instructions) {
  const detail::Sha256Blocks accelerated = detail::sha256_accelerated();
  if (!accelerated) {
    BOOST_TEST_MESSAGE("this processor has no instructions for SHA-256: nothing to compare");
    return;
  }
  std::vector<uint8_t> data(64 * 33);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<uint8_t>(i * i * 31 + i / 7);
  detail::Sha256State one{1, 2, 3, 4, 5, 6, 7, 8}, other = one;
  for (const size_t blocks : {0, 1, 2, 33}) {
    detail::sha256_portable(one, data.data(), blocks);
    accelerated(other, data.data(), blocks);
    BOOST_TEST(one == other, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_SUITE_END()
