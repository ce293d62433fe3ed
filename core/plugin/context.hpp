// What a plugin's `spar_ctx*` points to: the host's side of one component instance. The services (spar.nn/1,
// spar.buffer/1,
// ..) find here what belongs to the instance. Pointers are set by whoever creates the instance and outlive it; a
// service whose pointer is null answers SPAR_E_UNSUPPORTED.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "core/rng/philox.hpp"
#include "spar/abi.h"

namespace spar {
namespace nn {
class NetworkSet;
}
namespace replay {
class Buffer;
struct Reader;
}  // namespace replay
namespace params {
class Store;
}
namespace rollout {
class CentralSeat;
struct Given;
struct Sharing;
struct Transforms;
}  // namespace rollout
class Crew;
class Profile;
namespace train {
class Metrics;
class Budget;
}  // namespace train
namespace plugin {
/// Takes a line of a plugin's log: scope (name of the instance), SPAR_LOG_* level, text without control characters.
/// Called from any thread.
using LogSink = std::function<void(std::string_view scope, uint32_t level, std::string_view text)>;
}  // namespace plugin
}  // namespace spar

struct spar_ctx {
  std::string name;                           ///< "algorithm/agent_0": scope of its log lines and of its random streams
  uint64_t root_seed = 0;                     ///< of the run
  spar::Philox random;                        ///< spar.rng/1 draws from here
  spar::nn::NetworkSet* networks = nullptr;   ///< spar.nn/1
  spar::replay::Buffer* buffer = nullptr;     ///< spar.buffer/1
  spar::replay::Reader* reader = nullptr;     ///< who draws there; null: the memory's own
  spar::rollout::Sharing* sharing = nullptr;  ///< where several instances learn from the buffer
  const spar::rollout::Transforms* transforms = nullptr;  ///< of observations and rewards, applied to samples
  spar::rollout::Given* given = nullptr;                  ///< what sample() lends instead of rows of the memory
  spar::rollout::CentralSeat* central = nullptr;          ///< what a central critic sees beside a sample
  spar::params::Store* params = nullptr;                  ///< spar.params/1
  spar::train::Metrics* metrics = nullptr;                ///< spar.metrics/1
  const spar::train::Budget* budget = nullptr;            ///< spar.exec/1: progress and cancellation
  spar::Crew* crew = nullptr;                             ///< spar.exec/1: threads of this instance; null: one
  spar::Profile* profile = nullptr;                       ///< null: nothing is timed
  const spar::plugin::LogSink* log = nullptr;             ///< spar.log/1; null: spdlog's default logger
};
