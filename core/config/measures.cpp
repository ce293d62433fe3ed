#include "core/config/measures.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/base/text.hpp"

namespace spar::config {
namespace {

constexpr uint64_t kEveryWithoutBudget = 10'000;
constexpr uint64_t kEvaluationsPerBudget = 20;

/// A whole number that fits, or `fallback`.
uint32_t small(Section& section, const std::string& key, int64_t least, uint32_t fallback) {
  constexpr int64_t kMost = 1'000'000;
  const auto value = section.integer(key, least);
  if (!value) return fallback;
  if (*value <= kMost) return static_cast<uint32_t>(*value);
  section.out_of_range(*section.find(key), "<= " + std::to_string(kMost));
  return fallback;
}

/// Number at the beginning of `text`, which is advanced behind it.
std::optional<double> leading_number(std::string_view& text) {
  double value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || !std::isfinite(value)) return {};
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return value;
}

void skip_spaces(std::string_view& text) { text.remove_prefix(std::min(text.find_first_not_of(' '), text.size())); }

/// "30s", "2min", "1.5h", with a space or none before the unit.
std::optional<double> duration(std::string_view text) {
  const auto value = leading_number(text);
  skip_spaces(text);
  if (!value) return {};
  if (text == "s") return *value;
  if (text == "min") return *value * 60;
  if (text == "h") return *value * 3600;
  return {};
}

std::optional<Threshold> comparison(std::string_view text) {
  Threshold out;
  skip_spaces(text);
  const bool above = text.starts_with('>'), equal = text.substr(0, 2).ends_with('=');
  if (!above && !text.starts_with('<')) return {};
  text.remove_prefix(equal ? 2 : 1);
  skip_spaces(text);
  const auto value = leading_number(text);
  skip_spaces(text);
  if (!value || !text.empty()) return {};
  out.value = *value;
  out.op = above ? (equal ? Threshold::Op::at_least : Threshold::Op::above)
                 : (equal ? Threshold::Op::at_most : Threshold::Op::below);
  return out;
}

/// Metrics without quotes make tables of tables: eval.return.iqm = ".." is read like "eval.return.iqm" = "..".
void flatten(const Table& table, const std::string& prefix, std::vector<Entry>& out) {
  for (const auto& entry : table.entries) {
    const std::string key = prefix.empty() ? entry.key : prefix + "." + entry.key;
    if (const Table* inner = entry.value.table())
      flatten(*inner, key, out);
    else
      out.push_back({key, entry.place, entry.value});
  }
}

}  // namespace

EvalConfig read_eval(Section section, std::optional<uint64_t> budget) {
  EvalConfig out;
  out.every = budget ? std::max<uint64_t>(1, *budget / kEvaluationsPerBudget) : kEveryWithoutBudget;
  if (const auto every = section.integer("every", 1)) out.every = static_cast<uint64_t>(*every);
  out.episodes = small(section, "episodes", 1, out.episodes);
  section.refuse_unknown();
  return out;
}

CheckpointConfig read_checkpoint(Section section, const std::string& unit) {
  CheckpointConfig out;
  if (const Entry* every = section.find("every")) {
    const auto* text = std::get_if<std::string>(&every->value.data);
    const auto* steps = std::get_if<int64_t>(&every->value.data);
    if (steps && *steps < 1) {
      section.out_of_range(*every, "a duration or >= 1 " + unit);
    } else if (steps) {
      out.every_steps = static_cast<uint64_t>(*steps);
      out.every_seconds = 0;
    } else if (!text) {
      section.wrong_type(*every, "a duration such as \"2min\" or a number of " + unit + "s");
    } else if (const auto seconds = duration(*text); !seconds || *seconds <= 0) {
      section.add("E0212", describe(every->value) + " is not a duration", every->value.place,
                  "durations are a number > 0 and s, min or h: \"30s\", \"2min\", \"1.5h\"");
    } else {
      out.every_seconds = *seconds;
    }
  }
  Section keep = section.table("keep");
  out.keep_last = small(keep, "last", 1, out.keep_last);
  out.keep_best = small(keep, "best", 0, out.keep_best);
  keep.refuse_unknown();
  section.refuse_unknown();
  return out;
}

std::vector<Threshold> read_thresholds(Section section) {
  std::vector<Threshold> out;
  if (!section.raw()) return out;
  const std::vector<std::string> known(std::begin(kThresholdMetrics), std::end(kThresholdMetrics));
  std::vector<Entry> entries;
  flatten(*section.raw(), "", entries);
  for (const auto& entry : entries) {
    section.origins()["threshold." + entry.key] = entry.value.origin;
    const auto* text = std::get_if<std::string>(&entry.value.data);
    if (std::ranges::find(known, entry.key) == known.end()) {
      std::string note = did_you_mean(entry.key, known);
      section.add("E0203", "there is no metric `" + printable(entry.key) + "` for [threshold]",
                  with_note(entry.place, std::move(note)), "metrics: " + listing(known));
    } else if (!text) {
      section.wrong_type(entry, "a comparison such as \">= 475\"");
    } else if (auto threshold = comparison(*text)) {
      threshold->metric = entry.key;
      const auto same = std::ranges::find(out, entry.key, &Threshold::metric);
      if (same == out.end())
        out.push_back(*threshold);
      else
        *same = *threshold;
    } else {
      section.add("E0212", describe(entry.value) + " is not a comparison", entry.value.place,
                  "comparisons are >=, >, <= or < and a number: \">= 475\"");
    }
  }
  std::ranges::sort(out, {}, &Threshold::metric);
  return out;
}

bool Threshold::met(double measured) const {
  switch (op) {
    case Op::at_least:
      return measured >= value;
    case Op::above:
      return measured > value;
    case Op::at_most:
      return measured <= value;
    default:
      return measured < value;
  }
}

std::string Threshold::comparison() const {
  static constexpr const char* kOps[] = {">= ", "> ", "<= ", "< "};
  return kOps[static_cast<int>(op)] + toml_text(value);
}

}  // namespace spar::config
