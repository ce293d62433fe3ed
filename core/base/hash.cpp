#include "core/base/hash.hpp"

#include <algorithm>
#include <cstring>

#include "core/base/sha256.hpp"
#include "core/base/text.hpp"

namespace spar {
namespace {

constexpr uint32_t kCastagnoli = 0x82f63b78;  // reflected 0x1EDC6F41

constexpr std::array<uint32_t, 256> crc_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value & 1) ? (value >> 1) ^ kCastagnoli : value >> 1;
    table[i] = value;
  }
  return table;
}

uint32_t crc_portable(const uint8_t* data, size_t size, uint32_t crc) {
  static constexpr auto kTable = crc_table();
  for (size_t i = 0; i < size; ++i) crc = kTable[(crc ^ data[i]) & 0xff] ^ (crc >> 8);
  return crc;
}

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t crc_sse42(const uint8_t* data, size_t size, uint32_t crc) {
  uint64_t wide = crc;
  for (; size >= 8; data += 8, size -= 8) {
    uint64_t word;
    std::memcpy(&word, data, 8);
    wide = __builtin_ia32_crc32di(wide, word);
  }
  crc = static_cast<uint32_t>(wide);
  for (; size > 0; ++data, --size) crc = __builtin_ia32_crc32qi(crc, *data);
  return crc;
}
#endif

void sha256_blocks(detail::Sha256State& state, const uint8_t* data, size_t blocks) {
  static const detail::Sha256Blocks kFast = detail::sha256_accelerated();
  (kFast ? kFast : detail::sha256_portable)(state, data, blocks);
}

}  // namespace

uint32_t crc32c(std::span<const std::byte> data, uint32_t seed) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(data.data());
#if defined(__x86_64__)
  if (__builtin_cpu_supports("sse4.2")) return ~crc_sse42(bytes, data.size(), ~seed);
#endif
  return ~crc_portable(bytes, data.size(), ~seed);
}

void Sha256::update(std::span<const std::byte> data) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(data.data());
  size_t size = data.size(), used = length_ % 64;
  length_ += size;
  if (used > 0) {
    const size_t take = std::min(size, 64 - used);
    std::memcpy(buffer_.data() + used, bytes, take);
    bytes += take, size -= take, used += take;
    if (used < 64) return;
    sha256_blocks(state_, buffer_.data(), 1);
  }
  sha256_blocks(state_, bytes, size / 64);
  if (size % 64 > 0) std::memcpy(buffer_.data(), bytes + size / 64 * 64, size % 64);
}

std::array<uint8_t, 32> Sha256::digest() {
  const uint64_t bits = length_ * 8;
  const size_t padding = (length_ % 64 < 56 ? 56 : 120) - length_ % 64;
  std::array<std::byte, 72> tail{};
  tail[0] = std::byte{0x80};
  for (size_t i = 0; i < 8; ++i) tail[padding + i] = static_cast<std::byte>(bits >> (56 - 8 * i));
  update(std::span(tail).first(padding + 8));
  std::array<uint8_t, 32> out;
  for (size_t i = 0; i < 32; ++i) out[i] = static_cast<uint8_t>(state_[i / 4] >> (24 - 8 * (i % 4)));
  return out;
}

std::string Sha256::hex() {
  const auto bytes = digest();
  return hexadecimal(std::as_bytes(std::span(bytes)));
}

}  // namespace spar
