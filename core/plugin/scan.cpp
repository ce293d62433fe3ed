#include "core/plugin/scan.hpp"

#include <string.h>

#include <algorithm>
#include <boost/json.hpp>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/plugin/child.hpp"
#include "core/plugin/loader.hpp"
#include "core/plugin/param_check.hpp"
#include "core/plugin/schema_json.hpp"

namespace spar::plugin {
namespace {

namespace json = boost::json;

constexpr int kScanFormat = 1;
constexpr size_t kMostOutput = 8 << 20;

ScanDocument refused(const Refusal& refusal) {
  return {json::serialize(json::object{{"format", kScanFormat},
                                       {"refused", {{"reason", refusal.reason}, {"remedy", refusal.remedy}}}}),
          true};
}

/// " (it said: ..)", from the first line of what a plugin wrote to standard error.
std::string said(const std::string& errors) {
  const std::string line = printable(std::string_view(errors).substr(0, std::min<size_t>(errors.find('\n'), 200)));
  return line.empty() ? "" : " (it said: " + line + ")";
}

Refusal ending(const ChildResult& child, std::chrono::milliseconds limit, const PluginFile& file) {
  const std::string again = "report it to its author; `spar-worker scan " + file.path.string() + "` repeats it";
  if (child.timed_out) {
    const auto count = limit.count();
    const std::string time = count % 1000 == 0 ? std::to_string(count / 1000) + " s" : std::to_string(count) + " ms";
    return {"did not describe itself within " + time + said(child.errors), again};
  }
  if (child.too_much)
    return {"printed more than " + std::to_string(kMostOutput >> 20) + " MiB while it was loaded", again};
  if (child.signal != 0) {
    const char* name = ::sigabbrev_np(child.signal);
    return {"crashed while it was loaded: signal " + (name ? "SIG" + std::string(name) : std::to_string(child.signal)) +
                said(child.errors),
            again};
  }
  return {"ended the process with exit code " + std::to_string(child.exit_code) + " while it was loaded" +
              said(child.errors),
          again};
}

std::vector<config::Component> read_document(const std::string& text, const PluginFile& file) {
  json::error_code problem;
  const json::value root = json::parse(text, problem);
  const auto* format = !problem && root.is_object() ? root.get_object().if_contains("format") : nullptr;
  if (!format || !format->is_int64() || format->get_int64() != kScanFormat)
    throw Refusal{"described itself in a way that cannot be read", "install spar and spar-worker of the same version"};
  const json::object& object = root.get_object();
  if (const auto* refusal = object.if_contains("refused")) {
    const auto word = [&](const char* key) {
      const auto* value = refusal->is_object() ? refusal->get_object().if_contains(key) : nullptr;
      return value && value->is_string() ? std::string(value->get_string()) : std::string();
    };
    throw Refusal{word("reason"), word("remedy")};
  }
  const auto* list = object.if_contains("components");
  auto components = components_from_json(list ? *list : json::value());
  std::vector<std::pair<uint32_t, std::string>> found, expected;
  for (const auto& component : components) {
    found.emplace_back(component.kind, component.id);
    if (auto unsound = params_problem(component)) throw Refusal{"is unsound: " + *unsound, "report it to its author"};
  }
  for (const auto& component : file.components)
    if (component.kind != 0) expected.emplace_back(component.kind, component.id);
  std::sort(found.begin(), found.end());
  std::sort(expected.begin(), expected.end());
  if (found != expected) throw Refusal{"describes other components than its note lists", "build the plugin again"};
  return components;
}

}  // namespace

ScanDocument describe_plugin(const std::filesystem::path& path) {
  const PluginFile file = inspect(path, "scan", std::nullopt);
  if (file.status == Status::refused) return refused({file.reason, file.remedy});
  try {
    const LoadedPlugin plugin(file);
    return {
        json::serialize(json::object{{"format", kScanFormat}, {"components", components_to_json(plugin.components())}}),
        false};
  } catch (const Error& error) {
    return refused(refusal_of(error, file));
  }
}

std::variant<std::vector<config::Component>, Refusal> scan_in_child(const std::filesystem::path& worker,
                                                                    const PluginFile& file,
                                                                    std::chrono::milliseconds limit) {
  const ChildResult child = run_child(worker, {"scan", file.path.string()}, limit, kMostOutput);
  if (!child.not_started.empty())
    throw Error("E0124", Exit::plugin, "`" + printable(worker.string()) + "` cannot be started: " + child.not_started)
        .help("it belongs beside the program; install spar again");
  // A refusal comes with exit code 3 and a document, everything else that is not 0 without one.
  const bool answered = child.exit_code == 0 || child.exit_code == static_cast<int>(Exit::plugin);
  if (child.timed_out || child.too_much || !answered || child.output.empty()) return ending(child, limit, file);
  try {
    return read_document(child.output, file);
  } catch (Refusal& refusal) {
    return std::move(refusal);
  }
}

}  // namespace spar::plugin
