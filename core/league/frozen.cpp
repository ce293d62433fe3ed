#include "core/league/frozen.hpp"

#include <algorithm>
#include <limits>

#include "core/base/error.hpp"

namespace spar::league {
namespace {

constexpr const char* kStatistics = "observation_statistics";

rollout::LearnerSetup acting(const Arena& arena, const std::string& name, uint64_t root_seed, uint64_t rows) {
  rollout::LearnerSetup out = arena.setup(name, root_seed);
  out.lanes = rows;
  return out;
}

}  // namespace

std::vector<params::Tensor> playing_parameters(const Arena& arena, const rollout::Learner& learner) {
  std::vector<params::Tensor> out;
  for (const std::string& name : arena.acting_networks()) {
    const nn::Network* network = learner.networks().find(name);
    if (!network)
      throw Error("E0708", Exit::crash,
                  learner.label() + " acts with a network `" + name + "` that it does not learn (SPAR_ROLE_ACT)");
    const uint64_t bytes = network->bytes(SPAR_NET_VALUES);
    params::Tensor tensor{name, SPAR_DTYPE_FLOAT, 32, {static_cast<int64_t>(bytes / sizeof(float))}, {}};
    tensor.data.resize(bytes);
    network->read(SPAR_NET_VALUES, tensor.data.data(), bytes);
    out.push_back(std::move(tensor));
  }
  ByteWriter statistics;
  learner.transforms().observation.save(statistics);
  std::vector<std::byte> bytes = statistics.take();
  const auto size = static_cast<int64_t>(bytes.size());
  out.push_back({kStatistics, SPAR_DTYPE_UINT, 8, {size}, std::move(bytes)});
  return out;
}

FrozenPolicy::FrozenPolicy(const Arena& arena, const std::string& name, uint64_t root_seed, uint64_t rows)
    : port_(arena.port()),
      mode_(arena.experiment().league.play == "greedy" ? SPAR_MODE_GREEDY : SPAR_MODE_SAMPLE),
      actor_(acting(arena, name, root_seed, rows), 0, 1),
      transform_(arena.transform()) {}

void FrozenPolicy::take(const params::Snapshot& parameters) {
  actor_.take(parameters);
  const auto found = std::ranges::find(parameters.tensors, kStatistics, &params::Tensor::name);
  if (found == parameters.tensors.end())
    throw Error("E0501", Exit::failed, "the saved parameters of a past player have no statistics of observations");
  ByteReader reader(found->data, kStatistics);
  transform_.load(reader);
  reader.end();
}

void FrozenPolicy::take(const rollout::Learner& learner) {
  actor_.networks().copy_values_from(learner.networks());
  transform_ = learner.transforms().observation;
}

void FrozenPolicy::act(rollout::Batch& seen, rollout::Batch& actions, uint64_t rows, const uint64_t* lane) {
  act_in(mode_, seen, actions, rows, lane);
}

void FrozenPolicy::act_greedily(rollout::Batch& seen, rollout::Batch& actions, uint64_t rows, const uint64_t* lane) {
  act_in(SPAR_MODE_GREEDY, seen, actions, rows, lane);
}

void FrozenPolicy::act_in(uint32_t mode, rollout::Batch& seen, rollout::Batch& actions, uint64_t rows,
                          const uint64_t* lane) {
  for (size_t leaf = 0; transform_.active() && leaf < port_.leaves.size(); ++leaf)
    transform_.apply(leaf, seen.data<float>(leaf), rows);
  actor_.act({sizeof(spar_act), mode, std::numeric_limits<double>::quiet_NaN(), 0}, seen, actions, 0, rows, lane);
}

rollout::SeatedPlayer seated(FrozenPolicy& policy, const std::string& label, const rollout::AgentPort& port,
                             uint64_t lanes) {
  const auto act = [&policy](rollout::Batch& seen, rollout::Batch& actions, uint64_t rows, const uint64_t* lane) {
    policy.act(seen, actions, rows, lane);
  };
  return {label, act, port, lanes};
}

}  // namespace spar::league
