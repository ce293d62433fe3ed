// Which kernels run: the best tier that the processor offers, or the one that the environment variable SPAR_CPU names.
#pragma once

#include <string_view>

#include "core/nn/kernels.hpp"

namespace spar::nn {

enum class Tier { baseline, avx2, avx512 };

/// Does this processor (and this build) offer the tier?
bool tier_available(Tier tier);
/// "baseline", "avx2" or "avx512". Throws Error E0402 for another name, or for a tier the processor does not offer.
Tier tier_from_name(std::string_view name);

/// The kernels in use. SPAR_CPU is read once, at the first call; throws as tier_from_name does.
const Kernels& kernels();
/// Name of the tier in use: results are the same bits only within one tier, so checkpoints name it.
const char* active_tier();
/// For tests: later calls use this tier.
void set_tier(Tier tier);

}  // namespace spar::nn
