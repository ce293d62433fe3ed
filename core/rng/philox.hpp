// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", 2011).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace spar {

/// Ten rounds of Philox4x32 on one counter block.
std::array<uint32_t, 4> philox4x32_10(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

/// A stream of random numbers named by what draws from it. Two streams of one seed are independent, and what one draws
/// never changes what another gives. Key: the first 8 bytes of SHA-256(seed, little-endian, then the name); counter: 0,
/// 1, 2, .. The sequence is part of the plugin contract (spar.rng/1).
class Philox {
 public:
  Philox() = default;
  Philox(uint64_t seed, std::string_view stream);

  uint64_t bits();             ///< 64 uniform bits
  double uniform();            ///< [0, 1), multiples of 2^-53
  double normal();             ///< mean 0, variance 1 (Box-Muller, both halves used)
  uint64_t below(uint64_t n);  ///< 0 .. n-1 without bias (Lemire 2019); n >= 1

  /// What n calls give, faster.
  void bits(size_t n, uint64_t* to);
  void uniforms(size_t n, double* to);
  void normals(size_t n, double* to);

  /// A seed for a private generator: depends on this stream's key and the purpose, draws nothing.
  uint64_t seed_for(std::string_view purpose) const;

  /// Everything that decides the numbers still to come; trivially copyable, for checkpoints.
  struct State {
    uint64_t key = 0;
    uint64_t block = 0;  ///< next counter
    uint64_t held = 0;   ///< second half of the current block
    double spare = 0;    ///< second number of the current Box-Muller pair
    uint32_t has_held = 0;
    uint32_t has_spare = 0;
  };
  const State& state() const { return state_; }
  void restore(const State& state) { state_ = state; }

 private:
  State state_;
};

}  // namespace spar
