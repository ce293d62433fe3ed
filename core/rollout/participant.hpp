// Who plays the agents of an environment.
#pragma once

#include <algorithm>
#include <vector>

#include "core/rollout/learner.hpp"
#include "core/rollout/opponent.hpp"
#include "core/rollout/port_view.hpp"

namespace spar::rollout {

/// Who plays an agent: a learner, or an opponent. The other is null.
struct Participant {
  Learner* learner = nullptr;
  Opponent* opponent = nullptr;
  /// What it plays in place of this one agent: the agents that a learner plays together, this one among them, for
  /// instance. Null: this one alone.
  PortView* joined = nullptr;
};

/// Joined agents have one seat, where the first of them sits; every other agent has its own.
inline bool has_seat(const std::vector<Participant>& participants, size_t agent) {
  const auto here = participants.begin() + static_cast<std::ptrdiff_t>(agent);
  const auto together = [&](const Participant& other) { return other.joined == here->joined; };
  return !here->joined || std::none_of(participants.begin(), here, together);
}

}  // namespace spar::rollout
