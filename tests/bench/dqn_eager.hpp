// The same update as a textbook writes it with LibTorch. Behind a plain interface, so that LibTorch's headers stay in
// one file.
#pragma once

#include <memory>
#include <vector>

#include "dqn_fused.hpp"

namespace spar::bench {

class EagerDqn {
 public:
  virtual ~EagerDqn() = default;
  virtual void update() = 0;
  virtual std::vector<float> values(bool target) = 0;  ///< canonical order
};

/// Starts from `values`; one LibTorch thread, malloc thresholds raised.
std::unique_ptr<EagerDqn> make_eager_dqn(int64_t width, const DqnBatch& batch, const std::vector<float>& values);

}  // namespace spar::bench
