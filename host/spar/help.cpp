#include "host/spar/output.hpp"
#include "host/spar/verbs.hpp"

namespace spar::host {

int run_help(const Arguments& arguments, const Terminal&) {
  // Reading a verb alone tells what is wrong with it.
  const auto& words = arguments.positional;
  print(help_text(words.empty() ? nullptr : parse_arguments({words[0]}).verb));
  return 0;
}

}  // namespace spar::host
