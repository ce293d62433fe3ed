// Figures as lines of a table for people.
#pragma once

#include "core/bench/figure.hpp"

namespace spar::bench {

/// The names of the columns, with the end of the line.
std::string table_head();
/// Name, value, limit, ratio, budget, verdict and what the limit is; what is not known is left out.
std::string table_line(const Figure& figure);

}  // namespace spar::bench
