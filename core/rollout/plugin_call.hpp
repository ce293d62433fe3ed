// Calling a plugin: one place that turns a status into an Error which names the component, the call and the remedy.
#pragma once

#include <string>
#include <string_view>

#include "core/base/error.hpp"
#include "spar/abi.h"

namespace spar::rollout {

/// Throws if `status` is negative: E0701, exit code 5; SPAR_E_INVALID and SPAR_E_UNSUPPORTED from `create`, `open`
/// or `set_groups` are configuration problems: E0702, exit code 2.
[[noreturn]] void fail_call(std::string_view component, std::string_view call, spar_status status,
                            const spar_error& error);

/// call_plugin("algorithm dqn", "learn", [&](spar_error* e) { return table.learn(self, step, e); });
template <class Call>
void call_plugin(std::string_view component, std::string_view name, Call&& call) {
  spar_error error;
  error.struct_size = sizeof error;
  error.code = SPAR_OK;
  error.message[0] = '\0';
  const spar_status status = call(&error);
  if (status < 0) [[unlikely]] {
    error.message[sizeof error.message - 1] = '\0';
    fail_call(component, name, status, error);
  }
}

}  // namespace spar::rollout
