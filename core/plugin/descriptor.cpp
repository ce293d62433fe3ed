#include "core/plugin/descriptor.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/plugin/param_check.hpp"

namespace spar::plugin {
namespace {

constexpr uint32_t kMostComponents = 1024, kMostParams = 1024;

class Check {
 public:
  explicit Check(const PluginFile& file) : file_(file) {}

  [[noreturn]] void fail(const std::string& problem) const {
    throw Error("E0121", Exit::plugin, "plugin " + printable(file_.path.string()) + " " + printable(problem))
        .help("build the plugin again with the spar SDK; note and descriptor must say the same");
  }
  void require(bool right, const std::string& problem) const {
    if (!right) fail(problem);
  }
  void size(uint32_t found, uint64_t least, const std::string& what) const {
    require(found >= least,
            "has a " + what + " of " + std::to_string(found) + " bytes, ABI 1.0 has at least " + std::to_string(least));
  }
  void same(const char* found, const std::string& expected, const std::string& what) const {
    require(found != nullptr, "has no " + what);
    require(found == expected, "has the " + what + " `" + found + "`, but its note says `" + expected + "`");
  }

  /// Required functions by kind; SPAR_HAS also refuses a table that ends before the function.
  void functions(const spar_component& component) const {
    const std::string of = "of the " + std::string(kind_name(component.kind)) + " `" + component.id + "`";
    const auto need = [&](bool has, const char* name) {
      require(has, "has no function `" + std::string(name) + "` in the table " + of);
    };
    const auto table_size = *static_cast<const uint32_t*>(component.vtbl);
    size(table_size, 2 * sizeof(uint32_t), "function table " + of);
#define SPAR_NEED(T, f) need(SPAR_HAS(static_cast<const T*>(component.vtbl), T, f), #f)
    switch (component.kind) {
      case SPAR_KIND_ENV:
        SPAR_NEED(spar_env_vtbl, create);
        SPAR_NEED(spar_env_vtbl, destroy);
        SPAR_NEED(spar_env_vtbl, describe);
        SPAR_NEED(spar_env_vtbl, reset);
        SPAR_NEED(spar_env_vtbl, step);
        break;
      case SPAR_KIND_ALGO:
        SPAR_NEED(spar_algo_vtbl, create);
        SPAR_NEED(spar_algo_vtbl, destroy);
        SPAR_NEED(spar_algo_vtbl, needs);
        SPAR_NEED(spar_algo_vtbl, act);
        SPAR_NEED(spar_algo_vtbl, learn);
        SPAR_NEED(spar_algo_vtbl, save);
        SPAR_NEED(spar_algo_vtbl, load);
        break;
      case SPAR_KIND_STRATEGY:
        SPAR_NEED(spar_strategy_vtbl, create);
        SPAR_NEED(spar_strategy_vtbl, destroy);
        SPAR_NEED(spar_strategy_vtbl, plan);
        SPAR_NEED(spar_strategy_vtbl, next);
        SPAR_NEED(spar_strategy_vtbl, save);
        SPAR_NEED(spar_strategy_vtbl, load);
        break;
      case SPAR_KIND_BACKEND:
        SPAR_NEED(spar_backend_vtbl, open);
        SPAR_NEED(spar_backend_vtbl, close);
        break;
      default:
        break;
    }
#undef SPAR_NEED
  }

  config::Component component(const spar_component& component) const {
    require(component.version && component.title && component.doc,
            "has the component `" + std::string(component.id) + "` without version, title or documentation");
    require(component.vtbl != nullptr,
            "has the component `" + std::string(component.id) + "` without a function table");
    functions(component);
    require(component.n_params == 0 || component.params,
            "has the component `" + std::string(component.id) + "` without its list of parameters");
    require(component.n_params <= kMostParams, "has the component `" + std::string(component.id) + "` with " +
                                                   std::to_string(component.n_params) + " parameters, at most " +
                                                   std::to_string(kMostParams) + " are read");
    for (uint32_t i = 0; i < component.n_params; ++i) {
      require(component.params[i] != nullptr, "has a NULL parameter in `" + std::string(component.id) + "`");
      size(component.params[i]->struct_size, SPAR_END(spar_param, flags),
           "parameter of `" + std::string(component.id) + "`");
    }
    config::Component copy = config::copy_component(component);
    if (const auto problem = params_problem(copy)) fail("is unsound: " + *problem);
    return copy;
  }

 private:
  const PluginFile& file_;
};

}  // namespace

std::vector<config::Component> check_descriptor(const spar_plugin& plugin, const PluginFile& file) {
  const Check check(file);
  check.size(plugin.struct_size, SPAR_END(spar_plugin, n_components), "descriptor");
  check.require(plugin.abi_version >> 16 == SPAR_ABI_MAJOR, "says that it speaks ABI " + abi_text(plugin.abi_version) +
                                                                ", this program speaks " + abi_text(SPAR_ABI_VERSION));
  check.require(plugin.abi_version == file.abi, "says that it was built for ABI " + abi_text(plugin.abi_version) +
                                                    ", but its note says " + abi_text(file.abi));
  check.same(plugin.id, file.id, "id");
  check.same(plugin.version, file.version, "version");
  check.require(plugin.n_components <= kMostComponents && (plugin.n_components == 0 || plugin.components),
                "has no list of components");
  check.require(plugin.n_components == file.components.size(), "has " + std::to_string(plugin.n_components) +
                                                                   " components, but its note lists " +
                                                                   std::to_string(file.components.size()));
  std::vector<config::Component> out;
  for (uint32_t i = 0; i < plugin.n_components; ++i) {
    const spar_component* component = plugin.components[i];
    check.require(component != nullptr, "has NULL as component " + std::to_string(i));
    check.size(component->struct_size, SPAR_END(spar_component, vtbl), "component");
    check.require(component->id != nullptr, "has a component without an id");
    // Kinds that this host does not know have no number here: the id alone must agree.
    const uint32_t kind = kind_of(kind_name(component->kind));
    const bool listed = std::any_of(
        file.components.begin(), file.components.end(),
        [&](const NoteComponent& listed_one) { return listed_one.kind == kind && listed_one.id == component->id; });
    check.require(listed, "has the " + std::string(kind_name(component->kind)) + " `" + component->id +
                              "`, which its note does not list");
    for (uint32_t j = 0; j < i; ++j)
      check.require(
          plugin.components[j]->kind != component->kind || std::string_view(plugin.components[j]->id) != component->id,
          "has the " + std::string(kind_name(component->kind)) + " `" + component->id + "` twice");
    if (kind != 0) out.push_back(check.component(*component));
  }
  return out;
}

const spar_component* find_component(const spar_plugin& plugin, uint32_t kind, std::string_view id) {
  for (uint32_t i = 0; i < plugin.n_components; ++i)
    if (plugin.components[i]->kind == kind && plugin.components[i]->id == id) return plugin.components[i];
  return nullptr;
}

}  // namespace spar::plugin
