#include "core/config/section.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/text.hpp"

namespace spar::config {

Place with_note(Place place, std::string note) {
  place.caret_note = std::move(note);
  return place;
}

std::string nearest_key(std::string_view name, std::span<const std::string> candidates) {
  // Our word for a setting and what others call it; `lr` is a part of longer names too.
  static constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"lr", "learning_rate"},          {"gamma", "discount"},  {"gamma", "discount_factor"},  {"tau", "polyak"},
      {"env_steps", "total_timesteps"}, {"env_steps", "steps"}, {"warm_up", "learning_starts"}};
  std::vector<std::string> spellings(candidates.begin(), candidates.end()), meant = spellings;
  for (const auto& candidate : candidates)
    for (const auto& [ours, theirs] : kWords)
      if (candidate == ours || candidate.ends_with("_" + std::string(ours))) {
        spellings.push_back(candidate.substr(0, candidate.size() - ours.size()) + std::string(theirs));
        meant.push_back(candidate);
      }
  const std::string near = nearest(name, spellings);
  const auto found = std::ranges::find(spellings, near);
  return near.empty() ? "" : meant[static_cast<size_t>(found - spellings.begin())];
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
  const std::string near = nearest_key(name, candidates);
  return near.empty() ? "" : "did you mean `" + near + "`?";
}

std::string Section::path(std::string_view key) const {
  return name_.empty() ? std::string(key) : name_ + "." + std::string(key);
}

std::string Section::subject(std::string_view key) const {
  const std::string quoted = "`" + printable(key) + "`";
  return name_.empty() ? quoted : quoted + " in [" + name_ + "]";
}

void Section::add(std::string code, const std::string& sentence, Place place, std::string help) {
  problems_.add(Error(std::move(code), Exit::usage, sentence).at(std::move(place)).help(std::move(help)));
}

void Section::missing(const std::string& key, std::string_view what, std::string help) {
  add("E0206", subject(key) + " is missing: " + std::string(what), place_, std::move(help));
}

void Section::wrong_type(const Entry& entry, std::string_view expected) {
  add("E0204", "expected " + std::string(expected) + " for " + subject(entry.key) + ", found " + describe(entry.value),
      entry.value.place);
}

void Section::out_of_range(const Entry& entry, std::string_view expected) {
  add("E0205", subject(entry.key) + " must be " + std::string(expected) + ", found " + describe(entry.value),
      entry.value.place);
}

const Entry* Section::find(const std::string& key) {
  if (std::ranges::find(known_, key) == known_.end()) known_.push_back(key);
  const Entry* entry = table_ ? table_->find(key) : nullptr;
  if (entry) origins_[path(key)] = entry->value.origin;
  return entry;
}

std::optional<int64_t> Section::integer(const std::string& key, int64_t least) {
  const Entry* entry = find(key);
  if (!entry) return {};
  const auto* value = std::get_if<int64_t>(&entry->value.data);
  if (!value)
    wrong_type(*entry, "an integer");
  else if (*value < least)
    out_of_range(*entry, ">= " + std::to_string(least));
  else
    return *value;
  return {};
}

std::optional<double> Section::real(const std::string& key) {
  const Entry* entry = find(key);
  if (!entry) return {};
  if (const auto* whole = std::get_if<int64_t>(&entry->value.data)) return static_cast<double>(*whole);
  const auto* value = std::get_if<double>(&entry->value.data);
  if (!value)
    wrong_type(*entry, "a number");
  else if (!std::isfinite(*value))
    out_of_range(*entry, "finite");
  else
    return *value;
  return {};
}

std::optional<std::string> Section::text(const std::string& key) {
  const Entry* entry = find(key);
  if (!entry) return {};
  if (const auto* value = std::get_if<std::string>(&entry->value.data)) return *value;
  wrong_type(*entry, "a text");
  return {};
}

const Array* Section::list(const std::string& key, std::string_view of) {
  const Entry* entry = find(key);
  if (!entry) return nullptr;
  if (const Array* value = entry->value.array()) return value;
  wrong_type(*entry, "a list of " + std::string(of));
  return nullptr;
}

Section Section::table(const std::string& key) {
  const Entry* entry = find(key);
  if (entry && !entry->value.table()) wrong_type(*entry, "a table");
  if (!entry || !entry->value.table()) return {nullptr, path(key), place_, problems_, origins_};
  origins_.erase(path(key));
  return {entry->value.table(), path(key), entry->value.place, problems_, origins_};
}

void Section::refuse_unknown() {
  if (!table_) return;
  for (const auto& entry : table_->entries) {
    if (std::ranges::find(known_, entry.key) != known_.end()) continue;
    const bool section = name_.empty() && entry.value.table();
    std::string note = did_you_mean(entry.key, known_);
    if (note.empty()) note = "known here: " + listing(known_);
    if (section)
      add("E0202", "unknown section [" + printable(entry.key) + "]", with_note(entry.place, note));
    else
      add("E0203", "unknown key " + subject(entry.key), with_note(entry.place, note));
  }
}

}  // namespace spar::config
