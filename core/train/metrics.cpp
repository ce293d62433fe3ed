#include "core/train/metrics.hpp"

#include <cmath>
#include <utility>

#include "spar/abi.h"

namespace spar::train {

uint32_t Metrics::define(std::string_view name, uint32_t kind, std::string_view) {
  if (name.empty()) return 0;
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (entries_[i].name == name) return static_cast<uint32_t>(i + 1);
  }
  entries_.push_back({std::string(name), kind});
  return static_cast<uint32_t>(entries_.size());
}

std::vector<Metrics::Value> Metrics::drain() {
  std::vector<Value> values;
  for (Entry& entry : entries_) {
    if (entry.count == 0) continue;
    const double value = entry.kind == SPAR_METRIC_LAST  ? entry.last
                         : entry.kind == SPAR_METRIC_SUM ? entry.sum
                                                         : entry.sum / static_cast<double>(entry.count);
    values.push_back({entry.name, value});
    entry.count = 0;
    entry.sum = entry.last = 0;
  }
  return values;
}

std::vector<Metrics::Value> Metrics::newest() const {
  std::vector<Value> values;
  for (const Entry& entry : entries_) {
    if (!std::isnan(entry.newest)) values.push_back({entry.name, entry.newest});
  }
  return values;
}

void Metrics::absorb(Metrics& other) {
  for (Entry& from : other.entries_) {
    if (from.count == 0) continue;
    Entry& to = entries_[define(from.name, from.kind, "") - 1];
    to.count += std::exchange(from.count, 0);
    to.sum += std::exchange(from.sum, 0);
    to.last = std::exchange(from.last, 0);
    to.newest = from.newest;
  }
  if (other.broken_ && !broken_)
    broken_ =
        Broken{define(other.name(other.broken_->id), SPAR_METRIC_MEAN, ""), other.broken_->step, other.broken_->value};
}

std::string Metrics::broken_text() const {
  return "the metric `" + name(broken_->id) + "` became " + (std::isnan(broken_->value) ? "NaN" : "infinite") +
         " at step " + std::to_string(broken_->step);
}

void Metrics::save(ByteWriter& writer) const {
  writer.put<uint64_t>(entries_.size());
  for (const Entry& entry : entries_) {
    writer.text(entry.name);
    writer.put(entry.kind);
    writer.put(entry.count);
    writer.put(entry.sum);
    writer.put(entry.last);
    writer.put(entry.newest);
  }
}

void Metrics::load(ByteReader& reader) {
  for (auto n = reader.get<uint64_t>(); n > 0; --n) {
    const std::string name = reader.text();
    const auto kind = reader.get<uint32_t>();
    Entry& entry = entries_[define(name, kind, "") - 1];
    entry.count = reader.get<uint64_t>();
    entry.sum = reader.get<double>();
    entry.last = reader.get<double>();
    entry.newest = reader.get<double>();
  }
}

}  // namespace spar::train
