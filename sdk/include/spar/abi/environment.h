/* Component: environment. N copies stepped together, one or more agents. It knows its dynamics and nothing else: the
 * HOST owns time limits, resets, reward accumulation between turns, normalisation and recording, and allocates every
 * buffer. */
#ifndef SPAR_ABI_ENVIRONMENT_H
#define SPAR_ABI_ENVIRONMENT_H

#include "spar/abi/services.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct spar_env spar_env;

typedef struct spar_agent_spec {
  uint32_t struct_size, reserved;
  const char* id;
  const spar_space *obs, *act;
  uint32_t n_columns, reserved2;
  const char* const* columns; /* optional columns that this agent fills */
} spar_agent_spec;

typedef struct spar_world {
  uint32_t struct_size, n_agents;
  const spar_agent_spec* const* agents;
  uint64_t n_envs;
  uint64_t time_limit;     /* recommended steps per episode, applied by the host; 0 = none */
  const spar_space* state; /* central state for Team strategies; NULL = the joined observations */
} spar_world;

/* One batch per agent, rows == n_envs. reset and step write only the rows concerned; all others keep their bytes.
 *   in   "action" (BOX: already in the environment's own units)
 *   out  "obs", "reward" (f32), "terminated" (u8)
 *        optional: "truncated" (u8: dynamics that end an episode by themselves), "acting" (u8: this agent moves next),
 *        "alive" (u8), "action_mask" (u8 [n], DISCRETE only: 1 = allowed now; at least one unless the episode has
 *        ended or the agent does not move next), "metric.NAME" (f64)
 *   shared: "state" (if world.state), "metric.NAME" (f64)
 * The action of an agent whose "acting" is 0 is not read. */
typedef struct spar_env_io {
  uint32_t struct_size, n_agents;
  const spar_batch* const* act; /* NULL in reset */
  spar_batch* const* out;
  spar_batch* shared; /* may be NULL */
} spar_env_io;

enum { SPAR_ENV_DETERMINISTIC = 1, SPAR_ENV_CHANCE_NODES = 2 };
typedef struct spar_env_vtbl {
  uint32_t struct_size, flags;
  spar_status (*create)(const spar_host*, spar_ctx*, const spar_config*, uint64_t n_envs, spar_env** out,
                        spar_error*);                               /* [ctl] */
  void (*destroy)(spar_env*);                                       /* [ctl] */
  spar_status (*describe)(spar_env*, spar_world* out, spar_error*); /* [ctl] */
  /* [serial] mask: u8 per copy, NULL = all. seeds: one per copy, NULL = each copy's own generator goes on. */
  spar_status (*reset)(spar_env*, const uint8_t* mask, const uint64_t* seeds, spar_env_io*, spar_error*);
  spar_status (*step)(spar_env*, spar_env_io*, spar_error*); /* [serial] never resets by itself */
  const void* (*get_extension)(spar_env*, const char* id);   /* [any] may be NULL */
} spar_env_vtbl;

/* Exact save, restore and clone of one copy, its generator included. Without it a run cannot be resumed exactly. */
#define SPAR_EXT_ENV_STATE "spar.env.state/1"
typedef struct spar_ext_env_state {
  uint32_t struct_size, reserved;
  spar_status (*save)(spar_env*, uint64_t row, const spar_stream*, spar_error*); /* [serial] */
  spar_status (*load)(spar_env*, uint64_t row, const spar_stream*, spar_error*); /* [serial] */
  spar_status (*copy)(spar_env*, uint64_t dst, uint64_t src, spar_error*);       /* [serial] */
} spar_ext_env_state;

/* RGB picture of one copy; needs no display and no graphics library. */
#define SPAR_EXT_ENV_RENDER "spar.env.render/1"
typedef struct spar_ext_env_render {
  uint32_t struct_size, width, height, fps;
  spar_status (*render)(spar_env*, uint64_t row, uint8_t* rgb, spar_error*); /* [serial] height * width * 3 bytes */
} spar_ext_env_render;

/* The game tree of one copy: exact best response, exploitability, search. A position is a copy's state; whoever walks
 * the tree begins with root and goes on with apply, keeping branches in other copies (state.copy). Unlike step, apply
 * plays chance only when it is told its outcome, so no generator is drawn from. Every agent must have perfect recall:
 * its infoset tells what it knew and did before. Actions and outcomes are numbered from 0.
 *   current_player   an agent, or SPAR_PLAYER_*: chance, several agents at once, or nobody because the game has ended
 *   legal_actions    ascending; of `agent` where it is to move. Returns how many there are, writes at most cap of them
 *   chance_outcomes  the same for chance, with probabilities that add to 1
 *   apply            n = 1: the action of the player to move, or the outcome; simultaneous: one action for each agent
 *   returns          what each agent has been paid since the root; final in a terminal position
 *   infoset          bytes that two positions share if and only if `agent` cannot tell them apart
 *   observe          columns "obs", "acting" and "action_mask" of that row: what a learned policy is asked there
 *   root             the position before anything happened, chance included */
#define SPAR_EXT_ENV_TREE "spar.env.tree/1"
enum { SPAR_PLAYER_CHANCE = -1, SPAR_PLAYER_SIMULTANEOUS = -2, SPAR_PLAYER_TERMINAL = -4 };
typedef struct spar_ext_env_tree {
  uint32_t struct_size, reserved;
  int32_t (*current_player)(spar_env*, uint64_t row);                                             /* [serial] */
  uint64_t (*legal_actions)(spar_env*, uint64_t row, uint32_t agent, int64_t* dst, uint64_t cap); /* [serial] count */
  uint64_t (*chance_outcomes)(spar_env*, uint64_t row, int64_t* dst, double* prob, uint64_t cap); /* [serial] count */
  spar_status (*apply)(spar_env*, uint64_t row, const int64_t* actions, uint32_t n, spar_error*); /* [serial] */
  spar_status (*returns)(spar_env*, uint64_t row, double* dst, spar_error*); /* [serial] per agent */
  spar_status (*infoset)(spar_env*, uint64_t row, uint32_t agent, const spar_stream*,
                         spar_error*);                                        /* [serial] key bytes */
  spar_status (*observe)(spar_env*, uint64_t row, spar_env_io*, spar_error*); /* [serial] */
  spar_status (*root)(spar_env*, uint64_t row, spar_error*);                  /* [serial] */
} spar_ext_env_tree;

/* One copy in words, for a person who plays an agent. UTF-8; the only control character is \n.
 *   position  what `agent` sees, in one or more lines; where the episode has ended, anything that helps to understand
 * how action    what an action of `agent` is called in this position ("bet"); nothing is written where its number says
 * it all. May be NULL */
#define SPAR_EXT_ENV_TEXT "spar.env.text/1"
typedef struct spar_ext_env_text {
  uint32_t struct_size, reserved;
  spar_status (*position)(spar_env*, uint64_t row, uint32_t agent, const spar_stream*, spar_error*); /* [serial] */
  spar_status (*action)(spar_env*, uint64_t row, uint32_t agent, int64_t action, const spar_stream*,
                        spar_error*); /* [serial] */
} spar_ext_env_text;

#ifdef __cplusplus
}
#endif
#endif
