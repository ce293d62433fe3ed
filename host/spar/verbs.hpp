// The verbs of the command line. Each has a file of its own.
#pragma once

#include <span>
#include <string_view>

#include "host/spar/arguments.hpp"
#include "host/spar/terminal.hpp"

namespace spar::host {

struct Option {
  std::string_view name;   ///< long name without dashes
  std::string_view value;  ///< name of its value in the usage; "" = a flag
  std::string_view doc;
};

struct Verb {
  std::string_view name;
  std::string_view usage;    ///< behind "spar "
  std::string_view summary;  ///< one line
  std::span<const Option> options;
  std::string_view examples;  ///< lines
  int (*run)(const Arguments&, const Terminal&);
};

/// All verbs that are offered, in the order of the help.
std::span<const Verb> verbs();
/// Null if there is none.
const Verb* find_verb(std::string_view name);
/// Verbs that belong to the contract of the command line and are not offered yet.
std::span<const std::string_view> later_verbs();

int run_train(const Arguments&, const Terminal&);
int run_resume(const Arguments&, const Terminal&);
int run_eval(const Arguments&, const Terminal&);
int run_play(const Arguments&, const Terminal&);
int run_check(const Arguments&, const Terminal&);
int run_explain(const Arguments&, const Terminal&);
int run_plugin(const Arguments&, const Terminal&);
int run_runs(const Arguments&, const Terminal&);
int run_bench(const Arguments&, const Terminal&);
int run_doctor(const Arguments&, const Terminal&);
int run_help(const Arguments&, const Terminal&);

}  // namespace spar::host
