// JSON from elsewhere: notes of plugins, and what the schema cache and spar-worker say. Refused with a reason, or read
// into what is written and read again as the same.
#include <boost/json.hpp>

#include "core/plugin/note.hpp"
#include "core/plugin/refusal.hpp"
#include "core/plugin/schema_json.hpp"

using namespace spar;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto note = plugin::parse_note(text);
  if (const auto* refusal = std::get_if<plugin::Refusal>(&note); refusal && refusal->reason.empty()) __builtin_trap();

  boost::system::error_code failure;
  const boost::json::value value = boost::json::parse(boost::json::string_view(text.data(), text.size()), failure);
  if (failure) return 0;
  try {
    const auto written = plugin::components_to_json(plugin::components_from_json(value));
    if (plugin::components_to_json(plugin::components_from_json(written)) != written) __builtin_trap();
  } catch (const plugin::Refusal& refusal) {
    if (refusal.reason.empty()) __builtin_trap();
  }
  return 0;
}
