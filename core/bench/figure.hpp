// A measured number beside the limit that it is held against.
#pragma once

#include <cmath>
#include <limits>
#include <string>

namespace spar::bench {

enum class Verdict {
  none,   ///< nothing to hold it against
  met,    ///< ratio <= budget
  near,   ///< above the budget, but no more than the noise of a shared machine explains
  missed  ///< beyond that
};

/// How far beyond its budget a ratio may be before a check fails: what runs on a busy two-core machine spread by.
inline constexpr double kNoise = 1.15;

struct Figure {
  std::string group = {};  ///< "update", "replay", ..
  std::string name = {};
  double value = 0;
  std::string unit = {};
  double limit = std::numeric_limits<double>::quiet_NaN();   ///< in the same unit; NaN: none
  std::string limit_name = {};                               ///< what the limit is
  double budget = std::numeric_limits<double>::quiet_NaN();  ///< largest value / limit to hold; NaN: none

  /// Largest ratio that a check lets pass, where the budget is not met yet; NaN: the budget and the noise.
  double held = std::numeric_limits<double>::quiet_NaN();

  double ratio() const { return value / limit; }
  Verdict verdict() const {
    if (!(budget > 0) || !(ratio() > 0)) return Verdict::none;
    if (ratio() <= budget) return Verdict::met;
    return ratio() <= budget * kNoise ? Verdict::near : Verdict::missed;
  }
  /// Has something been lost that was there before?
  bool lost() const { return verdict() == Verdict::missed && !(ratio() <= held); }
};

inline const char* name_of(Verdict verdict) {
  constexpr const char* kNames[] = {"", "met", "near", "missed"};
  return kNames[static_cast<int>(verdict)];
}

}  // namespace spar::bench
