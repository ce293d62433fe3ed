// [stop]: conditions that end a run.
#include <algorithm>
#include <array>
#include <span>

#include "core/base/text.hpp"
#include "core/config/measures.hpp"

namespace spar::config {
namespace {

using Measure = Condition::Measure;

constexpr int64_t kMaxWhole = int64_t{1} << 53;  // doubles hold every integer up to here
constexpr std::array kMeasures = {Measure::env_steps, Measure::train_steps, Measure::episodes,
                                  Measure::seconds,   Measure::eval_return, Measure::no_improvement};
constexpr std::array kSolveMeasures = {Measure::iterations, Measure::exploitability, Measure::seconds};
// No seconds: a response must come out the same when it is learnt again.
constexpr std::array kResponseMeasures = {Measure::env_steps, Measure::train_steps, Measure::episodes};
constexpr double kResponseSteps = 10'000;
using Measures = std::span<const Measure>;

std::vector<std::string> measure_names(Measures measures) {
  std::vector<std::string> out;
  for (const Measure measure : measures) out.push_back(name(measure));
  return out;
}

void read_value(Section& section, Condition& condition) {
  const std::string key = name(condition.measure);
  if (condition.measure == Measure::eval_return) {
    condition.value = section.real(key).value_or(0);
  } else if (condition.measure == Measure::exploitability) {
    condition.value = section.real(key).value_or(0);
    if (condition.value < 0) section.out_of_range(*section.find(key), ">= 0");
  } else if (condition.measure == Measure::seconds) {
    condition.value = section.real(key).value_or(1);
    if (condition.value <= 0) section.out_of_range(*section.find(key), "> 0");
  } else {
    const int64_t whole = section.integer(key, 1).value_or(1);
    if (whole > kMaxWhole) section.out_of_range(*section.find(key), "<= 2^53");
    condition.value = static_cast<double>(whole);
  }
}

/// Nothing if the item is not a condition; the problem is recorded.
std::optional<Condition> read_condition(Section& stop, const Value& item, Measures known) {
  if (!item.table()) {
    stop.add("E0204", "expected a condition, e.g. { " + name(known.front()) + " = 20_000 }, found " + describe(item),
             item.place);
    return {};
  }
  Origins ignored;  // the list has one origin
  Section section(item.table(), stop.name(), item.place, stop.problems(), ignored);
  std::vector<const Entry*> measures;
  std::optional<Condition> out;
  for (const Measure measure : known) {
    const Entry* entry = section.find(name(measure));
    if (!entry) continue;
    measures.push_back(entry);
    if (measures.size() > 1) continue;
    out = Condition{measure, 0, 1};
    read_value(section, *out);
  }
  if (measures.size() > 1)
    stop.add("E0211", "a condition has one measure, found `" + measures[0]->key + "` and `" + measures[1]->key + "`",
             item.place, "write one { .. } for each; a list under `all` wants them together");
  const bool evaluates = std::ranges::find(known, Measure::eval_return) != known.end();
  if (const auto consecutive = evaluates ? section.integer("for", 1) : std::nullopt) {
    if (out && out->measure != Measure::eval_return)
      stop.add("E0211", "`for` counts evaluations in a row and belongs to `eval_return` only",
               section.find("for")->place);
    else if (*consecutive > 1'000'000)
      section.out_of_range(*section.find("for"), "<= 1000000");
    else if (out)
      out->consecutive = static_cast<uint32_t>(*consecutive);
  }
  section.refuse_unknown();
  if (!out && item.table()->find("for") && item.table()->entries.size() == 1)
    stop.add("E0206", "the condition names no measure", item.place, "measures: " + listing(measure_names(known)));
  if (!out && item.table()->entries.empty())
    stop.add("E0206", "the condition is empty", item.place, "measures: " + listing(measure_names(known)));
  return out;
}

std::vector<Condition> read_list(Section& section, const std::string& key, Measures known) {
  std::vector<Condition> out;
  if (const Array* items = section.list(key, "conditions, e.g. [ { " + name(known.front()) + " = 20_000 } ]"))
    for (const auto& item : *items)
      if (const auto condition = read_condition(section, item, known)) out.push_back(*condition);
  return out;
}

}  // namespace

std::string name(Measure measure) {
  switch (measure) {
    case Measure::env_steps:
      return "env_steps";
    case Measure::train_steps:
      return "train_steps";
    case Measure::episodes:
      return "episodes";
    case Measure::seconds:
      return "seconds";
    case Measure::eval_return:
      return "eval_return";
    case Measure::iterations:
      return "iterations";
    case Measure::exploitability:
      return "exploitability";
    default:
      return "no_improvement";
  }
}

namespace {

std::optional<uint64_t> budget_of(const StopConfig& stop, Measure measure) {
  std::optional<uint64_t> smallest, largest;
  for (const auto& condition : stop.any)
    if (condition.measure == measure) {
      const auto steps = static_cast<uint64_t>(condition.value);
      smallest = std::min(smallest.value_or(steps), steps);
    }
  for (const auto& condition : stop.all)
    if (condition.measure == measure) largest = std::max(largest.value_or(0), static_cast<uint64_t>(condition.value));
  return smallest ? smallest : largest;
}

}  // namespace

std::optional<uint64_t> StopConfig::budget() const { return budget_of(*this, Measure::env_steps); }
std::optional<uint64_t> StopConfig::iterations() const { return budget_of(*this, Measure::iterations); }

namespace {

/// `what` ends by them; `may_be_empty`: nothing needs to be said.
StopConfig read_lists(Section& section, Measures known, const std::string& what, bool may_be_empty) {
  StopConfig out;
  out.any = read_list(section, "any", known);
  out.all = read_list(section, "all", known);
  const auto empty = [&](const char* key) {
    const Entry* entry = section.find(key);
    return !entry || (entry->value.array() && entry->value.array()->empty());
  };
  // Measures directly under [stop] read well and say nothing about any and all: refused with the way to write them.
  bool direct = false;
  for (const Measure measure : known) {
    const std::string key = name(measure);
    if (!section.raw() || !section.raw()->find(key)) continue;
    const Entry& entry = *section.find(key);
    section.add("E0203", "unknown key " + section.subject(key), entry.place,
                "conditions are lists: any = [ { " + key + " = " + toml_text(entry.value) + " } ]");
    direct = true;
  }
  if (may_be_empty && !section.find("any") && !section.find("all")) return out;
  if (!direct && empty("any") && empty("all"))
    section.missing("any", "nothing says when " + what + " ends",
                    "e.g. " + section.name() + " = { any = [ { " + name(known.front()) + " = 20_000 } ] }");
  return out;
}

}  // namespace

StopConfig read_stop(Section section, bool solves, StopConfig* training, bool league) {
  StopConfig out = read_lists(section, solves ? Measures(kSolveMeasures) : Measures(kMeasures), "the run", false);
  if (training) {
    Section inner = section.table("training");
    *training = read_lists(inner, kResponseMeasures, league ? "a phase" : "a response", !league);
    inner.refuse_unknown();
    if (!league && training->any.empty() && training->all.empty())
      training->any.push_back({Measure::env_steps, kResponseSteps, 1});
  }
  section.refuse_unknown();
  return out;
}

}  // namespace spar::config
