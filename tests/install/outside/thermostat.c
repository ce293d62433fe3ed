/* An environment in plain C99, written against spar/abi.h alone: keep a room at 20 degrees. The room warms by 1 degree
 * while the heater is on and cools by 1 while it is off; reward 1 for each step that ends within 1 degree of the
 * target. Episodes start anywhere from 0 to 40 and never end by themselves: the host applies the time limit of 50
 * steps. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spar/abi.h"

typedef struct room {
  double degrees;
  uint64_t random;
} room;

struct spar_env {
  uint64_t n;
  double target;
  room rooms[];
};

/* ---- small helpers ---- */

static spar_status fail(spar_error* error, spar_status code, const char* message) {
  if (error && error->struct_size >= sizeof(spar_error)) {
    error->code = code;
    strncpy(error->message, message, sizeof error->message - 1);
    error->message[sizeof error->message - 1] = '\0';
  }
  return code;
}

/* The data of a column, or NULL if the batch lacks it or it has another element type. */
static void* column(const spar_batch* batch, const char* name, uint8_t code, uint8_t bits) {
  uint32_t i;
  for (i = 0; batch && i < batch->n_columns; i++) {
    const spar_column* c = &batch->columns[i];
    if (c->name.len == strlen(name) && memcmp(c->name.ptr, name, c->name.len) == 0 && c->t.code == code &&
        c->t.bits == bits && !c->t.strides)
      return (char*)c->t.data + c->t.byte_offset;
  }
  return NULL;
}

/* splitmix64 (Steele, Lea & Flood 2014), as a number in [0, 1). */
static double uniform(uint64_t* state) {
  uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return (double)((z ^ (z >> 31)) >> 11) * 0x1.0p-53;
}

/* ---- what never changes ---- */

static const int64_t kShape[] = {1};
static const double kLow[] = {0}, kHigh[] = {40};
static const spar_space kObservation = {
    sizeof(spar_space), SPAR_SPACE_BOX, SPAR_DTYPE_FLOAT, 32, 1, 1, kShape, kLow, kHigh, 0, NULL, 0, 0, NULL, NULL};
static const spar_space kAction = {
    sizeof(spar_space), SPAR_SPACE_DISCRETE, SPAR_DTYPE_INT, 64, 1, 0, NULL, NULL, NULL, 2, NULL, 0, 0, NULL, NULL};
static const spar_agent_spec kAgent = {sizeof(spar_agent_spec), 0, "agent_0", &kObservation, &kAction, 0, 0, NULL};
static const spar_agent_spec* const kAgents[] = {&kAgent};

/* ---- the environment ---- */

static spar_status create(const spar_host* host, spar_ctx* ctx, const spar_config* config, uint64_t n_envs,
                          spar_env** out, spar_error* error) {
  spar_env* env;
  uint64_t i;
  (void)host, (void)ctx;
  if (config->count != 1 || config->values[0].type != SPAR_T_REAL)
    return fail(error, SPAR_E_INVALID, "expected one number, `target`");
  if (n_envs == 0 || n_envs > UINT64_C(1) << 32) return fail(error, SPAR_E_INVALID, "expected 1 to 2^32 copies");
  env = malloc(sizeof *env + n_envs * sizeof(room));
  if (!env) return fail(error, SPAR_E_NOMEM, "out of memory");
  env->n = n_envs;
  env->target = config->values[0].u.r;
  for (i = 0; i < n_envs; i++) {
    env->rooms[i].degrees = 0;
    env->rooms[i].random = i;
  }
  *out = env;
  return SPAR_OK;
}

static void destroy(spar_env* env) { free(env); }

static spar_status describe(spar_env* env, spar_world* out, spar_error* error) {
  spar_world world = {sizeof(spar_world), 1, kAgents, 0, 50, NULL};
  (void)error;
  world.n_envs = env->n;
  SPAR_STORE(out, world);
  return SPAR_OK;
}

static spar_status reset(spar_env* env, const uint8_t* mask, const uint64_t* seeds, spar_env_io* io,
                         spar_error* error) {
  float* obs = column(io->out[0], "obs", SPAR_DTYPE_FLOAT, 32);
  uint64_t i;
  if (!obs) return fail(error, SPAR_E_INVALID, "expected a column `obs` of f32");
  for (i = 0; i < env->n; i++) {
    if (mask && !mask[i]) continue;
    if (seeds) env->rooms[i].random = seeds[i];
    env->rooms[i].degrees = (double)(int)(40 * uniform(&env->rooms[i].random));
    obs[i] = (float)env->rooms[i].degrees;
  }
  return SPAR_OK;
}

static spar_status step(spar_env* env, spar_env_io* io, spar_error* error) {
  const int64_t* action = io->act ? column(io->act[0], "action", SPAR_DTYPE_INT, 64) : NULL;
  float* obs = column(io->out[0], "obs", SPAR_DTYPE_FLOAT, 32);
  float* reward = column(io->out[0], "reward", SPAR_DTYPE_FLOAT, 32);
  uint8_t* terminated = column(io->out[0], "terminated", SPAR_DTYPE_UINT, 8);
  uint64_t i;
  if (!action || !obs || !reward || !terminated)
    return fail(error, SPAR_E_INVALID, "expected `action` of i64, `obs` and `reward` of f32, `terminated` of u8");
  for (i = 0; i < env->n; i++) {
    if (action[i] < 0 || action[i] > 1) return fail(error, SPAR_E_INVALID, "expected an action of 0 or 1");
  }
  for (i = 0; i < env->n; i++) {
    double degrees = env->rooms[i].degrees + (action[i] ? 1 : -1);
    double miss;
    degrees = degrees < 0 ? 0 : degrees > 40 ? 40 : degrees;
    miss = degrees - env->target;
    env->rooms[i].degrees = degrees;
    obs[i] = (float)degrees;
    reward[i] = miss >= -1 && miss <= 1 ? 1.0f : 0.0f;
    terminated[i] = 0;
  }
  return SPAR_OK;
}

/* ---- saving a copy, so that a run can be resumed exactly ---- */

static spar_status put(const spar_stream* stream, const void* data, uint64_t left, spar_error* error) {
  const char* from = data;
  while (left > 0) {
    int64_t n = stream->write(stream->ctx, from, left);
    if (n <= 0) return fail(error, SPAR_E_IO, "the stream takes nothing more");
    from += n;
    left -= (uint64_t)n;
  }
  return SPAR_OK;
}

static spar_status save(spar_env* env, uint64_t row, const spar_stream* stream, spar_error* error) {
  return put(stream, &env->rooms[row], sizeof(room), error);
}

static spar_status load(spar_env* env, uint64_t row, const spar_stream* stream, spar_error* error) {
  room loaded;
  char* to = (char*)&loaded;
  uint64_t left = sizeof loaded;
  while (left > 0) {
    int64_t n = stream->read(stream->ctx, to, left);
    if (n <= 0) return fail(error, SPAR_E_IO, "the saved room ends too early");
    to += n;
    left -= (uint64_t)n;
  }
  if (!(loaded.degrees >= 0 && loaded.degrees <= 40))
    return fail(error, SPAR_E_INVALID, "the saved room is colder than 0 or warmer than 40 degrees");
  env->rooms[row] = loaded;
  return SPAR_OK;
}

static spar_status copy(spar_env* env, uint64_t dst, uint64_t src, spar_error* error) {
  (void)error;
  env->rooms[dst] = env->rooms[src];
  return SPAR_OK;
}

static const spar_ext_env_state kState = {sizeof(spar_ext_env_state), 0, save, load, copy};

/* ---- in words, so that a person can turn the heater on and off ---- */

static spar_status position(spar_env* env, uint64_t row, uint32_t agent, const spar_stream* stream, spar_error* error) {
  char text[80];
  (void)agent;
  snprintf(text, sizeof text, "it is %g degrees, wanted are %g\n", env->rooms[row].degrees, env->target);
  return put(stream, text, strlen(text), error);
}

static spar_status action_name(spar_env* env, uint64_t row, uint32_t agent, int64_t action, const spar_stream* stream,
                               spar_error* error) {
  const char* name = action ? "heat" : "wait";
  (void)env, (void)row, (void)agent;
  return put(stream, name, strlen(name), error);
}

static const spar_ext_env_text kText = {sizeof(spar_ext_env_text), 0, position, action_name};

static const void* get_extension(spar_env* env, const char* id) {
  (void)env;
  if (strcmp(id, SPAR_EXT_ENV_STATE) == 0) return &kState;
  return strcmp(id, SPAR_EXT_ENV_TEXT) == 0 ? &kText : NULL;
}

/* ---- the plugin ---- */

static const spar_env_vtbl kTable = {
    sizeof(spar_env_vtbl), SPAR_ENV_DETERMINISTIC, create, destroy, describe, reset, step, get_extension};

static const spar_param kTarget = {
    sizeof(spar_param), SPAR_T_REAL, "target", "wanted temperature in degrees", "20.0", 0, 40, NULL, 0, 0};
static const spar_param* const kParams[] = {&kTarget};

static const spar_component kThermostat = {sizeof(spar_component),
                                           SPAR_KIND_ENV,
                                           "org.example/Thermostat-v0",
                                           "1.0.0",
                                           "Keep a room at its temperature",
                                           "A heater that is on or off; reward for each step near the target.",
                                           kParams,
                                           1,
                                           0,
                                           &kTable};
static const spar_component* const kComponents[] = {&kThermostat};
static const spar_plugin kPlugin = {sizeof(spar_plugin),
                                    SPAR_ABI_VERSION,
                                    "org.example.thermostat",
                                    "1.0.0",
                                    "Example",
                                    "MIT",
                                    NULL,
                                    NULL,
                                    kComponents,
                                    1,
                                    0};

SPAR_DEFINE_NOTE(
    "{\"id\":\"org.example.thermostat\",\"version\":\"1.0.0\",\"components\":"
    "[{\"kind\":\"environment\",\"id\":\"org.example/Thermostat-v0\"}]}");

const spar_plugin* spar_plugin_entry_v1(uint32_t host_abi_version) {
  (void)host_abi_version;
  return &kPlugin;
}
