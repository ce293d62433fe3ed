#include "core/rollout/plugin_call.hpp"

#include "core/base/text.hpp"

namespace spar::rollout {

void fail_call(std::string_view component, std::string_view call, spar_status status, const spar_error& error) {
  std::string text = printable(error.message);
  if (text.empty()) text = "it gave no reason (status " + std::to_string(status) + ")";
  const bool configuration = (call == "create" || call == "open" || call == "set_groups") &&
                             (status == SPAR_E_INVALID || status == SPAR_E_UNSUPPORTED);
  if (configuration) throw Error("E0702", Exit::usage, std::string(component) + ": " + text);
  throw Error("E0701", Exit::crash, std::string(component) + " failed in " + std::string(call) + "(): " + text);
}

}  // namespace spar::rollout
