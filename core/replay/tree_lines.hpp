// What a sum tree does with its cache lines, many at a time. The sums and differences are the same in every form.
#pragma once

#include <cstddef>
#include <cstdint>

namespace spar::replay {

inline constexpr unsigned kLineLevels = 3;  ///< levels of the tree from a node to the line of its descendants
inline constexpr uint64_t kLine = uint64_t{1} << kLineLevels;

/// Items are (position, path): what is left of the position below the node reached, and that node's place in its level.
struct LineFunctions {
  /// From the root by `levels` = 1 .. 3 to the nodes of its only line.
  void (*enter)(const double* line, unsigned levels, size_t n, double* position, uint64_t* path);
  /// Three levels down, path[i] being the line; asks for the line that follows in `next` unless that is nullptr.
  void (*descend)(const double* lines, const double* next, size_t n, double* position, uint64_t* path);
  /// The same to the leaves, whose masses the positions become.
  void (*reach)(const double* lines, size_t n, double* position, uint64_t* path);
  /// path[i] = the line that from[i] is in; neighbours in the same line go on as one. Answers how many remain. `path`
  /// may be `from`.
  size_t (*rise)(size_t n, const uint64_t* from, uint64_t* path);
  /// above[path[i]] = the sum of line path[i].
  void (*sum)(const double* lines, size_t n, const uint64_t* path, double* above);
};

/// For this processor.
const LineFunctions& line_functions();

}  // namespace spar::replay
