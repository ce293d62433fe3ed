#include "core/rollout/players.hpp"

#include <utility>

#include "core/rollout/actions.hpp"

namespace spar::rollout {

SeatedPlayer::SeatedPlayer(std::string label, ActRows act, const AgentPort& port, uint64_t lanes)
    : label_(std::move(label)), act_(std::move(act)), port_(port), seen_(lanes), first_(lanes, 1) {
  add_seen_columns(seen_, port_);
}

void SeatedPlayer::act(const std::vector<uint64_t>& lanes, Batch& actions) {
  for (size_t k = 0; k < port_.observed.size(); ++k) {
    const size_t from = port_.observed[k], to = seen_column(port_, k);
    take_rows(port_.out->bytes(from), port_.out->row_bytes(from), lanes, seen_.bytes(to));
  }
  auto* starts = seen_.data<uint8_t>(port_.leaves.size());
  for (size_t i = 0; i < lanes.size(); ++i) starts[i] = std::exchange(first_[lanes[i]], uint8_t{0});
  act_(seen_, actions, lanes.size(), lanes.data());
}

GreedyPlayer::GreedyPlayer(Learner& learner, const AgentPort& port, uint64_t lanes)
    : SeatedPlayer(
          learner.label(),
          [&learner](Batch& seen, Batch& actions, uint64_t rows, const uint64_t* lane) {
            learner.act(SPAR_MODE_GREEDY, 0, seen, actions, rows, lane);
          },
          port, lanes) {}

UniformPlayer::UniformPlayer(const Environment& environment, size_t agent, Philox random)
    : port_(environment.agents()[agent]), random_(random) {
  if (port_.masks()) masks_.resize(environment.copies() * static_cast<uint64_t>(port_.action.n));
}

void UniformPlayer::act(const std::vector<uint64_t>& copies, Batch& actions) {
  if (!masks_.empty()) {
    take_rows(reinterpret_cast<const std::byte*>(port_.masks()), static_cast<size_t>(port_.action.n), copies,
              reinterpret_cast<std::byte*>(masks_.data()));
  }
  uniform_actions(port_.action, actions, copies.size(), random_, masks_.empty() ? nullptr : masks_.data());
}

}  // namespace spar::rollout
