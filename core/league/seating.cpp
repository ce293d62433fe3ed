#include "core/league/seating.hpp"

#include <cstring>

#include "core/base/error.hpp"
#include "core/rollout/joined.hpp"

namespace spar::league {

void check_world(rollout::Environment& environment) {
  const size_t agents = environment.agents().size();
  if (agents != 2) {
    throw Error("E1109", Exit::usage,
                environment.name() + " has " + std::to_string(agents) + (agents == 1 ? " agent" : " agents") +
                    ", expected 2: the players of a league meet in pairs")
        .help("choose an environment of two agents, e.g. tic_tac_toe");
  }
  try {
    const rollout::Joined alike(environment, "league", {0, 1}, rollout::Join::rows);
  } catch (const Error& error) {
    if (error.code() != "E0310") throw;
    throw Error("E1109", Exit::usage, error.what())
        .help(
            "a player of a league is one policy for both seats: choose an environment whose agents have the same "
            "spaces, e.g. tic_tac_toe");
  }
}

Seating::Side::Side(Seating& table, uint32_t side) : table_(table), side_(side), members_{side} {
  const rollout::AgentPort& agent = table.environment_.agents()[0];
  if (agent.mask >= 0) columns_.push_back("action_mask");
  if (agent.turn_based()) columns_.push_back("acting");
  spec_.struct_size = sizeof spec_;
  spec_.id = side == 0 ? "player" : "opponent";
  spec_.n_columns = static_cast<uint32_t>(columns_.size());
  spec_.columns = columns_.data();
  spec_.obs = agent.spec->obs;
  spec_.act = agent.spec->act;
  port_ = rollout::make_port(spec_, table.environment_.name(), table.environment_.copies());
}

/// The learner's side seats both.
void Seating::Side::begin(const uint8_t* mask) {
  for (uint64_t copy = 0; side_ == 0 && copy < table_.learner_.size(); ++copy)
    if (mask == nullptr || mask[copy] != 0) table_.seat(copy);
}

void Seating::Side::gather() {
  for (uint64_t copy = 0; copy < table_.learner_.size(); ++copy) {
    const rollout::AgentPort& from = table_.environment_.agents()[agent(copy)];
    const auto take = [&](size_t column, size_t into) {
      const size_t bytes = port_.out->row_bytes(into);
      std::memcpy(port_.out->bytes(into) + copy * bytes, from.out->bytes(column) + copy * bytes, bytes);
    };
    for (size_t i = 0; i < port_.observed.size(); ++i) take(from.observed[i], port_.observed[i]);
    take(from.reward, port_.reward);
    if (port_.turn_based()) take(static_cast<size_t>(from.acting), static_cast<size_t>(port_.acting));
  }
}

void Seating::Side::scatter() {
  const size_t bytes = port_.in->row_bytes(0);
  for (uint64_t copy = 0; copy < table_.learner_.size(); ++copy) {
    std::byte* to = table_.environment_.agents()[agent(copy)].in->bytes(0);
    std::memcpy(to + copy * bytes, port_.in->bytes(0) + copy * bytes, bytes);
  }
}

Seating::Seating(rollout::Environment& environment, Philox random)
    : environment_(environment),
      random_(random),
      learner_(environment.copies(), 0),
      again_(environment.copies(), 0),
      sides_{Side(*this, 0), Side(*this, 1)} {}

void Seating::seat(uint64_t copy) {
  learner_[copy] = again_[copy] != 0 ? 1 - learner_[copy] : static_cast<uint8_t>(random_.below(2));
  again_[copy] = again_[copy] == 0;
}

}  // namespace spar::league
