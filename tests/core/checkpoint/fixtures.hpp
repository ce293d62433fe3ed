// Checkpoints and directories for the tests of this folder.
#pragma once

#include <string>

#include "core/checkpoint/container.hpp"
#include "core/rng/philox.hpp"
#include "support/files.hpp"

namespace spar::checkpoint {

/// Four sections of different sizes, none a multiple of 64 but one, one of them empty; about 4 kB as a file. The
/// contents depend on the step.
inline Checkpoint sample(uint64_t step, size_t large = 2500) {
  Philox random(step, "sample");
  Checkpoint checkpoint;
  checkpoint.step = step;
  checkpoint.manifest = R"({"step":)" + std::to_string(step) + R"(,"seeds":[1]})";
  uint32_t type = 1;
  for (const auto& [name, size] :
       {std::pair<const char*, size_t>{"networks", large}, {"empty", 0}, {"random", 640}, {"counters", 77}}) {
    Section section{name, type++, std::vector<std::byte>(size)};
    for (std::byte& byte : section.data) byte = static_cast<std::byte>(random.bits());
    checkpoint.sections.push_back(std::move(section));
  }
  return checkpoint;
}

inline bool same(const Checkpoint& a, const Checkpoint& b) {
  if (a.step != b.step || a.manifest != b.manifest || a.sections.size() != b.sections.size()) return false;
  for (size_t i = 0; i < a.sections.size(); ++i)
    if (a.sections[i].name != b.sections[i].name || a.sections[i].type != b.sections[i].type ||
        a.sections[i].data != b.sections[i].data)
      return false;
  return true;
}

using test::TemporaryDirectory;

}  // namespace spar::checkpoint
