// Checksums: CRC-32C for frames on disk, SHA-256 for identities.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace spar {

/// CRC-32C (Castagnoli, as in iSCSI and TFRecord) of `data`, continuing from `seed`. Uses SSE4.2 where the processor
/// has it.
uint32_t crc32c(std::span<const std::byte> data, uint32_t seed = 0);

/// SHA-256 (FIPS 180-4), fed in pieces. Uses the SHA extensions where the processor has them.
class Sha256 {
 public:
  void update(std::span<const std::byte> data);
  std::array<uint8_t, 32> digest();  ///< ends the computation
  std::string hex();                 ///< digest() as 64 lower-case digits

 private:
  std::array<uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<uint8_t, 64> buffer_{};
  uint64_t length_ = 0;
};

}  // namespace spar
