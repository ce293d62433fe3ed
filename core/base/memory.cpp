#include "core/base/memory.hpp"

#include <malloc.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "core/base/zeros.hpp"

namespace spar {
namespace {

/// The limit of a control group (version 2), which is what a container may use.
uint64_t memory_of_group() {
  std::ifstream limit("/sys/fs/cgroup/memory.max"), used("/sys/fs/cgroup/memory.current");
  uint64_t most = 0, now = 0;
  if (!(limit >> most) || !(used >> now)) return std::numeric_limits<uint64_t>::max();
  return most > now ? most - now : 0;
}

/// The number behind `key` in a file of lines "Key:  123 kB", in bytes; `otherwise` if it is not there.
uint64_t line_of(const char* file, const std::string& key, uint64_t otherwise) {
  std::ifstream lines(file);
  for (std::string found, rest; lines >> found; std::getline(lines, rest)) {
    uint64_t kilobytes = 0;
    if (found == key) return lines >> kilobytes ? kilobytes * 1024 : otherwise;
  }
  return otherwise;
}

}  // namespace

uint64_t free_memory() {
  const uint64_t group = memory_of_group();
  return std::min(group, line_of("/proc/meminfo", "MemAvailable:", group));
}

uint64_t memory_in_use() { return line_of("/proc/self/status", "VmRSS:", 0); }
uint64_t most_memory_in_use() { return line_of("/proc/self/status", "VmHWM:", 0); }

uint64_t allocated_memory() {
  const struct mallinfo2 now = mallinfo2();
  return now.uordblks + now.hblkhd + mapped_zeros();
}

uint64_t allocated_since(uint64_t before) {
  const uint64_t now = allocated_memory();
  return now > before ? now - before : 0;
}

}  // namespace spar
