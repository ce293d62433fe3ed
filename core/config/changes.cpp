// What is another in an experiment that goes on with other settings.
#include <algorithm>
#include <map>

#include "core/config/experiment.hpp"

namespace spar::config {
namespace {

struct Line {
  std::string path;     ///< "algorithm.lr"; "" for lines that set nothing
  std::string setting;  ///< "lr = 0.001"
  std::string whole;    ///< with the origin
};

const std::string kGroup = "group.";  // before the name of a group

std::string value_of(const Line& line) { return line.setting.substr(line.setting.find(" = ") + 3); }
std::string unquoted(const std::string& text) { return text.substr(1, text.size() - 2); }

/// May a run go on with another value of this?
bool may_change(const std::string& path) {
  constexpr std::string_view kFree[] = {"algorithm.", "stop.", "eval.", "checkpoint.", "threshold."};
  std::string_view rest = path;
  if (rest.starts_with(kGroup)) {  // group.NAME.algorithm.lr
    rest.remove_prefix(rest.find('.', kGroup.size()) + 1);
    return rest.starts_with("algorithm.") && rest != "algorithm.id";
  }
  return rest != "algorithm.id" &&
         std::ranges::any_of(kFree, [rest](std::string_view section) { return rest.starts_with(section); });
}

std::vector<Line> lines_of(const std::string& toml) {
  std::vector<Line> out;
  std::string section, group;
  for (size_t at = 0; at < toml.size();) {
    const size_t end = std::min(toml.find('\n', at), toml.size());
    Line line{"", "", toml.substr(at, end - at)};
    at = end + 1;
    if (line.whole.starts_with('[')) section = line.whole.substr(1, line.whole.size() - 2) + ".";
    if (line.whole.starts_with("[[group]]")) section = kGroup, group.clear();
    const size_t equals = line.whole.find(" = ");
    if (equals != std::string::npos && !line.whole.starts_with('#')) {
      line.setting = line.whole.substr(0, line.whole.rfind("  # "));
      // The first line of a group is its name, which its paths go by.
      if (section == kGroup && group.empty()) group = kGroup + unquoted(value_of(line)) + ".";
      const bool grouped = section.starts_with(kGroup);
      line.path = (grouped ? group + section.substr(kGroup.size()) : section) + line.whole.substr(0, equals);
    }
    out.push_back(std::move(line));
  }
  return out;
}

std::map<std::string, Line> by_path(const std::string& toml) {
  std::map<std::string, Line> out;
  for (auto& line : lines_of(toml))
    if (!line.path.empty()) out.emplace(line.path, std::move(line));
  return out;
}

/// Paths of the settings that only one of the two has or that are not equal, but for the name; with old and new value.
struct Change {
  std::string path, before, now;
};

std::vector<Change> changes(const Experiment& before, const Experiment& now) {
  constexpr const char* kLeftOut = "left out";
  std::map<std::string, Line> old = by_path(resolved_toml(before));
  std::vector<Change> out;
  for (const auto& line : lines_of(resolved_toml(now))) {
    if (line.path.empty()) continue;
    const auto found = old.find(line.path);
    const std::string was = found == old.end() ? kLeftOut : value_of(found->second);
    if (line.path != "name" && was != value_of(line)) out.push_back({line.path, was, value_of(line)});
    if (found != old.end()) old.erase(found);
  }
  for (const auto& [path, line] : old)
    if (path != "name") out.push_back({path, value_of(line), kLeftOut});
  return out;
}

}  // namespace

std::vector<std::string> changed_settings(const Experiment& before, const Experiment& now) {
  std::vector<std::string> out;
  for (const Change& change : changes(before, now))
    out.push_back(change.path + " was " + change.before + " and is " + change.now);
  return out;
}

std::string resolved_again(const Experiment& now, const std::string& before) {
  const auto old = by_path(before);
  std::string out;
  for (const auto& line : lines_of(resolved_toml(now))) {
    const auto found = old.find(line.path);
    const bool same = !line.path.empty() && found != old.end() && found->second.setting == line.setting;
    out += (same ? found->second.whole : line.whole) + "\n";
  }
  return out;
}

void check_changes(const Experiment& before, const Experiment& now) {
  const auto refuse = [](const Change& change) {
    return Error("E0508", Exit::usage,
                 "`" + change.path + "` of a run cannot be changed on its way: it was " + change.before + ", found " +
                     change.now)
        .help(
            "options of the algorithm, stop, eval, checkpoint and threshold can be; for others start a new run: spar "
            "train");
  };
  if (before.name != now.name) throw refuse({"name", before.name, now.name});
  for (const Change& change : changes(before, now))
    if (!may_change(change.path)) throw refuse(change);
}

}  // namespace spar::config
