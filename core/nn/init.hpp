// Initial values of a network.
#pragma once

#include <span>

#include "core/nn/spec.hpp"
#include "core/rng/philox.hpp"

namespace spar::nn {

/// Fills one member's parameters in canonical order, drawing in that order.
///   default      weights and biases U(-1/sqrt(in), 1/sqrt(in))
///   uniform      weights and biases U(-gain, gain)
///   orthogonal   weights gain * Q of a normal matrix (Saxe et al. 2014), biases 0
/// Output layers take last_gain instead of gain. Free vectors take spec.value. Sigmas of noisy layers start at
/// sigma0 / sqrt(in) (Fortunato et al. 2018, section 3.2) and draw nothing.
void initial_values(const Spec& spec, std::span<const LayerShape> layers, Philox& random, std::span<float> canonical);

/// A matrix [rows][columns] whose rows (or columns, whichever are fewer) are orthonormal, uniformly distributed.
std::vector<double> orthogonal(size_t rows, size_t columns, Philox& random);

}  // namespace spar::nn
