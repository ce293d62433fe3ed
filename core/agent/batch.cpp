#include "core/agent/batch.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "spar/rl/action.hpp"

namespace spar {
namespace {

constexpr double kOutside = 1e-5;  // of half the box's width: a float32 action may be rounded beyond its bound

class Builder {
 public:
  Builder(const std::string& call, const TransitionBatch& batch, rollout::Batch& out)
      : call_(call), batch_(batch), out_(out) {}

  /// Copies a column of the caller; answers null if it is not there.
  void* copy(const std::string& name, const ColumnType& type, bool required) {
    known_.push_back(name);
    const Numbers* found = batch_.find(name);
    if (!found && required)
      throw Error("E1002", Exit::usage,
                  call_ + ": the batch has no column `" + name + "`, expected " + type.text() + " " +
                      shape_of(batch_.rows(), type.row));
    if (!found) return nullptr;
    check_numbers(call_ + ": column `" + name + "`", *found, type, batch_.rows());
    const size_t column = out_.add(name, type.code, type.bits, type.row);
    std::memcpy(out_.bytes(column), found->bytes, found->size_bytes());
    return out_.bytes(column);
  }
  template <class T>
  T* make(const std::string& name) {
    return out_.data<T>(out_.add(name, dtype_code<T>(), static_cast<uint8_t>(8 * sizeof(T)), {}));
  }
  void know(const std::string& name) { known_.push_back(name); }
  void refuse_unknown() const {
    std::vector<std::string> names = batch_.names();
    for (size_t i = 0; i < names.size(); ++i) {
      const std::string quoted = "`" + printable(names[i]) + "`";
      if (std::count(names.begin(), names.end(), names[i]) > 1)
        throw Error("E1002", Exit::usage, call_ + ": column " + quoted + " is there twice");
      if (std::find(known_.begin(), known_.end(), names[i]) != known_.end()) continue;
      const std::string near = nearest(names[i], known_);
      throw Error("E1002", Exit::usage,
                  call_ + ": the batch has the unknown column " + quoted +
                      (near.empty() ? ", expected " + listing(known_) : "; did you mean `" + near + "`?"));
    }
  }

 private:
  const std::string& call_;
  const TransitionBatch& batch_;
  rollout::Batch& out_;
  std::vector<std::string> known_;
};

constexpr uint8_t kFloat = SPAR_DTYPE_FLOAT, kUint = SPAR_DTYPE_UINT;

bool leaf_is_float(const rollout::Leaf& leaf) { return leaf.code == SPAR_DTYPE_FLOAT && leaf.bits == 32; }

}  // namespace

const Numbers* TransitionBatch::find(std::string_view name) const {
  for (const auto& column : columns_) {
    if (column->name == name) return &column->numbers;
  }
  return nullptr;
}

std::vector<std::string> TransitionBatch::names() const {
  std::vector<std::string> out;
  for (const auto& column : columns_) out.push_back(column->name);
  return out;
}

GivenBatch::GivenBatch(const std::string& call, const TransitionBatch& batch, const rollout::AgentPort& agent,
                       const spar_needs& needs, const rollout::Transforms& transforms)
    : columns_(batch.rows()) {
  const uint64_t rows = batch.rows();
  if (rows == 0) throw Error("E1001", Exit::usage, call + ": the batch has 0 rows, expected at least 1");
  Builder columns(call, batch, columns_);
  const ColumnType number{kFloat, 32, {}}, flag{kUint, 8, {}};

  for (const char* side : {"", "next_"}) {
    for (size_t i = 0; i < agent.leaves.size(); ++i) {
      const rollout::Leaf& leaf = agent.leaves[i];
      void* data = columns.copy(side + leaf.column, {leaf.code, leaf.bits, leaf.shape}, true);
      if (leaf_is_float(leaf) && transforms.observation.active())
        transforms.observation.apply(i, static_cast<float*>(data), rows);
    }
  }
  const bool discrete = agent.action.kind == SPAR_SPACE_DISCRETE;
  const ColumnType action = discrete ? ColumnType{SPAR_DTYPE_INT, 64, {}} : ColumnType{kFloat, 32, agent.action.shape};
  auto* actions = static_cast<std::byte*>(columns.copy("action", action, true));
  const size_t action_bytes = action.width() * action.bits / 8;
  const Numbers& given = *batch.find("action");
  for (uint64_t row = 0; row < rows; ++row)
    from_environment(call + ": column `action`", agent.action, given, row, actions + row * action_bytes);
  if (agent.mask >= 0) {
    const ColumnType mask{kUint, 8, {agent.action.n}};
    for (const char* name : {"action_mask", "next_action_mask"}) columns.copy(name, mask, true);
    const Numbers* ended = batch.find("terminated");
    const bool flags = ended && ended->code == kUint && ended->bits == 8 && ended->size == rows;
    const auto what = [&call](const char* name) { return call + ": column `" + name + "`"; };
    check_mask(what("action_mask"), *batch.find("action_mask"), mask, rows);
    check_mask(what("next_action_mask"), *batch.find("next_action_mask"), mask, rows,
               flags ? reinterpret_cast<const uint8_t*>(ended->bytes) : nullptr);
    check_allowed(what("action"), given, *batch.find("action_mask"), agent.action.n, rows);
  }
  auto* reward = static_cast<float*>(columns.copy("reward", number, true));
  if (transforms.reward.active()) transforms.reward.on_given(reward, rows);

  for (uint32_t i = 0; i < needs.n_extra; ++i) {
    const spar_column_spec& extra = *needs.extra[i];
    columns.copy(extra.name, {extra.code, extra.bits, {extra.shape, extra.shape + extra.ndim}}, true);
  }

  if (needs.buffer_kind == SPAR_BUF_ROLLOUT) {
    auto* terminated = static_cast<uint8_t*>(columns.copy("terminated", flag, true));
    auto* truncated = static_cast<uint8_t*>(columns.copy("truncated", flag, false));
    if (!truncated) truncated = columns.make<uint8_t>("truncated");
    auto* last = static_cast<uint8_t*>(columns.copy("last", flag, false));
    if (!last) last = columns.make<uint8_t>("last");
    for (uint64_t i = 0; i < rows; ++i) last[i] |= terminated[i] | truncated[i];
    last[rows - 1] = 1;
  } else {
    if (const auto* discount = static_cast<float*>(columns.copy("discount", number, false))) {
      if (!columns.copy("terminated", flag, false)) {
        auto* terminated = columns.make<uint8_t>("terminated");
        for (uint64_t i = 0; i < rows; ++i) terminated[i] = discount[i] == 0;
      }
    } else {
      const auto* terminated = static_cast<uint8_t*>(columns.copy("terminated", flag, true));
      auto* usual = columns.make<float>("discount");
      for (uint64_t i = 0; i < rows; ++i) usual[i] = terminated[i] ? 0.0F : static_cast<float>(needs.gamma);
    }
    weight_.assign(rows, 1.0F);
    if (const Numbers* weight = batch.find("weight")) {
      check_numbers(call + ": column `weight`", *weight, number, rows);
      std::memcpy(weight_.data(), weight->bytes, weight->size_bytes());
    }
    columns.know("weight");
  }
  columns.refuse_unknown();

  index_.assign(rows, 0);
  view_ = *columns_.view(rows, index_.data());
  view_.weight = needs.buffer_kind == SPAR_BUF_PRIORITIZED || batch.find("weight") ? weight_.data() : nullptr;
}

void from_environment(std::string_view what, const rollout::Space& space, const Numbers& actions, uint64_t row,
                      std::byte* to) {
  const auto outside = [&](const std::string& found) {
    throw Error(
        "E1001", Exit::usage,
        std::string(what) + " is " + found + " in row " + std::to_string(row) + ", which is outside " + space.name());
  };
  if (space.kind == SPAR_SPACE_DISCRETE) {
    const int64_t action = reinterpret_cast<const int64_t*>(actions.bytes)[row];
    if (action < 0 || action >= space.n) outside(std::to_string(action));
    std::memcpy(to, &action, sizeof action);
    return;
  }
  const auto width = static_cast<size_t>(space.width());
  const auto* from = reinterpret_cast<const float*>(actions.bytes) + row * width;
  auto* out = reinterpret_cast<float*>(to);
  for (size_t j = 0; j < width; ++j) {
    if (!space.bounded(j)) {
      out[j] = from[j];
      continue;
    }
    const double unit = rl::from_box(static_cast<double>(from[j]), space.low[j], space.high[j]);
    if (std::abs(unit) > 1 + kOutside) outside(std::to_string(from[j]));
    out[j] = static_cast<float>(rl::clamp_action(unit));
  }
}

void check_mask(std::string_view what, const Numbers& mask, const ColumnType& type, uint64_t rows,
                const uint8_t* ended) {
  if (mask.size == 0)
    throw Error("E1001", Exit::usage, std::string(what) + " is missing, expected u8 " + shape_of(rows, type.row))
        .help("this agent's spaces are masked");
  check_numbers(what, mask, type, rows);
  const auto n = static_cast<int64_t>(type.width());
  for (uint64_t row = 0; row < rows; ++row) {
    const std::byte* allowed = mask.bytes + row * static_cast<uint64_t>(n);
    const bool none = std::all_of(allowed, allowed + n, [](std::byte b) { return b == std::byte{0}; });
    if (none && !(ended && ended[row]))
      throw Error(
          "E1001", Exit::usage,
          std::string(what) + " is all 0 in row " + std::to_string(row) + ", expected at least one allowed action");
  }
}

void check_allowed(std::string_view what, const Numbers& actions, const Numbers& mask, int64_t n, uint64_t rows) {
  const auto* action = reinterpret_cast<const int64_t*>(actions.bytes);
  for (uint64_t row = 0; row < rows; ++row)
    if (mask.bytes[static_cast<int64_t>(row) * n + action[row]] == std::byte{0})
      throw Error("E1001", Exit::usage,
                  std::string(what) + " is " + std::to_string(action[row]) + " in row " + std::to_string(row) +
                      ", which its mask forbids");
}

}  // namespace spar
