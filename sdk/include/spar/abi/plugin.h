/* The plugin itself: one exported symbol, its components, and a note that is readable without loading anything. */
#ifndef SPAR_ABI_PLUGIN_H
#define SPAR_ABI_PLUGIN_H

#include "spar/abi/services.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SPAR_ENTRY_SYMBOL "spar_plugin_entry_v1" /* the ABI major is in the symbol */
#define SPAR_EXPORT __attribute__((visibility("default")))

enum {
  SPAR_KIND_ENV = 1,
  SPAR_KIND_ALGO = 2,
  SPAR_KIND_STRATEGY = 3,
  SPAR_KIND_BACKEND = 4
}; /* others: listed, skipped */

typedef struct spar_component {
  uint32_t struct_size, kind;
  const char *id, *version, *title, *doc; /* id: reverse DNS ("org.spar.dqn"); an environment's may end in an id of the
                                             field ("org.spar.classic/CartPole-v1"). Stable for ever */
  const spar_param* const* params;
  uint32_t n_params, reserved;
  const void* vtbl; /* spar_env_vtbl, spar_algo_vtbl, .. by kind */
} spar_component;

typedef struct spar_plugin {
  uint32_t struct_size, abi_version; /* SPAR_ABI_VERSION of the SDK it was built with */
  const char *id, *version, *vendor, *license;
  spar_status (*init)(const spar_host*, spar_error*); /* [ctl] optional; once per process */
  void (*deinit)(void);                               /* [ctl] optional; after the last destroy */
  const spar_component* const* components;
  uint32_t n_components, reserved;
} spar_plugin;

SPAR_EXPORT const spar_plugin* spar_plugin_entry_v1(uint32_t host_abi_version); /* [scan] pure; static storage */

/* ELF note in .note.spar: owner "SPAR", type = ABI version, payload = JSON text
 *   {"id":"..","version":"..","components":[{"kind":"algorithm","id":".."},..],"requires":["spar.nn/1",..]}
 * kind: environment, algorithm, strategy, backend. requires may be left out. Fixed strings only: the host reads it from
 * the file, before it decides whether to load the plugin. */
#define SPAR_DEFINE_NOTE(json)                                                   \
  __attribute__((section(".note.spar"), used, aligned(4))) static const struct { \
    uint32_t namesz, descsz, type;                                               \
    char name[8];                                                                \
    char desc[(sizeof(json) + 3) & ~(size_t)3];                                  \
  } spar_note_ = {5, sizeof(json), SPAR_ABI_VERSION, "SPAR", json}

#ifdef __cplusplus
}
#endif
#endif
