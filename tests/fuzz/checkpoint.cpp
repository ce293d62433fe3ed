// Checkpoints with right checksums and any structure: refused by E0502, or decoded into what encodes to the same file.
#include "core/base/error.hpp"
#include "core/checkpoint/fixtures.hpp"
#include "core/checkpoint/repair.hpp"
#include "fuzz/edits.hpp"

using namespace spar;
using namespace spar::checkpoint;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::vector<std::byte> sound = encode(sample(18'000, 200));
  auto file = sound;
  fuzz::edit(file, {data, size});
  if (file.size() >= kHeaderSize + kTrailerSize) repair(file);
  try {
    const Checkpoint decoded = decode(file, "x");
    if (encode(decoded) != file) __builtin_trap();
  } catch (const Error& error) {
    if (error.code() != "E0502") __builtin_trap();
  }
  return 0;
}
