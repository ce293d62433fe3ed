/* Component: algorithm. It acts and learns; memory, networks, seeds and cadence are the host's. */
#ifndef SPAR_ABI_ALGORITHM_H
#define SPAR_ABI_ALGORITHM_H

#include "spar/abi/environment.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct spar_algo spar_algo;

enum {
  SPAR_MODE_EXPLORE = 0,
  SPAR_MODE_GREEDY, /* changes nothing, draws nothing */
  SPAR_MODE_SAMPLE, /* the policy's own distribution, no extra exploration */
  SPAR_MODE_TARGET  /* the same by the target networks (central critics of other members) */
};
enum {
  SPAR_ROLE_TRAIN = 0,
  SPAR_ROLE_ACT = 1 /* frozen opponent, parallel actor, evaluation: create only what act() needs; the host fills the
                       networks of the same names from a snapshot */
};
enum { SPAR_BUF_NONE = 0, SPAR_BUF_REPLAY, SPAR_BUF_PRIORITIZED, SPAR_BUF_ROLLOUT };

typedef struct spar_algo_setup {
  uint32_t struct_size, role;
  const spar_agent_spec* agent;
  uint32_t actor,
      n_actors;      /* number of this acting copy: its exploration scale; a setting, never the number of threads */
  uint64_t max_rows; /* most rows of one act(); lanes are numbered below it */
  const spar_space* state;          /* central critic: its observation; NULL = none */
  uint64_t joint_width, own_offset; /* .. and the joint action: f32 numbers in all, where this agent's begin */
  uint64_t lanes; /* whose steps fill the memory of this instance: environment copies, times the agents that share it; 0
                     if it has none */
} spar_algo_setup;

typedef struct spar_needs { /* counted in transitions of the group, all copies together */
  uint32_t struct_size, buffer_kind;
  uint64_t capacity;       /* transitions the buffer holds */
  uint64_t warmup;         /* transitions of uniform actions before the first learn() */
  uint64_t rows_per_learn; /* learn() waits until the buffer holds as many */
  uint64_t learn_every;    /* transitions between two learning phases */
  uint32_t n_step, n_extra;
  double gamma;
  const spar_column_spec* const* extra; /* "logp", "value", recurrent state (carried), .. */
  uint32_t updates;                     /* learn() calls per phase */
  uint32_t actors;                      /* acting copies wanted; 0 = any */
  double priority_alpha, priority_eps;
  /* Applied by the host in one place: to what act() sees and what sample() returns. NULL or "" = none, else "scale(x)",
   * "clip(x)" (to [-x, x]; rewards before the n-step sum) or "normalise" (running mean and variance of observations;
   * rewards are divided by the running standard deviation of the discounted return). Statistics travel with the policy.
   */
  const char *state_transform, *reward_transform;
} spar_needs;

typedef struct spar_act {
  uint32_t struct_size, mode;
  double epsilon; /* NaN = the algorithm's own schedule */
  uint64_t step;  /* transitions of the group so far */
} spar_act;

enum { /* spar_algo_vtbl.flags */
       SPAR_ALGO_DISCRETE = 1,
       SPAR_ALGO_CONTINUOUS = 2,
       SPAR_ALGO_ON_POLICY = 4,
       SPAR_ALGO_HOSTED_NETWORKS =
           8, /* all that is trained lives in spar.nn: snapshots and frozen copies need no help */
       SPAR_ALGO_FILLS_PROBS = 16,
       SPAR_ALGO_HONOURS_MASK = 32,
       SPAR_ALGO_CENTRAL_CRITIC = 64,
       SPAR_ALGO_IMAGES = 128,
       SPAR_ALGO_MULTI_DISCRETE = 256
};
typedef struct spar_algo_vtbl {
  uint32_t struct_size, flags;
  spar_status (*create)(const spar_host*, spar_ctx*, const spar_config*, const spar_algo_setup*, spar_algo** out,
                        spar_error*);                             /* [ctl] */
  void (*destroy)(spar_algo*);                                    /* [ctl] joins its threads */
  spar_status (*needs)(spar_algo*, spar_needs* out, spar_error*); /* [ctl] constant after create */
  spar_status (*act)(spar_algo*, const spar_act*, const spar_batch* obs, spar_batch* out, spar_error*); /* [serial] */
  spar_status (*learn)(spar_algo*, uint64_t step, spar_error*);     /* [serial] one update (on-policy: one phase) */
  spar_status (*save)(spar_algo*, const spar_stream*, spar_error*); /* [ctl] what spar.nn and the host do not own */
  spar_status (*load)(spar_algo*, const spar_stream*, spar_error*); /* [ctl] */
  spar_status (*weights)(spar_algo*, const spar_column** out, uint32_t* n,
                         spar_error*); /* [serial] without HOSTED_NETWORKS */
  spar_status (*set_weights)(spar_algo*, const spar_column*, uint32_t n,
                             spar_error*);                  /* [serial] without HOSTED_NETWORKS */
  const void* (*get_extension)(spar_algo*, const char* id); /* [any] may be NULL */
} spar_algo_vtbl;

#ifdef __cplusplus
}
#endif
#endif
