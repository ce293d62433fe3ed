/* Component: agent-interface strategy (independent, async, team). It answers three questions: which groups (plan), what
 * next for a group (next), how to join the data of several agents (merge). It never touches an environment or a
 * network. */
#ifndef SPAR_ABI_STRATEGY_H
#define SPAR_ABI_STRATEGY_H

#include "spar/abi/algorithm.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct spar_strategy spar_strategy;

enum {                     /* done by the host */
       SPAR_JOIN_NONE = 0, /* one learner per agent */
       SPAR_JOIN_ROWS,     /* one learner, all rows */
       SPAR_JOIN_JOINT,    /* one learner over concatenated spaces, split again for act */
       SPAR_JOIN_CENTRAL   /* one learner per agent, with the central columns */
};
/* Where update() goes when there are gradient workers. Each has an instance of the algorithm and replicas of its
 * networks, all draw from the group's one memory, and the host's networks take the steps. LOCAL: one learner. BSP: an
 * update waits for all workers, the mean of their gradients makes one step. ASP, SSP: a gradient makes its step at
 * once; actors and workers go each at its own speed, so the group's flags have SPAR_GROUP_BESIDE. */
enum { SPAR_APPLY_LOCAL = 0, SPAR_APPLY_BSP, SPAR_APPLY_ASP, SPAR_APPLY_SSP };

enum { SPAR_GROUP_BESIDE = 1 }; /* spar_group.flags: actors run beside the learner */

typedef struct spar_group {
  uint32_t struct_size, n_agents;
  const char *name, *algorithm_slot; /* algorithm_slot: key of the configured algorithm; NULL = the default one */
  const uint32_t* agents;
  uint32_t join, apply, actors, learners;
  uint32_t max_staleness; /* learning phases that the parameters of an action may be old; beside the learner at least 1.
                           * SSP: updates that a worker may be ahead of the slowest. ASP: ignored */
  uint32_t flags;         /* SPAR_GROUP_BESIDE; 0: actors and learner take turns */
  double samples_per_insert; /* ASP, SSP: the rate limiter keeps the rows drawn for each transition near it; 0: near
                              * what the algorithm's needs come to. Else: what `next` keeps to, for replay memories */
} spar_group;

typedef struct spar_plan {
  uint32_t struct_size, n_groups;
  const spar_group* const* groups;
} spar_plan;

enum { SPAR_DO_COLLECT = 1, SPAR_DO_LEARN, SPAR_DO_PUSH, SPAR_DO_PULL, SPAR_DO_STOP };

typedef struct spar_progress {
  /* worker: 0 the actors' side, which is asked while everybody rests and may collect, push or stop; 1..learners of ASP
   * and SSP, asked while they work: LEARN as many calls, each when the rate limiter and max_staleness let it; COLLECT
   * waits for so many more transitions; PUSH; PULL takes the newest parameters; STOP ends the run. Else always 0 */
  uint32_t struct_size, group, worker, reserved;
  uint64_t env_steps, learn_steps, buffer_rows, slowest_learn_steps, param_version, store_version;
  double mean_return;
  const spar_needs* needs; /* what the group's algorithm asked for */
} spar_progress;

typedef struct spar_directive {
  uint32_t struct_size, what;
  uint64_t amount; /* COLLECT: transitions; LEARN: learn() calls; else 0 */
} spar_directive;

typedef struct spar_strategy_vtbl {
  uint32_t struct_size, flags; /* 1 groups may run on separate threads or processes */
  spar_status (*create)(const spar_host*, spar_ctx*, const spar_config*, const spar_world*, spar_strategy** out,
                        spar_error*);                                                          /* [ctl] */
  void (*destroy)(spar_strategy*);                                                             /* [ctl] */
  spar_status (*plan)(spar_strategy*, spar_plan* out, spar_error*);                            /* [ctl] */
  spar_status (*next)(spar_strategy*, const spar_progress*, spar_directive* out, spar_error*); /* [serial] */
  /* [serial] NULL = the host's join. Columns point into the inputs or the strategy's memory, valid until its next
   * merge. */
  spar_status (*merge)(spar_strategy*, uint32_t group, const spar_batch* const* per_agent, uint32_t n, spar_batch* out,
                       spar_error*);
  spar_status (*save)(spar_strategy*, const spar_stream*, spar_error*); /* [ctl] */
  spar_status (*load)(spar_strategy*, const spar_stream*, spar_error*); /* [ctl] */
  const void* (*get_extension)(spar_strategy*, const char* id);         /* [any] may be NULL */
} spar_strategy_vtbl;

/* Groups that the experiment asks for ([[group]], or a rule): name, algorithm_slot, agents and n_agents are set, the
 * rest is 0. Together they hold every agent once. A plan made after them never gives agents of one group the algorithm
 * of another: it hands algorithm_slot on. A strategy without this extension is refused where there are such groups. */
#define SPAR_EXT_STRATEGY_GROUPS "spar.strategy.groups/1"
typedef struct spar_ext_strategy_groups {
  uint32_t struct_size, reserved;
  /* [ctl] at most once, between create and plan; what the array points to lives as long as the strategy */
  spar_status (*set)(spar_strategy*, const spar_group* const* groups, uint32_t n, spar_error*);
} spar_ext_strategy_groups;

#ifdef __cplusplus
}
#endif
#endif
