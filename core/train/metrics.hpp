// Metrics of a run between two log lines: recording is an addition, formatting happens when a line is written.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.hpp"

namespace spar::train {

class Metrics {
 public:
  /// `kind`: SPAR_METRIC_*. The same name gives the same id (from 1); 0 if the name is empty.
  uint32_t define(std::string_view name, uint32_t kind, std::string_view unit);

  void record(uint32_t id, uint64_t step, double value) {
    Entry& entry = entries_[id - 1];
    entry.sum += value;
    entry.last = entry.newest = value;
    ++entry.count;
    if (!(value - value == 0.0) && !broken_) broken_ = Broken{id, step, value};
  }

  struct Value {
    std::string_view name;
    double value;
  };
  /// What was recorded since the last call, in order of definition; metrics without a record are left out.
  std::vector<Value> drain();
  /// The newest value of each metric that was ever recorded, drained or not, in order of definition.
  std::vector<Value> newest() const;

  /// Moves what `other` recorded here, as if it had been recorded after all that is here already.
  void absorb(Metrics& other);

  /// The first value that was not finite, if any: the run must stop before anything is published.
  struct Broken {
    uint32_t id;
    uint64_t step;
    double value;
  };
  const std::optional<Broken>& broken() const { return broken_; }
  /// "the metric `loss/q` became NaN at step 30"; only if there is one.
  std::string broken_text() const;
  const std::string& name(uint32_t id) const { return entries_[id - 1].name; }
  size_t size() const { return entries_.size(); }

  void save(ByteWriter& writer) const;
  void load(ByteReader& reader);

 private:
  struct Entry {
    std::string name;
    uint32_t kind = 0;
    uint64_t count = 0;
    double sum = 0, last = 0;
    double newest = std::numeric_limits<double>::quiet_NaN();  ///< NaN: never recorded
  };
  std::vector<Entry> entries_;
  std::optional<Broken> broken_;
};

}  // namespace spar::train
