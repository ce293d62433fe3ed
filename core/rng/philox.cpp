#include "core/rng/philox.hpp"

#include <cmath>
#include <numbers>
#include <span>

#include "core/base/hash.hpp"

namespace spar {
namespace {

__extension__ typedef unsigned __int128 Wide;  // ISO C++ has no 128-bit integer; GCC and Clang do

uint64_t hash_key(uint64_t seed, std::string_view name) {
  Sha256 hash;
  std::array<uint8_t, 8> little;
  for (size_t i = 0; i < 8; ++i) little[i] = static_cast<uint8_t>(seed >> (8 * i));
  hash.update(std::as_bytes(std::span(little)));
  hash.update(std::as_bytes(std::span(name.data(), name.size())));
  const auto digest = hash.digest();
  uint64_t key = 0;
  for (size_t i = 0; i < 8; ++i) key |= uint64_t{digest[i]} << (8 * i);
  return key;
}

}  // namespace

std::array<uint32_t, 4> philox4x32_10(std::array<uint32_t, 4> c, std::array<uint32_t, 2> k) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{0xD2511F53} * c[0];
    const uint64_t p1 = uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k[0], static_cast<uint32_t>(p1),
         static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k[1], static_cast<uint32_t>(p0)};
    k[0] += 0x9E3779B9;
    k[1] += 0xBB67AE85;
  }
  return c;
}

Philox::Philox(uint64_t seed, std::string_view stream) { state_.key = hash_key(seed, stream); }

uint64_t Philox::bits() {
  if (state_.has_held) {
    state_.has_held = 0;
    return state_.held;
  }
  const auto out = philox4x32_10({static_cast<uint32_t>(state_.block), static_cast<uint32_t>(state_.block >> 32), 0, 0},
                                 {static_cast<uint32_t>(state_.key), static_cast<uint32_t>(state_.key >> 32)});
  ++state_.block;
  state_.held = out[2] | uint64_t{out[3]} << 32;
  state_.has_held = 1;
  return out[0] | uint64_t{out[1]} << 32;
}

double Philox::uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

double Philox::normal() {
  if (state_.has_spare) {
    state_.has_spare = 0;
    return state_.spare;
  }
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  const double angle = 2.0 * std::numbers::pi * uniform();
  state_.spare = radius * std::sin(angle);
  state_.has_spare = 1;
  return radius * std::cos(angle);
}

uint64_t Philox::below(uint64_t n) {
  Wide product = static_cast<Wide>(bits()) * n;
  if (static_cast<uint64_t>(product) < n) {
    const uint64_t threshold = -n % n;
    while (static_cast<uint64_t>(product) < threshold) product = static_cast<Wide>(bits()) * n;
  }
  return static_cast<uint64_t>(product >> 64);
}

uint64_t Philox::seed_for(std::string_view purpose) const { return hash_key(state_.key, purpose); }

}  // namespace spar
