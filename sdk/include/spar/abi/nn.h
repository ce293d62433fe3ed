/* Networks whose parameters, gradients and optimiser state the host owns: it checkpoints, publishes, averages and
 * exports them without asking the plugin, and a faster kernel makes yesterday's plugin faster. Every backend computes
 * the same function. All numbers are float32, except u8 inputs, which are scaled by 1/255. */
#ifndef SPAR_ABI_NN_H
#define SPAR_ABI_NN_H

#include "spar/abi/services.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SPAR_SVC_NN "spar.nn/1"

typedef struct spar_net spar_net;

/* Keys of json, frozen with the ABI (a key that a backend does not offer is refused by name):
 *   hidden      [ints]                 widths of the hidden layers, may be empty
 *   activation  "relu" | "tanh"        default relu
 *   output      "identity" | "tanh"    default identity
 *   init        "default" | "orthogonal" | "uniform"; default: weights and biases U(-1/sqrt(fan_in), 1/sqrt(fan_in));
 *               orthogonal: biases 0; uniform: U(-gain, gain)
 *   gain, last_gain                    scale of orthogonal and uniform; default 1; last_gain for the output layer
 *   heads       [{"out":1,"hidden":[..]}, ..]   branches after the trunk, outputs concatenated
 *   dueling     true                   with heads [{"out":1..},{"out":n..}]: output Q = V + A - mean_a A, n numbers
 *   atoms       N                      with dueling and heads [{"out":N..},{"out":n*N..}]: the same for each atom of a
 *                                      distribution over values; output [n, N], the atoms of an action side by side
 *   noisy       sigma0                 every linear layer is y = (W + sigma_W * eps_W) x + b + sigma_b * eps_b with
 *                                      eps_W = f(eps_out) f(eps_in)^T, eps_b = f(eps_out), f(x) = sgn(x) sqrt|x|
 *                                      (Fortunato et al. 2018); sigmas start at sigma0 / sqrt(fan_in)
 *   value       [numbers]              start of a free vector (n_inputs 0)
 *   kind        "mlp" (default) | "nature_cnn" | "torchscript"
 *               nature_cnn: the three convolutions of Mnih et al. 2015 over the one input [channels, height, width] of
 *               at least 36 x 36, their outputs joined with the other inputs, then as mlp; hidden is [512] by default.
 *               Canonical order: weight [filters, channels, kernel, kernel] and bias of each convolution, then the rest
 *               torchscript: a module that takes the inputs and gives [rows, out]; canonical order: its parameters()
 *   file        of torchscript
 *   backend     "auto" (default) | "native" | id of a backend, e.g. "torch"; auto: native if it can, else torch
 *   device      "auto" (default) | "cpu" | "cuda"; cuda needs a backend */
typedef struct spar_net_spec {
  uint32_t struct_size, ensemble; /* ensemble: the same shape n times (twin critics), evaluated together; 0 means 1 */
  const spar_column_spec* const* inputs; /* joined in order, so a critic takes {obs, action} without a copy */
  uint32_t n_inputs,
      slots; /* n_inputs 0: a free vector of `out` numbers; slots: how many activations are kept, 1..slots */
  int64_t out;
  uint64_t max_rows; /* of one forward */
  const char* json;
} spar_net_spec;

typedef struct spar_update { /* one optimiser step over several networks with ONE global norm; an ensemble counts as one
                              */
  uint32_t struct_size, n_nets;
  spar_net* const* nets;
  spar_net* const*
      targets; /* NULL, or one per network (entries may be NULL): target += tau * (net - target) after the step */
  double lr, beta1, beta2, eps;
  double max_grad_norm; /* <= 0: no clipping */
  double tau;
} spar_update;

enum { SPAR_NET_PARAMS = 1, SPAR_NET_INPUT = 2 }; /* which gradients backward computes */
enum { SPAR_NET_QUIET = 1 };                      /* forward: noisy layers use their means, and so does backward */
enum {                                            /* what read and write move */
       SPAR_NET_VALUES = 0,
       SPAR_NET_GRADIENTS,
       SPAR_NET_MOMENT1,
       SPAR_NET_MOMENT2,
       SPAR_NET_STEPS, /* one u64: optimiser steps taken */
       SPAR_NET_NOISE  /* of noisy layers, f32, standard normal: member, layer, eps_in [in], eps_out [out] */
};

typedef struct spar_svc_nn {
  uint32_t struct_size, reserved;
  /* [ctl] Initial values come from the instance's stream and the name, not from the order of creation. */
  spar_status (*create)(spar_ctx*, spar_str name, const spar_net_spec*, spar_net** out, spar_error*);
  void (*destroy)(spar_net*); /* [ctl] */
  /* [serial] x: n_inputs tensors [rows, ..], or [ensemble, rows, ..] for another input per member; y: the caller's
   * [ensemble, rows, out]. slot 0 keeps nothing; slot 1..slots keeps what backward needs. */
  spar_status (*forward)(spar_net*, uint32_t slot, uint32_t flags, const spar_tensor* const* x, spar_tensor* y,
                         spar_error*);
  /* [serial] dy shaped like y. Parameter gradients ADD until update. dx: n_inputs entries, NULL = not wanted,
   * OVERWRITTEN, shaped like x (x without ensemble dimension: summed over the ensemble). */
  spar_status (*backward)(spar_net*, uint32_t slot, const spar_tensor* dy, spar_tensor* const* dx, uint32_t what,
                          spar_error*);
  /* [serial] Norm, clip, Adam (Kingma & Ba 2015), blend, zero gradients. *grad_norm: before clipping; may be NULL. A
   * norm that is not finite is SPAR_E_STATE and changes nothing. */
  spar_status (*update)(spar_ctx*, const spar_update*, double* grad_norm, spar_error*);
  spar_status (*blend)(spar_net* dst, const spar_net* src, double tau,
                       spar_error*); /* [serial] dst += tau * (src - dst) */
  /* [serial] New noise in noisy layers, from a stream of the network's own that is saved with it; create draws the
   * first. Activations of before are no longer good for backward. */
  spar_status (*resample)(spar_net*, spar_error*);
  uint64_t (*bytes)(spar_net*, uint32_t what); /* [any] */
  /* [serial] Canonical order: member, layer, weight [out, in], bias; trunk first, then each head. A noisy layer goes on
   * with the sigmas: weight [out, in], bias. */
  spar_status (*read)(spar_net*, uint32_t what, void* dst, uint64_t bytes, spar_error*);
  spar_status (*write)(spar_net*, uint32_t what, const void* src, uint64_t bytes, spar_error*);
} spar_svc_nn;

#ifdef __cplusplus
}
#endif
#endif
