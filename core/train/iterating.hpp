// Whole runs that go by iterations, of solving a game or of a league: the counterparts of session.hpp, with the same
// results, files and observers. A step is one iteration.
#pragma once

#include <boost/json/object.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/bytes.hpp"
#include "core/train/session.hpp"

namespace spar::train {

/// What such a run computes.
class Iterated {
 public:
  virtual ~Iterated() = default;

  virtual uint64_t iterations() const = 0;
  /// False if `cancelled` said true on the way: then nothing has changed.
  virtual bool iterate(const std::function<bool()>& cancelled) = 0;
  /// Does a metrics line belong to this iteration?
  virtual bool is_logged(uint64_t iteration) const = 0;
  /// The newest iteration's line: names and values.
  virtual std::vector<std::pair<std::string, double>> measure() = 0;
  /// As measured last; none: not known.
  virtual std::optional<double> exploitability() const = 0;

  virtual Estimate needs() const = 0;
  virtual std::vector<std::string> backends() const = 0;  ///< of networks, sorted
  /// What the summary tells of it beside status, iterations and seconds.
  virtual void summarise(run::Summary& summary) const = 0;
  virtual std::string parameters_sha256() const = 0;
  /// For pictures and for play: names and contents.
  virtual std::vector<std::pair<std::string, boost::json::object>> files() const = 0;

  virtual const char* section() const = 0;  ///< of a checkpoint: what save() writes
  virtual void save(ByteWriter& writer) const = 0;
  virtual void load(ByteReader& reader) = 0;
};
using MakeIterated = std::function<std::unique_ptr<Iterated>()>;

/// As train(), with what `make` makes.
SessionResult begin_iterating(const MakeIterated& make, const Host& host, const config::Experiment& experiment,
                              const run::RunDirectory& directory, const std::vector<std::string>& arguments,
                              Observer& observer);

/// As resume(), bit for bit; settings cannot be changed.
SessionResult continue_iterating(const MakeIterated& make, const Host& host, const config::Experiment& experiment,
                                 const run::RunDirectory& directory, const ResumeRequest& request, Observer& observer);

}  // namespace spar::train
