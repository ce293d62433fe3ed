// Components that exist for these tests alone, a lookup over them, and experiments from text.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "core/base/text.hpp"
#include "core/config/experiment.hpp"
#include "support/files.hpp"

namespace spar::config {

inline Param param(std::string name, uint32_t type, std::optional<std::string> default_json, std::string doc = "") {
  Param out;
  out.name = std::move(name);
  out.type = type;
  out.default_json = std::move(default_json);
  out.doc = std::move(doc);
  return out;
}

inline std::shared_ptr<const Component> fake_sac() {
  static const auto kSac = [] {
    auto out = std::make_shared<Component>();
    out->kind = SPAR_KIND_ALGO;
    out->id = "org.spar.sac";
    out->version = "1.0.0";
    out->title = "Soft actor-critic";
    auto lr = param("actor_lr", SPAR_T_REAL, "3e-4", "Adam step size of the actor");
    lr.min = 0;
    lr.flags = SPAR_PARAM_MIN_EXCLUSIVE;
    auto gamma = param("gamma", SPAR_T_REAL, "0.99", "discount");
    gamma.min = 0;
    gamma.max = 1;
    gamma.flags = SPAR_PARAM_MIN_EXCLUSIVE;
    auto batch = param("batch_size", SPAR_T_INT, "64", "transitions of one update");
    batch.min = 1;
    auto hidden = param("hidden_layers", SPAR_T_INTS, "[128,128]", "widths of the hidden layers");
    hidden.min = 1;
    auto loss = param("loss", SPAR_T_STR, "\"huber\"", "loss of the critic");
    loss.choices = {"huber", "mse"};
    auto alpha_lr = param("alpha_lr", SPAR_T_REAL, {}, "Adam step size of the temperature");
    alpha_lr.flags = SPAR_PARAM_OPTIONAL;
    auto old = param("reward_scale", SPAR_T_REAL, "1", "use reward_transform");
    old.max = 10;
    old.flags = SPAR_PARAM_DEPRECATED | SPAR_PARAM_MAX_EXCLUSIVE;
    out->params = {lr,
                   gamma,
                   batch,
                   hidden,
                   loss,
                   alpha_lr,
                   old,
                   param("using_double_q", SPAR_T_BOOL, "true", "double estimate of the target"),
                   param("scales", SPAR_T_REALS, "[0.1,1]", "scales of the heads"),
                   param("network", SPAR_T_JSON, "{\"kind\":\"mlp\",\"gain\":1e-3,\"sizes\":[1,2]}", "network")};
    return out;
  }();
  return kSac;
}

inline std::shared_ptr<const Component> fake(uint32_t kind, std::string id, std::vector<Param> params = {}) {
  auto out = std::make_shared<Component>();
  out->kind = kind;
  out->id = std::move(id);
  out->params = std::move(params);
  return out;
}

/// Pendulum (with an option g), an environment with a required option, sac, two strategies, and a broken plugin.
inline std::vector<std::shared_ptr<const Component>> fake_components() {
  return {fake_sac(),
          fake(SPAR_KIND_ALGO, "org.spar.random"),
          fake(SPAR_KIND_ALGO, "org.spar.frames",
               {param("network", SPAR_T_STR, "\"mlp\""), param("network_file", SPAR_T_STR, "\"\""),
                param("network_backend", SPAR_T_STR, "\"auto\"")}),
          fake(SPAR_KIND_ALGO, "org.bad.broken", {param("x", SPAR_T_INT, "\"one\"")}),
          fake(SPAR_KIND_ENV, "org.spar.classic/Pendulum-v1", {param("g", SPAR_T_REAL, "10", "gravity")}),
          fake(SPAR_KIND_ENV, "org.spar.grid/Maze-v0", {param("map", SPAR_T_STR, {}, "name of the map")}),
          fake(SPAR_KIND_STRATEGY, "org.spar.independent"),
          fake(SPAR_KIND_STRATEGY, "org.spar.team")};
}

inline std::shared_ptr<const Component> fake_lookup(uint32_t kind, std::string_view id, const Place& place) {
  std::vector<std::string> known;
  for (const auto& component : fake_components()) {
    if (component->kind != kind) continue;
    if (component->id == id || short_id(component->id) == id) return component;
    known.push_back(short_id(component->id));
  }
  throw Error("E0207", Exit::usage, "there is no " + kind_name(kind) + " `" + printable(id) + "`")
      .at(with_note(place, did_you_mean(id, known)));
}

/// A directory that is removed with all its files; paths as text, as configurations name them.
class Scratch {
 public:
  std::string file(const std::string& name, const std::string& text) const { return place_.write(name, text).string(); }
  std::string path() const { return place_.path().string(); }

 private:
  test::TemporaryDirectory place_;
};

inline const std::string kPendulum = R"(name = "pendulum-sac"
[env]
id = "Pendulum-v1"
count = 8
[algorithm]
id = "sac"
actor_lr = 1e-3
[stop]
any = [ { env_steps = 20_000 }, { eval_return = -150, for = 3 } ]
)";

/// Loads `text` as the file a.toml; places name it so.
inline Experiment load_text(const std::string& text, std::vector<std::string> assignments = {}) {
  const Scratch scratch;
  const std::string path = scratch.file("a.toml", text);
  return load({path, scratch.path(), std::move(assignments), {}}, fake_lookup);
}

/// The message of the error that loading gives, without the directory of the file; "" if it loads.
inline std::string failure(const std::string& text, std::vector<std::string> assignments = {}) {
  const Scratch scratch;
  const std::string path = scratch.file("a.toml", text);
  try {
    load({path, scratch.path(), std::move(assignments), {}}, fake_lookup);
    return "";
  } catch (const Error& error) {
    std::string out = error.render();
    for (size_t at; (at = out.find(scratch.path() + "/")) != std::string::npos;)
      out.erase(at, scratch.path().size() + 1);
    return out;
  }
}

/// kPendulum with one line more at the end of a section ([algorithm] by default).
inline std::string with_line(const std::string& line, const std::string& section = "[algorithm]") {
  std::string out = kPendulum;
  if (const size_t at = out.find(section); at != std::string::npos)
    return out.insert(at + section.size() + 1, line + "\n");
  return out + section + "\n" + line + "\n";
}

}  // namespace spar::config
