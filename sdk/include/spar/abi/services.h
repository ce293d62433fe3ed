/* What the host offers to plugins, by id. A service lives until the plugin's deinit(). */
#ifndef SPAR_ABI_SERVICES_H
#define SPAR_ABI_SERVICES_H

#include "spar/abi/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct spar_ctx
    spar_ctx; /* the host's handle of one component instance: log scope, random stream, table, budget */

typedef struct spar_host {
  uint32_t struct_size, abi_version;
  const char *name, *version;
  const void* (*get_service)(const struct spar_host*, const char* id); /* [any] NULL if unknown */
} spar_host;

#define SPAR_SVC_LOG "spar.log/1"
enum { SPAR_LOG_TRACE = 0, SPAR_LOG_DEBUG, SPAR_LOG_INFO, SPAR_LOG_WARN, SPAR_LOG_ERROR };
typedef struct spar_svc_log {
  uint32_t struct_size, reserved;
  void (*write)(spar_ctx*, uint32_t level, spar_str message); /* [any] */
} spar_svc_log;

/* Philox4x32-10 (Salmon et al. 2011), one stream per instance, named by what the instance is: results do not depend on
 * threads or on the order in which instances draw. The sequence is part of the contract. */
#define SPAR_SVC_RNG "spar.rng/1"
typedef struct spar_svc_rng {
  uint32_t struct_size, reserved;
  void (*bits)(spar_ctx*, uint64_t* dst, uint64_t n);  /* [serial] */
  void (*uniform)(spar_ctx*, double* dst, uint64_t n); /* [serial] in [0,1), 53 bits */
  void (*normal)(spar_ctx*, double* dst, uint64_t n);  /* [serial] mean 0, variance 1 */
  uint64_t (*seed_for)(spar_ctx*, spar_str purpose);   /* [any] for a private generator; draws nothing */
} spar_svc_rng;

#define SPAR_SVC_METRICS "spar.metrics/1"
enum { SPAR_METRIC_MEAN = 0, SPAR_METRIC_LAST, SPAR_METRIC_SUM }; /* how values between two log lines are joined */
typedef struct spar_svc_metrics {
  uint32_t struct_size, reserved;
  uint32_t (*define)(spar_ctx*, spar_str name, uint32_t kind, spar_str unit); /* [ctl] 0 = refused */
  void (*record)(spar_ctx*, uint32_t id, uint64_t step, double value);        /* [serial] */
} spar_svc_metrics;

/* The replay or rollout memory of this instance, owned by the host and shaped by needs(). */
#define SPAR_SVC_BUFFER "spar.buffer/1"
typedef struct spar_query {
  uint32_t struct_size, flags;
  uint64_t n;  /* rows; rollout: 0 = everything since the last learn() */
  double beta; /* exponent of the importance weights (Schaul et al. 2016, eq. 2) */
} spar_query;
typedef struct spar_svc_buffer {
  uint32_t struct_size, reserved;
  uint64_t (*size)(spar_ctx*); /* [any] transitions */
  spar_status (*sample)(spar_ctx*, const spar_query*, spar_batch* out,
                        spar_error*);      /* [serial] borrowed until release */
  void (*release)(spar_ctx*, spar_batch*); /* [serial] */
  /* [serial] p = |error| >= 0, finite. The host stores (p + needs.priority_eps)^needs.priority_alpha and drops the rows
   * whose slot was overwritten since they were sampled. */
  spar_status (*set_priority)(spar_ctx*, const uint64_t* index, const float* p, uint64_t n, spar_error*);
} spar_svc_buffer;

/* Versioned, immutable snapshots of named tensors. */
#define SPAR_SVC_PARAMS "spar.params/1"
typedef struct spar_snapshot {
  uint32_t struct_size, n;
  uint64_t version;
  const spar_column* tensors;
  void* token;
} spar_snapshot;
typedef struct spar_svc_params {
  uint32_t struct_size, reserved;
  /* [any] copies the tensors; *version counts from 1 for each key */
  spar_status (*publish)(spar_ctx*, spar_str key, const spar_column*, uint32_t n, uint64_t* version, spar_error*);
  /* [any] SPAR_E_NOTREADY if no version is newer than newer_than */
  spar_status (*fetch)(spar_ctx*, spar_str key, uint64_t newer_than, spar_snapshot* out, spar_error*);
  void (*release)(spar_ctx*, spar_snapshot*); /* [any] */
} spar_svc_params;

#define SPAR_SVC_EXEC "spar.exec/1"
typedef struct spar_svc_exec {
  uint32_t struct_size, reserved;
  uint32_t (*cancelled)(spar_ctx*); /* [any] poll it in loops of your own */
  uint32_t (*threads)(spar_ctx*);   /* [any] how many threads this instance may use */
  double (*progress)(spar_ctx*);    /* [any] 0..1 of the step budget, for schedules; NaN: the run has no step budget */
  spar_status (*parallel)(spar_ctx*, uint64_t n, void (*fn)(void*, uint64_t),
                          void* arg); /* [serial] returns when all ran */
} spar_svc_exec;

#ifdef __cplusplus
}
#endif
#endif
