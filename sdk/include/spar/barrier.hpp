// The only place where C++ exceptions meet the contract.
#pragma once

#include <cstdio>
#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

#include "spar/abi.h"

namespace spar {

/// A failure with the status that crosses the border. what(): one sentence with what was expected, what was found and
/// the remedy; at most 503 bytes of it arrive.
struct StatusError : std::runtime_error {
  StatusError(spar_status status, const std::string& message) : std::runtime_error(message), code(status) {}
  spar_status code;
};

inline spar_str str(std::string_view text) { return {text.data(), text.size()}; }
inline std::string_view view(spar_str text) { return {text.ptr, static_cast<size_t>(text.len)}; }

/// Writes code and text into the caller's error, if it brought one.
inline spar_status report(spar_error* error, spar_status code, const char* message) noexcept {
  if (error && error->struct_size >= sizeof(spar_error)) {
    error->code = code;
    std::snprintf(error->message, sizeof error->message, "%s", message);
  }
  return code;
}

/// Runs `body` and turns whatever it throws into a status and a message.
template <class Body>
spar_status barrier(spar_error* error, Body&& body) noexcept {
  try {
    body();
    return SPAR_OK;
  } catch (const StatusError& e) {
    return report(error, e.code, e.what());
  } catch (const std::bad_alloc&) {
    return report(error, SPAR_E_NOMEM, "out of memory");
  } catch (const std::invalid_argument& e) {
    return report(error, SPAR_E_INVALID, e.what());
  } catch (const std::exception& e) {
    return report(error, SPAR_E_INTERNAL, e.what());
  } catch (...) {
    return report(error, SPAR_E_INTERNAL, "an exception that is not a std::exception");
  }
}

/// An error to hand to the other side.
inline spar_error fresh_error() {
  spar_error error;  // the rest of the message is not worth the time
  error.struct_size = sizeof error;
  error.code = SPAR_OK;
  error.message[0] = '\0';
  return error;
}

/// Throws what the other side reported.
inline void check(spar_status status, const spar_error& error) {
  if (status < 0) throw StatusError(status, error.message[0] ? error.message : "failed without a message");
}

}  // namespace spar
