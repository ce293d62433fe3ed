#include "core/rollout/space.hpp"

#include <cmath>

#include "core/base/error.hpp"

namespace spar::rollout {
namespace {

constexpr int kMaxDepth = 32;
constexpr int kMaxRank = 8;
constexpr int64_t kMaxNumbers = int64_t{1} << 28;  // of one element: 1 GiB of float32

[[noreturn]] void fail(const std::string& owner, const std::string& problem) {
  throw Error("E0703", Exit::crash, owner + " describes a space that " + problem);
}

Space copy(const spar_space& space, const std::string& owner, int depth) {
  if (depth > kMaxDepth) fail(owner, "is nested deeper than " + std::to_string(kMaxDepth));
  Space out;
  out.kind = space.kind;
  out.code = space.code;
  out.bits = space.bits;
  out.n = space.n;
  if (space.ndim < 0 || space.ndim > kMaxRank)
    fail(owner, "has " + std::to_string(space.ndim) + " dimensions, expected 0 to 8");
  if (space.ndim > 0 && space.shape == nullptr)
    fail(owner, "has " + std::to_string(space.ndim) + " dimensions and no shape");
  int64_t numbers = 1;
  for (int32_t i = 0; i < space.ndim; ++i) {
    if (space.shape[i] < 1)
      fail(owner, "has a dimension of " + std::to_string(space.shape[i]) + ", expected at least 1");
    if (__builtin_mul_overflow(numbers, space.shape[i], &numbers) || numbers > kMaxNumbers)
      fail(owner, "has more than " + std::to_string(kMaxNumbers) + " numbers in one element");
    out.shape.push_back(space.shape[i]);
  }
  const auto width = static_cast<size_t>(out.width());
  switch (space.kind) {
    case SPAR_SPACE_BOX:
      if (space.low) out.low.assign(space.low, space.low + width);
      if (space.high) out.high.assign(space.high, space.high + width);
      break;
    case SPAR_SPACE_DISCRETE:
      if (space.n < 1) fail(owner, "is Discrete(" + std::to_string(space.n) + "), expected at least one element");
      break;
    case SPAR_SPACE_MULTI_DISCRETE:
      if (space.nvec == nullptr) fail(owner, "is MultiDiscrete without the sizes of its elements");
      out.nvec.assign(space.nvec, space.nvec + width);
      break;
    case SPAR_SPACE_MULTI_BINARY:
      break;
    case SPAR_SPACE_DICT:
      if (space.n_children > 0 && (space.keys == nullptr || space.children == nullptr))
        fail(owner, "is a Dict of " + std::to_string(space.n_children) + " without keys or children");
      for (uint32_t i = 0; i < space.n_children; ++i)
        out.children.push_back({space.keys[i], copy(*space.children[i], owner, depth + 1)});
      if (out.children.empty()) fail(owner, "is a Dict without children");
      break;
    default:
      fail(owner, "is of kind " + std::to_string(space.kind) + ", which this host does not know");
  }
  return out;
}

void collect(const Space& space, const std::string& column, std::vector<Leaf>& out) {
  if (space.kind == SPAR_SPACE_DICT) {
    for (const auto& [key, child] : space.children) collect(child, column + "/" + key, out);
    return;
  }
  if (space.kind == SPAR_SPACE_DISCRETE) {
    out.push_back({column, space.code, space.bits, {}});
  } else {
    out.push_back({column, space.code, space.bits, space.shape});
  }
}

}  // namespace

int64_t Space::width() const {
  int64_t width = 1;
  if (kind != SPAR_SPACE_DISCRETE) {
    for (const int64_t extent : shape) width *= extent;
  }
  return width;
}

bool Space::bounded(size_t j) const {
  return !low.empty() && !high.empty() && std::isfinite(low[j]) && std::isfinite(high[j]);
}

// Written out, because clang 14 dies of a defaulted comparison that meets itself in the children.
bool Space::operator==(const Space& other) const {
  return kind == other.kind && code == other.code && bits == other.bits && shape == other.shape && low == other.low &&
         high == other.high && n == other.n && nvec == other.nvec && children == other.children;
}

std::string Space::name() const {
  std::string extents;
  for (size_t i = 0; i < shape.size(); ++i) extents += (i ? "x" : "") + std::to_string(shape[i]);
  switch (kind) {
    case SPAR_SPACE_BOX:
      return "Box(" + extents + ")";
    case SPAR_SPACE_DISCRETE:
      return "Discrete(" + std::to_string(n) + ")";
    case SPAR_SPACE_MULTI_DISCRETE:
      return "MultiDiscrete(" + extents + ")";
    case SPAR_SPACE_MULTI_BINARY:
      return "MultiBinary(" + extents + ")";
    default: {
      std::string keys;
      for (const auto& [key, child] : children) keys += (keys.empty() ? "" : ", ") + key + ": " + child.name();
      return "Dict{" + keys + "}";
    }
  }
}

Space copy_space(const spar_space& space, const std::string& owner) { return copy(space, owner, 0); }

std::vector<Leaf> observation_leaves(const Space& space) {
  std::vector<Leaf> leaves;
  collect(space, "obs", leaves);
  return leaves;
}

}  // namespace spar::rollout
