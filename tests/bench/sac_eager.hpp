// One update of soft actor-critic in plain LibTorch, as a textbook writes it.
#pragma once

#include <cstdint>
#include <memory>

namespace spar::bench {

class EagerSac {
 public:
  virtual ~EagerSac() = default;
  virtual void update() = 0;
};

/// Two hidden layers of `width`, batches of `rows`, three numbers observed, one chosen. One thread.
std::unique_ptr<EagerSac> make_eager_sac(int64_t width, int64_t rows);

}  // namespace spar::bench
