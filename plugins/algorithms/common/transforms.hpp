// The named transforms that the host applies to observations and rewards. Options derive from TransformOptions.
#pragma once

#include <string>

#include "spar/abi.h"
#include "spar/schema.hpp"

namespace common {

struct TransformOptions {
  std::string state_transform;
  std::string reward_transform;
};

template <class O>
void add_transform_options(spar::Schema<O>& s) {
  s.text("state_transform", &O::state_transform, {}, "of observations: scale(x), clip(x) or normalise")
      .text("reward_transform", &O::reward_transform, {}, "of rewards: scale(x), clip(x) or normalise");
}

/// `options` must outlive `out`.
inline void need_transforms(const TransformOptions& options, spar_needs& out) {
  out.state_transform = options.state_transform.c_str();
  out.reward_transform = options.reward_transform.c_str();
}

}  // namespace common
