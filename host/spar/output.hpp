// Lines for people and for machines.
#pragma once

#include <boost/json/object.hpp>
#include <string>

#include "core/base/error.hpp"
#include "host/spar/terminal.hpp"

namespace spar::host {

/// One line on standard output, at once.
void print_json(const boost::json::object& event);
/// To standard output as it is.
void print(const std::string& text);
/// 0, or the errno of the first text that standard output did not take; a reader that went away does not count.
int unprinted();
/// To standard error as it is.
void print_error(const std::string& text);

/// {"event":"error","code":..,"message":..,"file":..,"line":..,"column":..,"help":..,"exit":..}; what is not known is
/// left out.
boost::json::object to_json(const Error& error);

/// The error on standard error, and with `json` on standard output too; returns its exit code.
int report(const Error& error, const Terminal& terminal, bool json);

}  // namespace spar::host
