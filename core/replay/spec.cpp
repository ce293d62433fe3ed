#include "core/replay/spec.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <string_view>

#include "core/base/error.hpp"

namespace spar::replay {

namespace {

[[noreturn]] void refuse(const std::string& problem, const std::string& remedy) {
  throw Error("E0801", Exit::usage, "the memory cannot be made: " + problem).help(remedy);
}

std::string number(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return std::string(text, end);
}

const char* kind_name(uint32_t kind) {
  switch (kind) {
    case SPAR_BUF_REPLAY:
      return "replay";
    case SPAR_BUF_PRIORITIZED:
      return "prioritised replay";
    case SPAR_BUF_ROLLOUT:
      return "rollout";
    default:
      return "unknown";
  }
}

const char* type_name(uint8_t code) {
  switch (code) {
    case SPAR_DTYPE_INT:
      return "int";
    case SPAR_DTYPE_UINT:
      return "uint";
    case SPAR_DTYPE_FLOAT:
      return "float";
    case SPAR_DTYPE_BFLOAT:
      return "bfloat";
    case SPAR_DTYPE_BOOL:
      return "bool";
    default:
      return "unknown";
  }
}

void check_column(const ColumnShape& column) {
  if (column.name.empty()) refuse("a column has no name", "name every column");
  if (column.bits == 0 || column.bits % 8 != 0)
    refuse("elements of column `" + column.name + "` have " + std::to_string(column.bits) + " bits",
           "use elements of whole bytes");
  size_t bytes = column.bits / 8u;
  for (const int64_t size : column.shape) {
    if (size < 1) refuse("column `" + column.name + "` has the shape " + column.type(), "use sizes of at least 1");
    if (__builtin_mul_overflow(bytes, static_cast<size_t>(size), &bytes) || bytes > SIZE_MAX / 4)
      refuse("a row of column `" + column.name + "` does not fit into memory", "use a smaller shape");
  }
}

}  // namespace

size_t ColumnShape::bytes() const {
  size_t total = bits / 8u;
  for (const int64_t size : shape) total *= static_cast<size_t>(size);
  return total;
}

std::string ColumnShape::type() const {
  std::string text = type_name(code) + std::to_string(bits) + " [";
  for (size_t i = 0; i < shape.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  return text + "]";
}

void check(const BufferSpec& spec) {
  if (std::string_view(kind_name(spec.kind)) == "unknown")
    refuse("kind " + std::to_string(spec.kind) + " is none of replay, prioritised replay and rollout",
           "set buffer_kind in the algorithm's needs()");
  if (spec.capacity < 1) refuse("its capacity is 0", "set the buffer size to at least 1");
  if (spec.lanes < 1) refuse("no environment copy writes to it", "use at least one environment copy");
  if (spec.observed.empty()) refuse("it has no observation column", "give the agent an observation space");
  if (spec.kind != SPAR_BUF_ROLLOUT) {
    if (spec.n_step < 1) refuse("n_step is 0", "set n_steps to at least 1");
    if (!(spec.gamma >= 0 && spec.gamma <= 1))
      refuse("gamma is " + number(spec.gamma), "set gamma to a number from 0 to 1");
  }
  if (spec.kind == SPAR_BUF_PRIORITIZED) {
    if (!(spec.alpha >= 0 && spec.alpha <= 1))
      refuse("the priority exponent alpha is " + number(spec.alpha), "set it to a number from 0 to 1");
    if (!(spec.eps > 0 && spec.eps < std::numeric_limits<float>::max()))
      refuse("the priority offset eps is " + number(spec.eps),
             "set it above 0, or a transition without error is never drawn again");
  }
  std::set<std::string> names = {"reward", "discount", "terminated", "truncated", "last"};
  const auto add = [&names](const std::string& name) {
    if (!names.insert(name).second) refuse("two columns are called `" + name + "`", "rename one of them");
  };
  for (const ColumnShape& column : spec.observed) {
    check_column(column);
    add(column.name);
    add("next_" + column.name);
  }
  for (const ColumnShape& column : spec.acted) {
    check_column(column);
    add(column.name);
  }
}

std::vector<std::pair<std::string, std::string>> describe(const BufferSpec& spec) {
  std::vector<std::pair<std::string, std::string>> lines = {{"kind", kind_name(spec.kind)},
                                                            {"lanes", std::to_string(spec.lanes)}};
  if (spec.kind != SPAR_BUF_ROLLOUT) {
    lines.insert(lines.end(), {{"capacity", std::to_string(spec.capacity)},
                               {"n_step", std::to_string(spec.n_step)},
                               {"gamma", number(spec.gamma)}});
  }
  if (spec.kind == SPAR_BUF_PRIORITIZED)
    lines.insert(lines.end(), {{"alpha", number(spec.alpha)}, {"eps", number(spec.eps)}});
  for (const ColumnShape& column : spec.observed) lines.emplace_back("column " + column.name, column.type());
  for (const ColumnShape& column : spec.acted) lines.emplace_back("column " + column.name, column.type());
  return lines;
}

std::vector<ColumnShape> observation_columns(const spar_space& space, const std::string& name) {
  if (space.kind != SPAR_SPACE_DICT) {
    ColumnShape column{name, space.code, space.bits, {}};
    if (space.kind != SPAR_SPACE_DISCRETE) column.shape.assign(space.shape, space.shape + space.ndim);
    return {column};
  }
  std::vector<ColumnShape> columns;
  for (uint32_t i = 0; i < space.n_children; ++i) {
    const auto leaves = observation_columns(*space.children[i], name + "/" + space.keys[i]);
    columns.insert(columns.end(), leaves.begin(), leaves.end());
  }
  return columns;
}

ColumnShape action_column(const spar_space& space) {
  ColumnShape column{"action", SPAR_DTYPE_INT, 64, {}};
  switch (space.kind) {
    case SPAR_SPACE_DISCRETE:
      return column;
    case SPAR_SPACE_BOX:
      column.code = SPAR_DTYPE_FLOAT;
      column.bits = 32;
      break;
    case SPAR_SPACE_MULTI_DISCRETE:
      break;
    case SPAR_SPACE_MULTI_BINARY:
      column.code = SPAR_DTYPE_UINT;
      column.bits = 8;
      break;
    default:
      refuse("actions of space kind " + std::to_string(space.kind) + " have no single column",
             "use a box, discrete, multi-discrete or multi-binary action space");
  }
  column.shape.assign(space.shape, space.shape + space.ndim);
  return column;
}

BufferSpec buffer_spec(const spar_needs& needs, const spar_agent_spec& agent, uint64_t lanes) {
  BufferSpec spec;
  spec.kind = needs.buffer_kind;
  spec.capacity = needs.capacity;
  spec.lanes = lanes;
  spec.n_step = std::max(1u, needs.n_step);
  spec.gamma = needs.gamma;
  spec.alpha = needs.priority_alpha;
  spec.eps = needs.priority_eps;
  spec.observed = observation_columns(*agent.obs, "obs");
  for (uint32_t i = 0; i < agent.n_columns; ++i) {
    if (std::string_view(agent.columns[i]) != "action_mask") continue;
    const spar_space& act = *agent.act;
    int64_t width = act.n;
    if (act.kind == SPAR_SPACE_MULTI_DISCRETE) width = std::accumulate(act.nvec, act.nvec + act.shape[0], int64_t{0});
    spec.observed.push_back({"action_mask", SPAR_DTYPE_UINT, 8, {width}});
  }
  spec.acted = {action_column(*agent.act)};
  for (uint32_t i = 0; i < needs.n_extra; ++i) {
    const spar_column_spec& extra = *needs.extra[i];
    spec.acted.push_back({extra.name, extra.code, extra.bits, {extra.shape, extra.shape + extra.ndim}});
  }
  check(spec);
  return spec;
}

}  // namespace spar::replay
