// Why a plugin is not used: shown by `spar plugin list --all`, and by whatever names one of its components.
#pragma once

#include <string>

namespace spar::plugin {

/// `reason` completes a sentence that starts with the file's name ("is a symbolic link"); `remedy` says what to do, or
/// is empty.
struct Refusal {
  std::string reason, remedy;
};

}  // namespace spar::plugin
