// Exceptions out of the entry, or out of init() (FIXTURE_IN_INIT).
#include <stdexcept>

#include "spar/abi.h"

SPAR_DEFINE_NOTE("{\"id\":\"org.spar.test." FIXTURE_NAME
                 "\",\"version\":\"1.0.0\",\"components\":[{\"kind\":\"later\",\"id\":\"org.spar.test/" FIXTURE_NAME
                 "\"},{\"kind\":\"backend\",\"id\":\"org.spar.test." FIXTURE_NAME ".backend\"}]}");

namespace {
spar_status open(const spar_host*, spar_ctx*, const spar_config*, spar_str, const spar_svc_nn**, spar_error*) {
  return SPAR_E_UNSUPPORTED;
}
void close(spar_ctx*) {}
const spar_backend_vtbl table{sizeof(spar_backend_vtbl), SPAR_BACKEND_CPU, open, close};
const spar_component later{
    sizeof(spar_component), 99, "org.spar.test/" FIXTURE_NAME, "1", "", "", nullptr, 0, 0, &table};
const spar_component backend{sizeof(spar_component),
                             SPAR_KIND_BACKEND,
                             "org.spar.test." FIXTURE_NAME ".backend",
                             "1",
                             "",
                             "",
                             nullptr,
                             0,
                             0,
                             &table};
const spar_component* const components[] = {&later, &backend};
spar_status init(const spar_host*, spar_error*) { throw std::runtime_error("from init"); }
const spar_plugin plugin{sizeof(spar_plugin),
                         SPAR_ABI_VERSION,
                         "org.spar.test." FIXTURE_NAME,
                         "1.0.0",
                         "spar",
                         "MIT",
                         init,
                         nullptr,
                         components,
                         2,
                         0};
}  // namespace

extern "C" const spar_plugin* spar_plugin_entry_v1(uint32_t) {
  if (!FIXTURE_IN_INIT) throw std::runtime_error("from the entry");
  return &plugin;
}
