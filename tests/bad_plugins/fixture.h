/* What the fixture plugins share: tables whose functions do nothing, and macros for descriptors that are right, so that
 * each fixture shows only what is wrong with it. */
#ifndef SPAR_TESTS_FIXTURE_H
#define SPAR_TESTS_FIXTURE_H

#include <math.h>
#include <string.h>

#include "spar/abi.h"

/* A note of any ABI version; SPAR_DEFINE_NOTE writes the SDK's own. */
#define FIXTURE_NOTE(version, json)                                              \
  __attribute__((section(".note.spar"), used, aligned(4))) static const struct { \
    uint32_t namesz, descsz, type;                                               \
    char name[8];                                                                \
    char desc[(sizeof(json) + 3) & ~(size_t)3];                                  \
  } fixture_note = {5, sizeof(json), version, "SPAR", json}

static spar_status fixture_env_create(const spar_host* host, spar_ctx* ctx, const spar_config* config, uint64_t n_envs,
                                      spar_env** out, spar_error* error) {
  (void)host, (void)ctx, (void)config, (void)n_envs, (void)out, (void)error;
  return SPAR_E_UNSUPPORTED;
}
static void fixture_env_destroy(spar_env* env) { (void)env; }
static spar_status fixture_env_describe(spar_env* env, spar_world* out, spar_error* error) {
  (void)env, (void)out, (void)error;
  return SPAR_E_UNSUPPORTED;
}
static spar_status fixture_env_reset(spar_env* env, const uint8_t* mask, const uint64_t* seeds, spar_env_io* io,
                                     spar_error* error) {
  (void)env, (void)mask, (void)seeds, (void)io, (void)error;
  return SPAR_E_UNSUPPORTED;
}
static spar_status fixture_env_step(spar_env* env, spar_env_io* io, spar_error* error) {
  (void)env, (void)io, (void)error;
  return SPAR_E_UNSUPPORTED;
}

static const spar_env_vtbl fixture_env = {
    sizeof(spar_env_vtbl), SPAR_ENV_DETERMINISTIC, fixture_env_create, fixture_env_destroy,
    fixture_env_describe,  fixture_env_reset,      fixture_env_step,   NULL};

/* An environment without parameters. */
#define FIXTURE_ENV(name, id)                                                                          \
  static const spar_component name = {sizeof(spar_component), SPAR_KIND_ENV, id, "1.0.0", "A fixture", \
                                      "Does nothing.",        NULL,          0,  0,       &fixture_env}

/* A plugin with one component. */
#define FIXTURE_PLUGIN(id, version, component)                            \
  static const spar_component* const fixture_components[] = {&component}; \
  static const spar_plugin fixture_plugin = {                             \
      sizeof(spar_plugin), SPAR_ABI_VERSION, id, version, "spar", "MIT", NULL, NULL, fixture_components, 1, 0}

#define FIXTURE_ENTRY(descriptor)                                      \
  const spar_plugin* spar_plugin_entry_v1(uint32_t host_abi_version) { \
    (void)host_abi_version;                                            \
    return descriptor;                                                 \
  }

/* All of the above: what a sound plugin with the environment org.spar.test/NAME is made of. */
#define FIXTURE_NOTE_TEXT(name)   \
  "{\"id\":\"org.spar.test." name \
  "\",\"version\":\"1.0.0\",\"components\":[{\"kind\":\"environment\",\"id\":\"org.spar.test/" name "\"}]}"

#define FIXTURE_WHOLE(name)                                          \
  SPAR_DEFINE_NOTE(FIXTURE_NOTE_TEXT(name));                         \
  FIXTURE_ENV(fixture_component, "org.spar.test/" name);             \
  FIXTURE_PLUGIN("org.spar.test." name, "1.0.0", fixture_component); \
  FIXTURE_ENTRY(&fixture_plugin)

#endif
