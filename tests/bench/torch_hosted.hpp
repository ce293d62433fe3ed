// The updates of dqn_eager and sac_eager as a third party writes them that keeps LibTorch for its losses and lets the
// host compute the networks (spar/torch_network.hpp).
#pragma once

#include <memory>

#include "core/train/plugins.hpp"
#include "dqn_eager.hpp"
#include "sac_eager.hpp"

namespace spar::bench {

/// Starts from `values`; one LibTorch thread, malloc thresholds raised, as make_eager_dqn() does.
std::unique_ptr<EagerDqn> make_hosted_dqn(Plugins& plugins, int64_t width, const DqnBatch& batch,
                                          const std::vector<float>& values);
std::unique_ptr<EagerSac> make_hosted_sac(Plugins& plugins, int64_t width, int64_t rows);

}  // namespace spar::bench
