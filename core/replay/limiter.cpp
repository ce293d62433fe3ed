#include "core/replay/limiter.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/error.hpp"

namespace spar::replay {

Limiter::Limiter(const Options& options) : options_(options) {
  if (!std::isfinite(options.samples_per_insert) || options.samples_per_insert < 0)
    throw Error("E0807", Exit::usage,
                "the rate limiter needs a finite number of samples per insert of at least 0, found " +
                    std::to_string(options.samples_per_insert))
        .help("set samples_per_insert, 0 to switch the limiter off");
  slack_ = std::max({options.samples_per_insert * static_cast<double>(options.rows_per_insert),
                     static_cast<double>(options.rows_per_sample), options.slack});
}

double Limiter::lead(uint64_t inserted, uint64_t sampled) const {
  const double start = static_cast<double>(options_.min_size) * options_.samples_per_insert;
  return static_cast<double>(inserted) * options_.samples_per_insert - static_cast<double>(sampled) - start;
}

bool Limiter::can_insert(uint64_t rows) const {
  if (options_.samples_per_insert == 0 || counters_.inserted < options_.min_size) return true;
  return lead(counters_.inserted + rows, counters_.sampled) <= slack_;
}

bool Limiter::can_sample(uint64_t rows) const {
  if (counters_.inserted < options_.min_size) return false;
  if (options_.samples_per_insert == 0) return true;
  return lead(counters_.inserted, counters_.sampled + rows) >= -slack_;
}

}  // namespace spar::replay
