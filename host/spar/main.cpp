// spar: the command line. Nothing is looked for or loaded before the verb is known.
#include <unistd.h>

#include <boost/json.hpp>
#include <cerrno>
#include <cstring>
#include <new>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "host/spar/output.hpp"
#include "host/spar/verbs.hpp"

namespace spar::host {
namespace {

void enter(const std::string& directory) {
  if (directory.empty() || ::chdir(directory.c_str()) == 0) return;
  throw Error("E0403", Exit::usage, "cannot work in `" + printable(directory) + "` (-C): " + std::strerror(errno))
      .help("name a directory that exists and can be entered");
}

int run(const std::vector<std::string>& words) {
  const Terminal terminal = look_at_terminal(color_wish(words));
  try {
    const Arguments arguments = parse_arguments(words);
    if (arguments.version) {
      if (arguments.json)
        print_json({{"event", "version"}, {"version", SPAR_VERSION}});
      else
        print("spar " SPAR_VERSION "\n");
      return 0;
    }
    if (arguments.help) {
      print(help_text(words.empty() || arguments.verb->name == "help" ? nullptr : arguments.verb));
      return 0;
    }
    enter(arguments.directory);
    return arguments.verb->run(arguments, terminal);
  } catch (const Error& error) {
    return report(error, terminal, json_wish(words));
  } catch (const std::bad_alloc&) {
    return report(Error("E0405", Exit::failed, "the memory of this machine is not enough")
                      .help("a smaller buffer_size, smaller networks or fewer copies of the environment need less"),
                  terminal, json_wish(words));
  } catch (const std::exception& error) {
    return report(Error("E0000", Exit::failed, "something unexpected happened: " + printable(error.what()))
                      .help("this is a fault of spar: please report it with the command that you typed"),
                  terminal, json_wish(words));
  }
}

/// A script that reads half a result must not take it for all of it.
int report_unprinted(const std::vector<std::string>& words) {
  return report(
      Error("E0411", Exit::failed, std::string("standard output could not be written: ") + std::strerror(unprinted()))
          .help("free room where it goes, or send it elsewhere; runs and their files are not concerned"),
      look_at_terminal(color_wish(words)), false);
}

}  // namespace
}  // namespace spar::host

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
  const int code = spar::host::run(words);
  return code == 0 && spar::host::unprinted() != 0 ? spar::host::report_unprinted(words) : code;
}
