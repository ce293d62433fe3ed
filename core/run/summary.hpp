// The last line of `train` and `resume` with --json, kept in the run's manifest.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/run/statistics.hpp"

namespace spar::run {

struct Summary {
  struct Best {
    double eval_return = 0;
    uint64_t step = 0;
    bool operator==(const Best&) const = default;
  };

  std::string run;               ///< directory of the run
  std::optional<uint64_t> seed;  ///< only in the elements of `seeds`
  std::string status;            ///< completed | stopped | failed | preempted
  std::string stop_reason;
  uint64_t env_steps = 0;
  double seconds = 0;
  double steps_per_second = 0;
  std::optional<EvalStatistics> eval;  ///< of the last evaluation; null if there was none
  std::optional<Best> best;            ///< null if there was no evaluation
  std::string parameters_sha256;
  std::optional<std::string> error;  ///< the first cause, as one sentence
  std::optional<double> nash_conv, exploitability;
  std::optional<double> elo;  ///< of a league's first main agent
  std::optional<uint64_t> iterations;
  std::vector<Summary> seeds;  ///< one each if the run has several; this one is then their aggregate

  bool operator==(const Summary&) const = default;
};

/// {"event":"end","run":..,"status":..,..}: keys in the order above. What is absent from the run's kind (seed, seeds,
/// nash_conv, exploitability, elo, iterations) is left out; absent eval, best and error are null.
boost::json::object to_json(const Summary& summary);

/// Throws E0606 naming `file` and the key that is missing or has the wrong type. Unknown keys are ignored.
Summary summary_from_json(const boost::json::object& object, std::string_view file);

/// {"mean":..,"iqm":..,"ci":[low,high],"episodes":..,"std":..,"min":..,"max":..}: also the "return" of a line of
/// eval.jsonl.
boost::json::object to_json(const EvalStatistics& statistics);

}  // namespace spar::run
