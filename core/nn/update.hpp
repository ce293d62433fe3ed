// What moves parameters: the optimiser's step and the blend of target networks.
#pragma once

#include "core/nn/network.hpp"

namespace spar::nn {

/// Where the updates and blends that an algorithm asks for go, if not to the very networks that it names. Same
/// arguments and errors as below; they were checked.
class UpdateRoute {
 public:
  virtual ~UpdateRoute() = default;
  virtual double update(const spar_update& step) = 0;
  virtual void blend(Network& dst, const Network& src, double tau) = 0;
};

/// One step over several networks: their common gradient norm, clipping by it (gradients *= max / (norm + 1e-6) where
/// norm > max), Adam, targets += tau * (network - target), gradients zeroed. Returns the norm before clipping.
/// All of them on one backend. Throws Error E0901 (arguments), E0902 (several backends) or E0903 (the norm is not
/// finite); each changes nothing.
double update(const spar_update& step);

/// dst += tau * (src - dst); exactly src for tau 1. Throws Error E0901 for shapes that differ or tau outside [0, 1].
void blend(Network& dst, const Network& src, double tau);

/// The same by way of the route of the networks' set (NetworkSet::route), if it has one.
double routed_update(const spar_update& step);
void routed_blend(Network& dst, const Network& src, double tau);

}  // namespace spar::nn
