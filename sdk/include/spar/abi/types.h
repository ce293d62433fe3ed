/* Value types, statuses, spaces, batches: the words that the rest of the contract is written in. */
#ifndef SPAR_ABI_TYPES_H
#define SPAR_ABI_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SPAR_ABI_MAJOR 1u
#define SPAR_ABI_MINOR 0u
#define SPAR_ABI_VERSION ((SPAR_ABI_MAJOR << 16) | SPAR_ABI_MINOR)

/* Is field f of *p present (its producer knew it) and not NULL? */
#define SPAR_END(T, f) (offsetof(T, f) + sizeof(((T*)0)->f))
#define SPAR_HAS(p, T, f) ((p)->struct_size >= SPAR_END(T, f) && (p)->f)

/* Stores a local struct through an out-pointer whose struct_size the caller set, never past that size. */
#define SPAR_STORE(out, local) spar_store_((out), &(local), (uint32_t)sizeof(local))
static inline __attribute__((unused)) void spar_store_(void* out, const void* src, uint32_t n) {
  uint32_t capacity = *(const uint32_t*)out, i;
  for (i = 4; i < (n < capacity ? n : capacity); i++) ((char*)out)[i] = ((const char*)src)[i];
}

/* ---- frozen value types: their size never changes ---- */

typedef int32_t spar_status; /* 0 ok, negative an error, positive information */
enum {
  SPAR_OK = 0,
  SPAR_E_INVALID = -1,     /* an argument, a configuration value or a column is wrong */
  SPAR_E_UNSUPPORTED = -2, /* right, but not offered by this peer */
  SPAR_E_NOMEM = -3,
  SPAR_E_STATE = -4, /* the call is not allowed now */
  SPAR_E_IO = -5,
  SPAR_E_VERSION = -6,
  SPAR_E_CANCELLED = -7, /* the host asked for an end */
  SPAR_E_NOTREADY = -8,  /* nothing newer yet */
  SPAR_E_INTERNAL = -99
};

typedef struct spar_str { /* UTF-8, not necessarily NUL-terminated */
  const char* ptr;
  uint64_t len;
} spar_str;

typedef struct spar_tensor { /* bit-compatible with DLPack's DLTensor (0.7 and later) */
  void* data;
  int32_t device_type, device_id; /* 1 CPU, 2 CUDA */
  int32_t ndim;
  uint8_t code, bits;       /* SPAR_DTYPE_*; bits of one element */
  uint16_t lanes;           /* 1 */
  int64_t *shape, *strides; /* strides in elements; NULL = compact, row-major */
  uint64_t byte_offset;
} spar_tensor;
enum { SPAR_DTYPE_INT = 0, SPAR_DTYPE_UINT = 1, SPAR_DTYPE_FLOAT = 2, SPAR_DTYPE_BFLOAT = 4, SPAR_DTYPE_BOOL = 6 };
enum { SPAR_DEVICE_CPU = 1, SPAR_DEVICE_CUDA = 2 };

typedef struct spar_column {
  spar_str name;
  spar_tensor t;
} spar_column;

enum {
  SPAR_T_NONE = 0, /* an optional parameter that was left out */
  SPAR_T_BOOL = 1,
  SPAR_T_INT,
  SPAR_T_REAL,
  SPAR_T_STR,
  SPAR_T_INTS,
  SPAR_T_REALS,
  SPAR_T_JSON /* a table or nested list, as JSON text in u.s */
};
typedef struct spar_value {
  uint32_t type, count; /* SPAR_T_*; length of INTS and REALS */
  union {
    int64_t i; /* BOOL: 0 or 1 */
    double r;
    spar_str s;
    const int64_t* iv;
    const double* rv;
  } u;
} spar_value;

typedef struct spar_error { /* the caller's; struct_size = sizeof(spar_error) */
  uint32_t struct_size;
  spar_status code;
  char message[504]; /* NUL-terminated; one sentence: what was expected, what was found, the remedy */
} spar_error;

/* ---- growable types ---- */

enum {
  SPAR_PARAM_LOG_SCALE = 2,
  SPAR_PARAM_ADVANCED = 4,
  SPAR_PARAM_DEPRECATED = 8,
  SPAR_PARAM_MIN_EXCLUSIVE = 16,
  SPAR_PARAM_MAX_EXCLUSIVE = 32,
  SPAR_PARAM_OPTIONAL = 64 /* may be left out: SPAR_T_NONE */
};
typedef struct spar_param { /* one configuration parameter: the host validates, documents and tunes from this */
  uint32_t struct_size, type;
  const char *name, *doc;     /* name: [a-z][a-z0-9_]*, stable for ever */
  const char* default_json;   /* NULL: required, or left out if SPAR_PARAM_OPTIONAL */
  double min, max;            /* inclusive unless flagged; NaN: unbounded. Of every element for INTS and REALS */
  const char* const* choices; /* NULL-terminated; SPAR_T_STR only */
  uint32_t flags, reserved;
} spar_param;

typedef struct spar_config { /* values[i] belongs to params[i] of the component */
  uint32_t struct_size, count;
  const spar_value* values;
} spar_config;

enum { SPAR_SPACE_BOX = 1, SPAR_SPACE_DISCRETE, SPAR_SPACE_MULTI_DISCRETE, SPAR_SPACE_MULTI_BINARY, SPAR_SPACE_DICT };
typedef struct spar_space {
  uint32_t struct_size, kind;
  uint8_t code, bits; /* element type of an observation */
  uint16_t lanes;     /* 1 */
  int32_t ndim;
  const int64_t* shape;
  const double *low, *high; /* BOX: product(shape) entries, or NULL = unbounded */
  int64_t n;                /* DISCRETE: 0 .. n-1 */
  const int64_t* nvec;      /* MULTI_DISCRETE: shape[0] entries */
  uint32_t n_children, reserved;
  const char* const* keys; /* DICT */
  const struct spar_space* const* children;
} spar_space;

enum {
  SPAR_COLUMN_CARRIED = 1 /* what act() wrote comes back as input of the same lane's next act(), zeros when "first" */
};
typedef struct spar_column_spec { /* what the other side must know to allocate a column */
  uint32_t struct_size, flags;
  const char* name;
  uint8_t code, bits;
  uint16_t lanes;
  int32_t ndim; /* of one row */
  const int64_t* shape;
} spar_column_spec;

/* Named columns; the first dimension of each is the row. Memory is on the CPU, compact and allocated by the host.
 * Standard columns, by where they occur. A DICT space gives "obs/KEY" (nested "obs/A/B"), every other space "obs".
 * "action": DISCRETE i64; BOX f32. Algorithms write BOX actions in units of [-1,1]; the host stores exactly that and
 * gives the environment a copy that is clamped and mapped to its box.
 *
 *   act in            obs, first (u8: this row starts an episode), action_mask (u8, if the agent fills it), carried
 * columns act out           action, needs.extra; optional probs (f32 [rows, n]) where the host offers the column
 *   sample, replay    obs, action, reward (n-step sum), discount (f32: gamma^k for the window's true k, 0 if
 * terminated, so y = reward + discount * V(next_obs)), next_obs (the true one), terminated (u8), needs.extra;
 *                     action_mask and next_action_mask if filled
 *   sample, rollout   every row since the last learn(), ordered by lane, then time: obs, action, reward, terminated,
 * truncated, last (u8: a segment ends here, by the episode's end or by a cut), next_obs, needs.extra
 *   central critic adds       state, next_state (f32: spar_world.state, else the members' observations, one after the
 * other, as their learners see them); to a replay sample also joint_action (f32: the members' actions, one after the
 * other, DISCRETE one-hot) and next_joint_action (f32: what the others' target policies do in their next observations;
 * the place of the agent's own action is 0, for the algorithm to fill: no instance is called while it learns) */
typedef struct spar_batch {
  uint32_t struct_size, n_columns;
  uint64_t rows;
  spar_column* columns;
  const uint64_t* index; /* sample: stamps for set_priority; act: lane (environment copy) of each row */
  const float* weight;   /* sample: importance weights, largest 1; NULL if the table is uniform */
  void* token;           /* the host's; goes back to buffer.release */
} spar_batch;

typedef struct spar_stream { /* short reads and writes are legal */
  uint32_t struct_size, reserved;
  void* ctx;
  int64_t (*read)(void* ctx, void* dst, uint64_t n); /* > 0 bytes, 0 end, < 0 status */
  int64_t (*write)(void* ctx, const void* src, uint64_t n);
} spar_stream;

#ifdef __cplusplus
}
#endif
#endif
