// The compression function of SHA-256 in two ways; Sha256 (hash.hpp) takes the faster one that the processor has.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace spar::detail {

using Sha256State = std::array<uint32_t, 8>;

/// Takes `blocks` blocks of 64 bytes from `data` into `state` (FIPS 180-4, 6.2.2).
using Sha256Blocks = void (*)(Sha256State& state, const uint8_t* data, size_t blocks);

void sha256_portable(Sha256State& state, const uint8_t* data, size_t blocks);

/// The same by the processor's instructions, or nullptr where it has none.
Sha256Blocks sha256_accelerated();

}  // namespace spar::detail
