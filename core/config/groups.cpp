#include "core/config/groups.hpp"

#include <algorithm>

#include "core/base/text.hpp"

namespace spar::config {
namespace {

constexpr size_t kLongest = 100;

/// No dots: `group.NAME.key` addresses its settings.
bool is_group_name(std::string_view text) {
  return !text.empty() && text.size() <= kLongest && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

/// Where a group stands: its name, which is what people look for.
Place place_of(const Value& group) {
  const Table* table = group.table();
  const Entry* name = table ? table->find("name") : nullptr;
  return name ? name->value.place : group.place;
}

std::string name_of(const Table& table) {
  const Entry* entry = table.find("name");
  const auto* text = entry ? std::get_if<std::string>(&entry->value.data) : nullptr;
  return text ? *text : "";
}

std::vector<GroupConfig::Pattern> read_patterns(Section& section) {
  std::vector<GroupConfig::Pattern> out;
  const Array* items = section.list("agents", "agents, e.g. [\"adversary_*\"]");
  if (!section.find("agents"))
    section.missing("agents", "the agents of the group", "e.g. agents = [\"adversary_*\"]");
  else if (items && items->empty())
    section.out_of_range(*section.find("agents"), "a list of at least one agent");
  for (size_t i = 0; items && i < items->size(); ++i) {
    const Value& item = (*items)[i];
    const auto* text = std::get_if<std::string>(&item.data);
    if (!text)
      section.add("E0204",
                  "expected an agent's id for an element of " + section.subject("agents") + ", found " + describe(item),
                  item.place);
    else if (text->empty() || text->find('*') < text->size() - 1)
      section.add("E0213", describe(item) + " is no pattern of agents", item.place,
                  "write an agent's id, or the beginning of several and `*` at the end: \"adversary_*\"");
    else
      out.push_back({*text, item.place});
  }
  return out;
}

GroupConfig read_group(Section& root, const Value& item, const ReadAlgorithm& read_algorithm) {
  const Table& table = *item.table();
  GroupConfig out;
  out.name = name_of(table);
  out.place = place_of(item);
  Section section(&table, is_group_name(out.name) ? "group." + out.name : "group", out.place, root.problems(),
                  root.origins());
  if (!section.text("name") && !section.find("name"))
    section.missing("name", "every group needs one", "e.g. name = \"predators\"");
  else if (!out.name.empty() && !is_group_name(out.name))
    section.out_of_range(*section.find("name"), "made of letters, digits, _ and -");
  out.agents = read_patterns(section);
  if (section.find("algorithm")) out.algorithm = read_algorithm(section.table("algorithm"));
  section.refuse_unknown();
  return out;
}

}  // namespace

std::vector<GroupConfig> read_groups(Section& root, const ReadAlgorithm& read_algorithm) {
  std::vector<GroupConfig> out;
  const Array* items = root.list("group", "groups: [[group]]");
  for (size_t i = 0; items && i < items->size(); ++i) {
    const Value& item = (*items)[i];
    if (!item.table()) {
      root.add("E0204", "expected a table for an element of `group`, found " + describe(item), item.place);
      continue;
    }
    GroupConfig group = read_group(root, item, read_algorithm);
    if (!group.name.empty() && std::ranges::find(out, group.name, &GroupConfig::name) != out.end())
      root.add("E0211", "there are two groups `" + printable(group.name) + "`", group.place,
               "give each a name of its own");
    out.push_back(std::move(group));
  }
  root.origins().erase("group");
  return out;
}

const AlgorithmConfig* Experiment::algorithm_of(std::string_view group) const {
  for (const auto& each : groups)
    if (each.name == group && each.algorithm) return &*each.algorithm;
  return algorithm.id.empty() ? nullptr : &algorithm;
}

std::vector<std::pair<std::string, const AlgorithmConfig*>> Experiment::algorithms() const {
  std::vector<std::pair<std::string, const AlgorithmConfig*>> out;
  const auto own = [](const GroupConfig& group) { return group.algorithm.has_value(); };
  if (!algorithm.id.empty() && (groups.empty() || !std::ranges::all_of(groups, own))) out.emplace_back("", &algorithm);
  for (const auto& group : groups)
    if (group.algorithm) out.emplace_back(group.name, &*group.algorithm);
  return out;
}

}  // namespace spar::config
