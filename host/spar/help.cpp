#include <boost/json.hpp>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "host/spar/output.hpp"
#include "host/spar/verbs.hpp"

namespace spar::host {

int run_help(const Arguments& arguments, const Terminal&) {
  for (const auto& word : arguments.all)
    if (word == "--version") {
      if (arguments.json)
        print_json({{"event", "version"}, {"version", SPAR_VERSION}});
      else
        print("spar " SPAR_VERSION "\n");
      return 0;
    }
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
