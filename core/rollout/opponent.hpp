// Somebody who acts at an agent's seat and learns nothing there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/rollout/batch.hpp"

namespace spar::rollout {

class Opponent {
 public:
  virtual ~Opponent() = default;

  virtual const std::string& label() const = 0;  ///< for messages
  /// An episode begins in `copy`.
  virtual void begin(uint64_t copy) = 0;
  /// Writes row i of `actions`, in the algorithm's units, for copy copies[i]; ascending, where the agent is to move.
  virtual void act(const std::vector<uint64_t>& copies, Batch& actions) = 0;
};

}  // namespace spar::rollout
