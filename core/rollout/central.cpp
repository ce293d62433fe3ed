#include "core/rollout/central.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <string_view>

#include "core/base/error.hpp"
#include "core/rollout/actions.hpp"
#include "core/rollout/learner.hpp"

namespace spar::rollout {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

bool is_numbers(const Space& space) {
  return space.kind == SPAR_SPACE_BOX && space.code == SPAR_DTYPE_FLOAT && space.bits == 32;
}

/// Numbers of one action in the joint one.
uint64_t numbers_of_action(const Space& action) {
  return static_cast<uint64_t>(action.kind == SPAR_SPACE_DISCRETE ? action.n : action.width());
}

/// Compact rows into columns offset .. offset + width of rows of `total` numbers.
void put(const float* from, uint64_t width, float* to, uint64_t offset, uint64_t total, uint64_t rows) {
  for (uint64_t i = 0; i < rows; ++i) std::memcpy(to + i * total + offset, from + i * width, width * sizeof(float));
}

void put_action(const Space& space, const std::byte* from, float* to, uint64_t offset, uint64_t total, uint64_t rows) {
  const uint64_t width = numbers_of_action(space);
  if (space.kind == SPAR_SPACE_BOX) return put(reinterpret_cast<const float*>(from), width, to, offset, total, rows);
  const auto* chosen = reinterpret_cast<const int64_t*>(from);
  for (uint64_t i = 0; i < rows; ++i) {
    std::fill_n(to + i * total + offset, width, 0.0F);
    to[i * total + offset + static_cast<uint64_t>(chosen[i])] = 1;
  }
}

void* data_of(const spar_batch& batch, std::string_view name) {
  for (uint32_t i = 0; i < batch.n_columns; ++i)
    if (std::string_view(batch.columns[i].name.ptr, batch.columns[i].name.len) == name) return batch.columns[i].t.data;
  return nullptr;
}

size_t field_of(const replay::Layout& layout, std::string_view name) {
  const auto named = [name](const replay::Field& field) { return field.column.name == name; };
  return static_cast<size_t>(std::find_if(layout.fields.begin(), layout.fields.end(), named) - layout.fields.begin());
}

bool is_replay(const Learner& learner) { return learner.needs().buffer_kind != SPAR_BUF_ROLLOUT; }

}  // namespace

Central::Central(Environment& environment, const std::vector<uint32_t>& members, uint64_t root_seed)
    : owner_(environment.name()), copies_(environment.copies()) {
  for (const uint32_t agent : members) {
    const AgentPort& port = environment.agents()[agent];
    Member& member = members_.emplace_back();
    member.port = &port;
    member.obs_width = static_cast<uint64_t>(port.observation.width());
    member.action_width = numbers_of_action(port.action);
    member.obs_offset = state_width_;
    member.action_offset = joint_width_;
    state_width_ += member.obs_width;
    joint_width_ += member.action_width;
    seats_.emplace_back(*this, seats_.size(), Philox(root_seed, "central/" + port.id));
  }
  describe_state(environment);
  check();
  lanes_.resize(kTargetsTogether);
  std::iota(lanes_.begin(), lanes_.end(), uint64_t{0});
}

Central::~Central() = default;

void Central::refuse(const std::string& found, const std::string& expected) const {
  throw Error("E0310", Exit::usage, owner_ + ": " + found + ", which a central critic cannot see; expected " + expected)
      .help("use mode = \"shared\" of the strategy team, or the strategy independent");
}

void Central::check() const {
  const AgentPort& first = *members_.front().port;
  for (const Member& member : members_) {
    const AgentPort& port = *member.port;
    if (!is_numbers(port.observation))
      refuse("agent `" + port.id + "` has observations " + port.observation.name(), "a Box of float32 for every agent");
    if (port.turn_based() != first.turn_based())
      refuse("of the agents `" + first.id + "` and `" + port.id + "` only one says when it moves",
             "the column `acting` of all or of none");
    if (port.turn_based() && given_)
      refuse("agent `" + port.id + "` says when it moves and there is a central state", "one of the two");
  }
}

void Central::describe_state(Environment& environment) {
  if (const Space* space = environment.central_space()) {
    if (!is_numbers(*space)) refuse("its central state is " + space->name(), "a Box of float32");
    environment.show_central_state();
    given_ = true;
    state_width_ = static_cast<uint64_t>(space->width());
  }
  state_.push_back(spar::Space::box(static_cast<int64_t>(state_width_), -kUnlimited, kUnlimited));
}

void CentralSeat::check_moves() const {
  const AgentPort &own = *team_.members_[member_].port, &first = *team_.members_.front().port;
  for (uint64_t copy = 0; copy < team_.copies_; ++copy)
    if (own.acts(copy) != first.acts(copy))
      team_.refuse("the agents `" + first.id + "` and `" + own.id + "` take turns", "agents that always move together");
}

void Central::learn(uint64_t step) {
  for (const Member& member : members_) member.learner->learn(step);
  for (const Member& member : members_) member.learner->after_learn();
}

void Central::make_room(Member& member, uint64_t rows) {
  if (member.next && member.next->obs.capacity() >= rows) return;
  const replay::Layout& layout = member.learner->buffer()->layout();
  member.obs.resize(rows * member.obs_width);
  member.action.resize(rows * layout.fields[layout.acted].bytes);
  member.next = std::make_unique<Asked>(*member.port, rows);

  member.columns.assign(layout.fields.size(), nullptr);
  if (!given_) member.columns[field_of(layout, "obs")] = reinterpret_cast<std::byte*>(member.obs.data());
  member.columns[field_of(layout, "next_obs")] = member.next->obs.bytes(0);
  if (!is_replay(*member.learner)) return;
  member.columns[field_of(layout, "action")] = member.action.data();
  if (member.port->mask >= 0)
    member.columns[field_of(layout, "next_action_mask")] = member.next->obs.bytes(member.port->leaves.size() + 1);
}

/// Rows of another member as its own learner would see them; what is not asked for stays as it was.
Central::Rows Central::fetch(Member& member, std::span<const uint64_t> places) {
  make_room(member, places.size());
  member.learner->buffer()->copy(places, member.columns);
  if (!given_) member.learner->show(member.obs.data(), places.size());
  member.learner->show(member.next->obs.data<float>(0), places.size());
  return {member.obs.data(), member.next->obs.data<float>(0), member.action.data()};
}

/// From the memory of the first member.
void Central::fetch_state(std::span<const uint64_t> places, float* state, float* next_state) {
  Member& keeper = members_.front();
  replay::Buffer& memory = *keeper.learner->buffer();
  std::vector<std::byte*>& columns = state_columns_;
  columns.assign(memory.layout().fields.size(), nullptr);
  columns[field_of(memory.layout(), "state")] = reinterpret_cast<std::byte*>(state);
  columns[field_of(memory.layout(), "next_state")] = reinterpret_cast<std::byte*>(next_state);
  memory.copy(places, columns);
}

void Central::check_aligned(const Learner& with) const {
  const replay::Buffer& own = *with.buffer();
  for (const Member& member : members_) {
    const replay::Buffer& other = *member.learner->buffer();
    if (other.inserted() == own.inserted() && other.size() == own.size()) continue;
    throw Error("E0808", Exit::crash,
                "the memories of `" + with.name() + "` and `" + member.learner->name() +
                    "` do not hold the same steps: " + std::to_string(own.size()) + " of " +
                    std::to_string(own.inserted()) + " and " + std::to_string(other.size()) + " of " +
                    std::to_string(other.inserted()));
  }
}

const spar_space* CentralSeat::state() const { return team_.state_.front().abi(); }
uint64_t CentralSeat::joint_width() const { return team_.joint_width_; }
uint64_t CentralSeat::own_offset() const { return team_.members_[member_].action_offset; }
bool CentralSeat::keeps_state() const { return team_.given_ && member_ == 0; }

void CentralSeat::sit(Learner& learner) {
  for (const Central::Member& member : team_.members_) {
    if (!member.learner || !member.learner->buffer() || !learner.buffer()) continue;
    const replay::BufferSpec &own = learner.buffer()->spec(), &other = member.learner->buffer()->spec();
    if (own.kind == other.kind && own.capacity == other.capacity && own.lanes == other.lanes &&
        own.n_step == other.n_step)
      continue;
    throw Error("E0808", Exit::crash,
                "the memories of `" + member.learner->name() + "` and `" + learner.name() +
                    "` are not made alike, as central critics need them");
  }
  team_.members_[member_].learner = &learner;
}

CentralSeat::Added& CentralSeat::lend(const spar_batch& sample) {
  const auto free = std::find_if(added_.begin(), added_.end(), [](const Added& added) { return !added.token; });
  Added& added = free == added_.end() ? added_.emplace_back() : *free;
  added.token = sample.token;
  const bool replay = is_replay(*team_.members_[member_].learner);
  if (!keeps_state())
    for (auto* v : {&added.state, &added.next_state}) v->resize(sample.rows * team_.state_width_);
  if (replay) added.joint.resize(sample.rows * team_.joint_width_);
  if (replay) added.next_joint.assign(sample.rows * team_.joint_width_, 0.0F);
  return added;
}

void CentralSeat::release(const void* token) {
  for (Added& added : added_)
    if (token && added.token == token) added.token = nullptr;
}

void CentralSeat::join(spar_batch& sample) {
  const Learner& own = *team_.members_[member_].learner;
  team_.check_aligned(own);
  const std::span<const uint64_t> places = own.buffer()->places(sample);
  const uint64_t rows = sample.rows;
  const bool replay = is_replay(own);
  Added& added = lend(sample);
  if (team_.given_ && !keeps_state()) team_.fetch_state(places, added.state.data(), added.next_state.data());
  for (size_t k = 0; k < team_.members_.size() && (replay || !team_.given_); ++k) {
    Central::Member& member = team_.members_[k];
    const Central::Rows of = k != member_ ? team_.fetch(member, places)
                                          : Central::Rows{static_cast<float*>(data_of(sample, "obs")),
                                                          static_cast<float*>(data_of(sample, "next_obs")),
                                                          static_cast<const std::byte*>(data_of(sample, "action"))};
    if (!team_.given_) {
      put(of.obs, member.obs_width, added.state.data(), member.obs_offset, team_.state_width_, rows);
      put(of.next_obs, member.obs_width, added.next_state.data(), member.obs_offset, team_.state_width_, rows);
    }
    if (!replay) continue;
    const auto put_into = [&](std::vector<float>& joint, const std::byte* actions) {
      put_action(member.port->action, actions, joint.data(), member.action_offset, team_.joint_width_, rows);
    };
    put_into(added.joint, of.action);
    if (k == member_) continue;
    member.learner->act_target(*member.next, rows, team_.lanes_, random_);
    put_into(added.next_joint, member.next->actions.bytes(0));
  }
  show(added, sample);
}

void CentralSeat::show(Added& added, spar_batch& sample) const {
  added.columns.assign(sample.columns, sample.columns + sample.n_columns);
  added.shapes.resize(4);
  size_t n = 0;
  const auto add = [&](std::string_view name, std::vector<float>& data, uint64_t width) {
    if (data.empty()) return;
    std::vector<int64_t>& shape = added.shapes[n++];
    shape.assign({static_cast<int64_t>(sample.rows), static_cast<int64_t>(width)});
    spar_column& column = added.columns.emplace_back();
    column.name = {name.data(), name.size()};
    column.t = {data.data(), SPAR_DEVICE_CPU, 0, 2, SPAR_DTYPE_FLOAT, 32, 1, shape.data(), nullptr, 0};
  };
  add("state", added.state, team_.state_width_);
  add("next_state", added.next_state, team_.state_width_);
  add("joint_action", added.joint, team_.joint_width_);
  add("next_joint_action", added.next_joint, team_.joint_width_);
  sample.columns = added.columns.data();
  sample.n_columns = static_cast<uint32_t>(added.columns.size());
}

uint64_t CentralSeat::bytes_with(uint64_t rows) const {
  const Central::Member& own = team_.members_[member_];
  // What is added to a sample, and this agent's rows for the samples of the others.
  return rows * sizeof(float) *
         (2 * team_.state_width_ + 2 * team_.joint_width_ + 2 * own.obs_width + 2 * own.action_width);
}

}  // namespace spar::rollout
