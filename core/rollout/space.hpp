// The host's own copy of a space, and the columns that it makes.
#pragma once

#include <string>
#include <vector>

#include "spar/abi.h"

namespace spar::rollout {

struct Space {
  struct Child;

  uint32_t kind = 0;  ///< SPAR_SPACE_*
  uint8_t code = 0, bits = 0;
  std::vector<int64_t> shape;
  std::vector<double> low, high;  ///< BOX: one entry per number; empty = unbounded
  int64_t n = 0;
  std::vector<int64_t> nvec;
  std::vector<Child> children;  ///< of a DICT, in its order

  /// Numbers in one element; 1 for DISCRETE.
  int64_t width() const;
  /// BOX: has number j a lower and an upper bound?
  bool bounded(size_t j) const;
  /// "Box(4)", "Discrete(2)", "Dict{a, b}" for messages.
  std::string name() const;
  /// The same elements within the same bounds?
  bool operator==(const Space& other) const;
};

struct Space::Child {
  std::string key;
  Space space;
  bool operator==(const Child& other) const { return key == other.key && space == other.space; }
};

/// One column of an observation: "obs", or "obs/KEY" for each leaf of a DICT, depth first.
struct Leaf {
  std::string column;
  uint8_t code, bits;
  std::vector<int64_t> shape;
};

/// Throws Error E0703 naming `owner` if the space is malformed or of a kind that this host does not know.
Space copy_space(const spar_space& space, const std::string& owner);
std::vector<Leaf> observation_leaves(const Space& space);

}  // namespace spar::rollout
