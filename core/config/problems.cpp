#include "core/config/problems.hpp"

#include <algorithm>
#include <tuple>

namespace spar::config {
namespace {

auto position(const Error& error) {
  const Place place = error.place().value_or(Place{});
  return std::tuple(place.file == "command line", place.file, place.line, place.column);
}

Error first_of(const std::vector<Error>& errors) {
  std::string help = errors.front().help();
  for (size_t i = 1; i < errors.size(); ++i) {
    if (!help.empty()) help += "\n   = ";
    help += "also error[" + errors[i].code() + "]";
    if (const auto& place = errors[i].place()) {
      help += " at " + place->file;
      if (place->line > 0) help += ":" + std::to_string(place->line) + ":" + std::to_string(place->column);
    }
    help += ": " + std::string(errors[i].what());
  }
  return Error(errors.front()).help(std::move(help));
}

}  // namespace

Errors::Errors(std::vector<Error> sorted) : Error(first_of(sorted)), all_(std::move(sorted)) {}

void Problems::throw_if_any() {
  if (errors_.empty()) return;
  if (errors_.size() == 1) throw Error(errors_.front());
  std::ranges::stable_sort(errors_, [](const Error& a, const Error& b) { return position(a) < position(b); });
  throw Errors(std::move(errors_));
}

}  // namespace spar::config
