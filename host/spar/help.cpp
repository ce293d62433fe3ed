#include "host/spar/output.hpp"
#include "host/spar/verbs.hpp"

namespace spar::host {

int run_help(const Arguments& arguments, const Terminal&) {
  if (arguments.positional.empty()) {
    print(help_text(nullptr));
    return 0;
  }
  const std::string& name = arguments.positional[0];
  const Verb* verb = find_verb(name);
  if (!verb) parse_arguments({name});  // throws what is wrong with it
  print(help_text(verb));
  return 0;
}

}  // namespace spar::host
