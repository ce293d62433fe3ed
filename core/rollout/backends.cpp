#include "core/rollout/backends.hpp"

#include <memory>
#include <utility>

#include "core/config/options.hpp"
#include "core/plugin/context.hpp"
#include "core/rollout/plugin_call.hpp"

namespace spar::rollout {

nn::BackendOpener backend_opener(const spar_host& host, ComponentLoader load, std::string scope, uint64_t root_seed) {
  if (!load) return {};
  return [&host, load = std::move(load), scope = std::move(scope), root_seed](const std::string& id,
                                                                              const std::string& device) {
    const spar_component& component = load(SPAR_KIND_BACKEND, id);
    const auto* table = static_cast<const spar_backend_vtbl*>(component.vtbl);
    const config::ConfigView options(
        config::default_options(std::make_shared<const config::Component>(config::copy_component(component))));

    auto ctx = std::make_shared<spar_ctx>();
    ctx->name = scope + "/" + id;
    ctx->root_seed = root_seed;
    ctx->random = Philox(root_seed, ctx->name);
    const spar_svc_nn* networks = nullptr;
    call_plugin(std::string("backend `") + component.id + "`", "open", [&](spar_error* e) {
      return table->open(&host, ctx.get(), options.get(), {device.data(), device.size()}, &networks, e);
    });
    return std::make_unique<nn::Backend>(id, *networks, ctx.get(), [table, ctx] { table->close(ctx.get()); });
  };
}

}  // namespace spar::rollout
