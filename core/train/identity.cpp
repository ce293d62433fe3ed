#include "core/train/identity.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>

#include "core/nn/tier.hpp"
#include "core/train/session.hpp"

namespace spar::train {
namespace {

boost::json::object plugin_entry(plugin::Registry& registry, uint32_t kind, const std::string& id) {
  const plugin::PluginFile& file = *registry.find(kind, id).file;
  return {{"component", id},
          {"plugin", file.id},
          {"version", file.version},
          {"abi", plugin::abi_text(file.abi)},
          {"sha256", registry.sha256(file)}};
}

boost::json::object identity(const config::Experiment& experiment, plugin::Registry& registry,
                             const std::vector<std::string>& backends) {
  boost::json::object out = {{"spar", kVersion},
                             {"configuration", config::config_hash(experiment)},
                             {"seed", experiment.seed},
                             {"threads", 1},
                             {"kernels", nn::active_tier()},
                             {"environment", plugin_entry(registry, SPAR_KIND_ENV, experiment.env.id)}};
  if (experiment.learns()) {
    for (const auto& [group, algorithm] : experiment.algorithms())
      out[group.empty() ? "algorithm" : "algorithm of " + group] =
          plugin_entry(registry, SPAR_KIND_ALGO, algorithm->id);
    out["strategy"] = plugin_entry(registry, SPAR_KIND_STRATEGY, experiment.strategy.id);
  }
  for (const std::string& id : backends) out["backend " + id] = plugin_entry(registry, SPAR_KIND_BACKEND, id);
  return out;
}

std::string shown(const boost::json::value& value) {
  return value.is_string() ? std::string(value.as_string()) : boost::json::serialize(value);
}

/// What the two say of `path`, in sentences.
void compare(const std::string& path, const boost::json::value& saved, const boost::json::value& current,
             std::vector<std::string>& out) {
  if (saved == current) return;
  if (saved.is_object() && current.is_object()) {
    for (const auto& [key, value] : current.as_object()) {
      const auto* other = saved.as_object().if_contains(key);
      compare(path.empty() ? std::string(key) : path + "." + std::string(key), other ? *other : boost::json::value(),
              value, out);
    }
    return;
  }
  if (saved.is_null())
    out.push_back(path + " is new");
  else
    out.push_back(path + " was " + shown(saved) + " and is " + shown(current));
}

}  // namespace

std::string identity_json(const config::Experiment& experiment, plugin::Registry& registry,
                          const std::vector<std::string>& backends) {
  return boost::json::serialize(identity(experiment, registry, backends));
}

std::vector<std::string> identity_differences(const std::string& saved, const std::string& current,
                                              const std::vector<std::string>& settings) {
  std::vector<std::string> out;
  boost::system::error_code failure;
  const boost::json::value before = boost::json::parse(saved, failure);
  if (failure) return {"the checkpoint does not say what it was made with"};
  boost::json::object now = boost::json::parse(current).as_object();
  if (!settings.empty()) {
    out = settings;
    now.erase("configuration");
  }
  compare("", before, now, out);
  if (before.is_object())
    for (const auto& [key, value] : before.as_object())
      if (key.starts_with("backend ") && !now.contains(key)) out.push_back(std::string(key) + " is not used any more");
  return out;
}

boost::json::object run_manifest(const std::string& identity, const config::Experiment& experiment,
                                 const plugin::Registry& registry, const std::vector<std::string>& backends,
                                 const std::vector<std::string>& arguments) {
  boost::json::object manifest = boost::json::parse(identity).as_object();
  std::array<char, 256> name{};
  ::gethostname(name.data(), name.size() - 1);
  manifest["host"] = name.data();
  manifest["argv"] = boost::json::value_from(arguments);
  manifest["scenario"] = experiment.scenario;
  boost::json::array paths;
  const auto add = [&](uint32_t kind, const std::string& id) {
    if (id.empty()) return;  // a game is solved without
    const boost::json::value path = boost::json::string(registry.find(kind, id).file->path.string());
    if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
  };
  add(SPAR_KIND_ENV, experiment.env.id);
  for (const auto& [group, algorithm] : experiment.algorithms()) add(SPAR_KIND_ALGO, algorithm->id);
  add(SPAR_KIND_STRATEGY, experiment.strategy.id);
  for (const std::string& id : backends)
    paths.push_back(boost::json::string(registry.find(SPAR_KIND_BACKEND, id).file->path.string()));
  manifest["plugins"] = std::move(paths);
  return manifest;
}

}  // namespace spar::train
