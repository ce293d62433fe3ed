// Components as JSON: what spar-worker prints and what the schema cache keeps.
#pragma once

#include <boost/json/fwd.hpp>
#include <vector>

#include "core/config/schema.hpp"

namespace spar::plugin {

/// Bounds are written as text, so that they come back bit for bit.
boost::json::value components_to_json(const std::vector<config::Component>& components);

/// The inverse. Throws Refusal, whose reason names the part that is missing or of the wrong type.
std::vector<config::Component> components_from_json(const boost::json::value& value);

}  // namespace spar::plugin
