// Errors that a person reads: one sentence, the place, the remedy, and the exit code of the program.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>

namespace spar {

/// Exit codes of the programs; part of the command line's contract.
enum class Exit : int {
  ok = 0,
  failed = 1,        ///< the run failed
  usage = 2,         ///< usage or configuration
  plugin = 3,        ///< plugin load or ABI
  threshold = 4,     ///< a threshold was not met
  crash = 5,         ///< an environment or a plugin crashed
  preempted = 75,    ///< saved on a signal, resumable
  interrupted = 130  ///< saved on Ctrl-C, resumable
};

/// Where in a file (or on the command line) an error is.
struct Place {
  std::string file;        ///< path, or "command line"
  int line = 0;            ///< from 1; 0 = the whole file
  int column = 0;          ///< from 1
  int length = 1;          ///< characters to underline
  std::string source;      ///< text of that line, for the caret
  std::string caret_note;  ///< what stands beside the caret, e.g. "did you mean `lr`?"
};

/// `code` is stable ("E0203", see `spar explain`); what() is the sentence without code, place or help.
class Error : public std::runtime_error {
 public:
  Error(std::string code, Exit exit, const std::string& message)
      : runtime_error(message), code_(std::move(code)), exit_(exit) {}

  Error&& at(Place place) && {
    place_ = std::move(place);
    return std::move(*this);
  }
  Error&& help(std::string text) && {
    help_ = std::move(text);
    return std::move(*this);
  }

  const std::string& code() const { return code_; }
  Exit exit() const { return exit_; }
  const std::optional<Place>& place() const { return place_; }
  const std::string& help() const { return help_; }

  /// The whole message as printed on a terminal: error[code]: sentence, place, caret, help.
  std::string render(bool color = false) const;

 private:
  std::string code_;
  Exit exit_;
  std::optional<Place> place_;
  std::string help_;
};

}  // namespace spar
