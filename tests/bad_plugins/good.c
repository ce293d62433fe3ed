/* A sound plugin in C99: an environment and an algorithm with a parameter of every type. It tells the optional service
 * "test.calls/1" when it is initialised and when it ends. */
#include "fixture.h"

SPAR_DEFINE_NOTE(
    "{\"id\":\"org.spar.test.good\",\"version\":\"1.2.3\",\"components\":["
    "{\"kind\":\"environment\",\"id\":\"org.spar.test/Good-v1\"},"
    "{\"kind\":\"algorithm\",\"id\":\"org.spar.test.learner\"}],\"requires\":[\"spar.log/1\"]}");

typedef struct test_calls {
  uint32_t struct_size, reserved;
  void (*record)(const char* what);
} test_calls;

static const test_calls* calls;

static spar_status create(const spar_host* host, spar_ctx* ctx, const spar_config* config, const spar_algo_setup* setup,
                          spar_algo** out, spar_error* error) {
  (void)host, (void)ctx, (void)config, (void)setup, (void)out, (void)error;
  return SPAR_E_UNSUPPORTED;
}
static void destroy(spar_algo* algo) { (void)algo; }
static spar_status needs(spar_algo* algo, spar_needs* out, spar_error* error) {
  (void)algo, (void)out, (void)error;
  return SPAR_E_UNSUPPORTED;
}
static spar_status act(spar_algo* algo, const spar_act* how, const spar_batch* obs, spar_batch* out,
                       spar_error* error) {
  (void)algo, (void)how, (void)obs, (void)out, (void)error;
  return SPAR_E_UNSUPPORTED;
}
static spar_status learn(spar_algo* algo, uint64_t step, spar_error* error) {
  (void)algo, (void)step, (void)error;
  return SPAR_E_UNSUPPORTED;
}
static spar_status stream(spar_algo* algo, const spar_stream* bytes, spar_error* error) {
  (void)algo, (void)bytes, (void)error;
  return SPAR_E_UNSUPPORTED;
}

static const spar_algo_vtbl algorithm_table = {
    sizeof(spar_algo_vtbl), SPAR_ALGO_DISCRETE, create, destroy, needs, act, learn, stream, stream, NULL, NULL, NULL};

static const char* const kinds[] = {"uniform", "greedy", NULL};
static const spar_param lr = {
    sizeof(spar_param), SPAR_T_REAL, "lr", "step size", "0.00005", 0.00005, 1, NULL, SPAR_PARAM_LOG_SCALE, 0};
static const spar_param batch = {sizeof(spar_param), SPAR_T_INT, "batch", "rows", "64", 1, 1e6, NULL, 0, 0};
static const spar_param clip = {sizeof(spar_param), SPAR_T_BOOL, "clip", "clip", "true", NAN, NAN, NULL, 0, 0};
static const spar_param kind = {sizeof(spar_param), SPAR_T_STR, "kind", "how", "\"greedy\"", NAN, NAN, kinds, 0, 0};
static const spar_param hidden = {sizeof(spar_param), SPAR_T_INTS, "hidden", "widths", "[64, 64]", 1, 4096, NULL, 0, 0};
static const spar_param gains = {
    sizeof(spar_param), SPAR_T_REALS, "gains", "gains", "[0.1]", 0, 1, NULL, SPAR_PARAM_MIN_EXCLUSIVE, 0};
static const spar_param extra = {
    sizeof(spar_param), SPAR_T_JSON, "extra", "more", NULL, NAN, NAN, NULL, SPAR_PARAM_OPTIONAL, 0};
static const spar_param* const params[] = {&lr, &batch, &clip, &kind, &hidden, &gains, &extra};

FIXTURE_ENV(environment, "org.spar.test/Good-v1");
static const spar_component algorithm = {sizeof(spar_component),
                                         SPAR_KIND_ALGO,
                                         "org.spar.test.learner",
                                         "1.2.3",
                                         "Learner",
                                         "Learns nothing.",
                                         params,
                                         sizeof(params) / sizeof(params[0]),
                                         0,
                                         &algorithm_table};
static const spar_component* const components[] = {&environment, &algorithm};

static spar_status init(const spar_host* host, spar_error* error) {
  (void)error;
  calls = (const test_calls*)host->get_service(host, "test.calls/1");
  if (calls) calls->record("good init");
  return SPAR_OK;
}
static void deinit(void) {
  if (calls) calls->record("good deinit");
}

static const spar_plugin plugin = {sizeof(spar_plugin),
                                   SPAR_ABI_VERSION,
                                   "org.spar.test.good",
                                   "1.2.3",
                                   "spar",
                                   "MIT",
                                   init,
                                   deinit,
                                   components,
                                   2,
                                   0};
FIXTURE_ENTRY(&plugin)
