/* Layout lock: a line here that fails is an ABI break. Growable structs are locked at their last field of 1.0. */
#ifndef SPAR_ABI_LOCK_H
#define SPAR_ABI_LOCK_H

#include "spar/abi/backend.h"
#include "spar/abi/losses.h"
#include "spar/abi/plugin.h"
#include "spar/abi/strategy.h"

#ifdef __cplusplus
#define SPAR_LOCK(c) static_assert(c, #c)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define SPAR_LOCK(c) _Static_assert(c, #c)
#else
#define SPAR_LOCK(c) extern int spar_lock_[(c) ? 1 : -1]
#endif

SPAR_LOCK(sizeof(void*) == 8 && sizeof(spar_str) == 16 && sizeof(spar_value) == 24);
SPAR_LOCK(sizeof(spar_tensor) == 48 && offsetof(spar_tensor, shape) == 24 && sizeof(spar_column) == 64);
SPAR_LOCK(sizeof(spar_error) == 512 && offsetof(spar_batch, token) == 40 && offsetof(spar_param, reserved) == 60);
SPAR_LOCK(offsetof(spar_column_spec, shape) == 24 && offsetof(spar_space, children) == 72);
SPAR_LOCK(offsetof(spar_svc_rng, seed_for) == 8 + 3 * 8 && offsetof(spar_svc_buffer, set_priority) == 8 + 3 * 8);
SPAR_LOCK(offsetof(spar_svc_params, release) == 8 + 2 * 8 && offsetof(spar_svc_exec, parallel) == 8 + 3 * 8);
SPAR_LOCK(offsetof(spar_svc_nn, write) == 8 + 9 * 8 && offsetof(spar_update, tau) == 64);
SPAR_LOCK(offsetof(spar_net_spec, json) == 40);
SPAR_LOCK(offsetof(spar_env_vtbl, get_extension) == 8 + 5 * 8 && offsetof(spar_world, state) == 32);
SPAR_LOCK(offsetof(spar_ext_env_text, action) == 16);
SPAR_LOCK(offsetof(spar_algo_vtbl, get_extension) == 8 + 9 * 8 && offsetof(spar_algo_setup, lanes) == 56);
SPAR_LOCK(offsetof(spar_ext_algo_losses, value) == 16);
SPAR_LOCK(offsetof(spar_needs, reward_transform) == 96);
SPAR_LOCK(offsetof(spar_strategy_vtbl, get_extension) == 8 + 7 * 8 && offsetof(spar_progress, needs) == 72);
SPAR_LOCK(offsetof(spar_ext_strategy_groups, set) == 8);
SPAR_LOCK(offsetof(spar_component, vtbl) == 56 && offsetof(spar_plugin, n_components) == 64);

#endif
