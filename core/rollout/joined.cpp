#include "core/rollout/joined.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "core/base/error.hpp"

namespace spar::rollout {
namespace {

constexpr int64_t kMostJointActions = 65'536;  // a network has an output for each
constexpr double kNoBound = std::numeric_limits<double>::infinity();

/// The spaces of an agent, and what else of its columns a learner would see, in words.
std::string spaces_of(const AgentPort& port) {
  return "observations " + port.observation.name() + " and actions " + port.action.name() +
         (port.mask >= 0 ? ", masked" : "") + (port.turn_based() ? ", in turns" : "");
}

/// Writes rows of `bytes` bytes each: from every `from_step`-th row to every `to_step`-th.
void copy_rows(const std::byte* from, size_t from_step, std::byte* to, size_t to_step, uint64_t rows, size_t bytes) {
  for (uint64_t i = 0; i < rows; ++i) std::memcpy(to + i * to_step, from + i * from_step, bytes);
}

void append_bounds(const Space& box, std::vector<double>& low, std::vector<double>& high) {
  const auto width = static_cast<size_t>(box.width());
  for (size_t j = 0; j < width; ++j) {
    low.push_back(box.low.empty() ? -kNoBound : box.low[j]);
    high.push_back(box.high.empty() ? kNoBound : box.high[j]);
  }
}

}  // namespace

Joined::Joined(Environment& environment, const std::string& name, std::vector<uint32_t> members, Join how)
    : owner_(environment.name()), agents_(std::move(members)), copies_(environment.copies()), how_(how) {
  for (const uint32_t agent : agents_) members_.push_back(&environment.agents()[agent]);
  const auto any = [this](const auto& has) {
    return std::any_of(members_.begin(), members_.end(), [&has](const AgentPort* port) { return has(*port); });
  };
  if (any([](const AgentPort& port) { return port.mask >= 0; })) columns_.push_back("action_mask");
  if (any([](const AgentPort& port) { return port.turn_based(); })) columns_.push_back("acting");
  spec_.struct_size = sizeof spec_;
  spec_.id = name.c_str();
  spec_.n_columns = static_cast<uint32_t>(columns_.size());
  spec_.columns = columns_.data();
  if (how_ == Join::rows)
    describe_rows();
  else
    describe_joint();
  port_ = make_port(spec_, owner_, copies_ * rows_per_copy());
  spec_.id = port_.id.c_str();
}

void Joined::check_equal() const {
  const AgentPort& first = *members_.front();
  for (const AgentPort* other : members_) {
    const bool seen_alike = (other->mask >= 0) == (first.mask >= 0) && other->turn_based() == first.turn_based();
    if (other->observation == first.observation && other->action == first.action && seen_alike) continue;
    const bool only_bounds = spaces_of(*other) == spaces_of(first);
    throw Error("E0310", Exit::usage,
                owner_ + ": the agents `" + first.id + "` and `" + other->id +
                    "` cannot share a policy, because their spaces differ: `" + first.id + "` has " + spaces_of(first) +
                    ", `" + other->id + "` has " + spaces_of(*other) + (only_bounds ? " with other bounds" : ""))
        .help("use teams = \"names\" or mode = \"joint\" of the strategy team, or the strategy independent");
  }
}

void Joined::describe_rows() {
  check_equal();
  spec_.obs = members_.front()->spec->obs;
  spec_.act = members_.front()->spec->act;
}

void Joined::describe_joint() {
  const auto refuse = [this](const AgentPort& port, const std::string& found, const std::string& expected) {
    throw Error("E0310", Exit::usage,
                owner_ + ": agent `" + port.id + "` has " + found + ", which cannot be joined; expected " + expected)
        .help("use mode = \"shared\" of the strategy team, or the strategy independent");
  };
  std::vector<double> low, high;
  for (const AgentPort* port : members_) {
    const Space& space = port->observation;
    if (space.kind != SPAR_SPACE_BOX || space.code != SPAR_DTYPE_FLOAT || space.bits != 32)
      refuse(*port, "observations " + space.name(), "a Box of float32 for every agent");
    append_bounds(space, low, high);
  }
  spaces_.push_back(spar::Space::box(low, high));

  const uint32_t kind = members_.front()->action.kind;
  int64_t combinations = 1;
  low.clear();
  high.clear();
  for (const AgentPort* port : members_) {
    const Space& space = port->action;
    if (space.kind != kind)
      refuse(*port, "actions " + space.name(),
             "the kind of actions that `" + members_.front()->id + "` has, " + members_.front()->action.name());
    if (kind == SPAR_SPACE_BOX) {
      append_bounds(space, low, high);
    } else {
      if (space.n > kMostJointActions / combinations)
        refuse(*port, "actions " + space.name(),
               "at most " + std::to_string(kMostJointActions) + " combinations of all agents' actions");
      combinations *= space.n;
    }
  }
  spaces_.push_back(kind == SPAR_SPACE_BOX ? spar::Space::box(low, high) : spar::Space::discrete(combinations));
  spec_.obs = spaces_[0].abi();
  spec_.act = spaces_[1].abi();
}

void Joined::gather() {
  if (how_ == Join::rows)
    gather_rows();
  else
    gather_joint();
}

void Joined::gather_rows() {
  const size_t n = members_.size();
  for (size_t k = 0; k < n; ++k) {
    const AgentPort& from = *members_[k];
    const auto take = [&](size_t column, size_t into) {
      const size_t bytes = port_.out->row_bytes(into);
      copy_rows(from.out->bytes(column), bytes, port_.out->bytes(into) + k * bytes, n * bytes, copies_, bytes);
    };
    for (size_t i = 0; i < port_.observed.size(); ++i) take(from.observed[i], port_.observed[i]);
    take(from.reward, port_.reward);
    if (port_.turn_based()) take(static_cast<size_t>(from.acting), static_cast<size_t>(port_.acting));
  }
}

void Joined::gather_joint() {
  const size_t row_bytes = port_.out->row_bytes(port_.observed[0]);
  std::byte* to = port_.out->bytes(port_.observed[0]);
  for (const AgentPort* from : members_) {
    const size_t bytes = from->out->row_bytes(from->observed[0]);
    copy_rows(from->out->bytes(from->observed[0]), bytes, to, row_bytes, copies_, bytes);
    to += bytes;
  }
  auto* reward = port_.out->data<float>(port_.reward);
  for (uint64_t copy = 0; copy < copies_; ++copy) {
    double sum = 0;
    for (const AgentPort* from : members_) sum += static_cast<double>(from->out->data<float>(from->reward)[copy]);
    reward[copy] = static_cast<float>(sum / static_cast<double>(members_.size()));
  }
  if (port_.mask >= 0) gather_masks();
  if (port_.turn_based()) gather_turns();
}

/// A combination is allowed if all of its actions are.
void Joined::gather_masks() {
  const auto n = static_cast<uint64_t>(port_.action.n);
  auto* masks = port_.out->data<uint8_t>(static_cast<size_t>(port_.mask));
  std::fill_n(masks, copies_ * n, uint8_t{1});
  uint64_t period = n;  // of the digit of the member in turn
  for (const AgentPort* from : members_) {
    const auto choices = static_cast<uint64_t>(from->action.n), run = period / choices;
    period = run;
    const uint8_t* allowed = from->masks();
    if (!allowed) continue;
    for (uint64_t copy = 0; copy < copies_; ++copy)
      for (uint64_t a = 0; a < n; ++a) masks[copy * n + a] &= allowed[copy * choices + a / run % choices] != 0;
  }
}

void Joined::gather_turns() {
  auto* acting = port_.out->data<uint8_t>(static_cast<size_t>(port_.acting));
  for (uint64_t copy = 0; copy < copies_; ++copy) {
    const auto moves = [copy](const AgentPort* port) { return port->acts(copy); };
    const auto movers = static_cast<size_t>(std::count_if(members_.begin(), members_.end(), moves));
    if (movers > 0 && movers < members_.size()) {
      const auto mover = *std::find_if(members_.begin(), members_.end(), moves);
      const auto waiting = *std::find_if_not(members_.begin(), members_.end(), moves);
      throw Error("E0310", Exit::usage,
                  owner_ + ": the agents `" + mover->id + "` and `" + waiting->id +
                      "` take turns, so they have no joint actions; expected agents that always move together")
          .help("use mode = \"shared\" of the strategy team, or the strategy independent");
    }
    acting[copy] = movers > 0;
  }
}

void Joined::scatter() {
  const size_t row_bytes = port_.in->row_bytes(0);
  const std::byte* from = port_.in->bytes(0);
  if (how_ == Join::rows || port_.action.kind == SPAR_SPACE_BOX) {
    const size_t step = row_bytes * rows_per_copy();
    for (AgentPort* to : members_) {
      const size_t bytes = to->in->row_bytes(0);
      copy_rows(from, step, to->in->bytes(0), bytes, copies_, bytes);
      from += bytes;
    }
    return;
  }
  for (uint64_t copy = 0; copy < copies_; ++copy) {
    int64_t action = port_.in->data<int64_t>(0)[copy];
    for (size_t k = members_.size(); k-- > 0;) {
      AgentPort& to = *members_[k];
      to.in->data<int64_t>(0)[copy] = action % to.action.n;
      action /= to.action.n;
    }
  }
}

}  // namespace spar::rollout
