// Experiments of any text: refused by E02.., or loaded into what is written and loaded again as the same. The text up
// to the first zero byte is the file, what follows is an assignment of the command line.
#include <algorithm>

#include "core/config/support.hpp"

using namespace spar;
using namespace spar::config;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const Scratch scratch;
  const std::string input(reinterpret_cast<const char*>(data), size);
  const size_t zero = std::min(input.find('\0'), input.size());
  const std::string path = scratch.file("a.toml", input.substr(0, zero));
  std::vector<std::string> assignments;
  if (zero < input.size()) assignments.push_back(input.substr(zero + 1));
  try {
    const Experiment experiment = load({path, scratch.path(), assignments, {}}, fake_lookup);
    const std::string again = scratch.file("again.toml", resolved_toml(experiment));
    if (!(load({again, "", {}, {}}, fake_lookup) == experiment)) __builtin_trap();
  } catch (const Error& error) {
    if (!error.code().starts_with("E02")) __builtin_trap();
    for (const char c : error.render())
      if (static_cast<unsigned char>(c) < 0x20 && c != '\n') __builtin_trap();
  }
  return 0;
}
