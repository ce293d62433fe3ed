#include "core/game/views.hpp"

#include <algorithm>
#include <numeric>

#include "core/base/error.hpp"
#include "core/rollout/actions.hpp"

namespace spar::game {
namespace {

int32_t index_of(const Player& player, size_t infoset, int64_t action, const std::string& label) {
  const auto begin = player.action.begin() + static_cast<std::ptrdiff_t>(player.begin(infoset));
  const auto end = player.action.begin() + static_cast<std::ptrdiff_t>(player.end(infoset));
  const auto found = std::find(begin, end, action);
  if (found == end) {
    throw Error(
        "E0706", Exit::crash,
        label + " plays action " + std::to_string(action) + " of agent `" + player.name + "` where it is not legal");
  }
  return static_cast<int32_t>(found - begin);
}

}  // namespace

SeenGame compile_seen(Position& position, uint64_t most) {
  SeenGame out;
  const std::vector<rollout::AgentPort> ports = position.make_ports();
  for (const rollout::AgentPort& port : ports) out.views.emplace_back().columns.resize(port.observed.size());
  out.form = compile(position, most, [&](size_t player, uint64_t depth) {
    position.observe(depth, ports);
    const rollout::AgentPort& port = ports[player];
    for (size_t k = 0; k < port.observed.size(); ++k) {
      const std::byte* row = port.out->bytes(port.observed[k]) + depth * port.out->row_bytes(port.observed[k]);
      auto& column = out.views[player].columns[k];
      column.insert(column.end(), row, row + port.out->row_bytes(port.observed[k]));
    }
  });
  return out;
}

std::vector<int32_t> greedy_choices(const Player& player, const View& view, rollout::Learner& learner) {
  const auto act = [&learner](rollout::Batch& seen, rollout::Batch& actions, uint64_t rows, const uint64_t* lane) {
    learner.act(SPAR_MODE_GREEDY, 0, seen, actions, rows, lane);
  };
  return choices(player, view, learner.agent(), act, learner.label());
}

std::vector<int32_t> choices(const Player& player, const View& view, const rollout::AgentPort& port,
                             const rollout::ActRows& act, const std::string& label) {
  const size_t leaves = port.leaves.size();
  rollout::Batch seen(kAskedTogether), actions(kAskedTogether);
  rollout::add_seen_columns(seen, port);
  rollout::add_action_column(actions, port.action);
  std::vector<uint64_t> lanes(kAskedTogether);
  std::iota(lanes.begin(), lanes.end(), uint64_t{0});

  std::vector<int32_t> out;
  for (size_t first = 0; first < player.infosets(); first += kAskedTogether) {
    const size_t rows = std::min(kAskedTogether, player.infosets() - first);
    for (size_t k = 0; k < view.columns.size(); ++k) {
      const size_t to = rollout::seen_column(port, k);
      const std::byte* from = view.columns[k].data() + first * seen.row_bytes(to);
      std::copy_n(from, rows * seen.row_bytes(to), seen.bytes(to));
    }
    for (size_t i = 0; i < rows; ++i) seen.data<uint8_t>(leaves)[i] = player.above(first + i) == 0;
    act(seen, actions, rows, lanes.data());
    for (size_t i = 0; i < rows; ++i) out.push_back(index_of(player, first + i, actions.data<int64_t>(0)[i], label));
  }
  return out;
}

}  // namespace spar::game
