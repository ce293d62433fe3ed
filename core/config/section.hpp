// Reading one table of a configuration: typed values, their origins, and an error for everything that does not fit.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/config/problems.hpp"
#include "core/config/value.hpp"

namespace spar::config {

/// A reader of one table. Getters answer nothing for a key that is absent and for one whose value is refused (then the
/// problem is recorded); each key that is asked for counts as known, and its origin is kept.
class Section {
 public:
  /// `name` is the section's path, "" for the whole configuration. `table` may be null (section absent).
  Section(const Table* table, std::string name, Place place, Problems& problems, Origins& origins)
      : table_(table), name_(std::move(name)), place_(std::move(place)), problems_(problems), origins_(origins) {}

  const Entry* find(const std::string& key);
  std::optional<int64_t> integer(const std::string& key, int64_t least);
  std::optional<double> real(const std::string& key);
  std::optional<std::string> text(const std::string& key);
  const Array* list(const std::string& key, std::string_view of);
  Section table(const std::string& key);

  /// Every key that was not asked for is unknown: E0203 with the nearest known one.
  void refuse_unknown();

  /// Records E0206 at this section.
  void missing(const std::string& key, std::string_view what, std::string help);
  void wrong_type(const Entry& entry, std::string_view expected);
  void out_of_range(const Entry& entry, std::string_view expected);
  void add(std::string code, const std::string& sentence, Place place, std::string help = "");

  bool present() const { return table_ != nullptr; }
  const Table* raw() const { return table_; }
  const Place& place() const { return place_; }
  const std::string& name() const { return name_; }  ///< "algorithm"
  std::string path(std::string_view key) const;      ///< "algorithm.lr"
  std::string subject(std::string_view key) const;   ///< "`lr` in [algorithm]"
  Problems& problems() { return problems_; }
  Origins& origins() { return origins_; }

 private:
  const Table* table_;
  std::string name_;
  Place place_;
  std::vector<std::string> known_;
  Problems& problems_;
  Origins& origins_;
};

/// `place` with a note beside its caret.
Place with_note(Place place, std::string note);

/// The candidate that was most likely meant, or "": near in spelling, or another usual word for it
/// (`actor_learning_rate` for `actor_lr`).
std::string nearest_key(std::string_view name, std::span<const std::string> candidates);

/// "did you mean `x`?", or "" if no candidate is near.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

}  // namespace spar::config
