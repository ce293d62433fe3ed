/* Component: network backend, another implementation of spar.nn/1. Algorithms never see it: they ask the host for a
 * network with the keys backend and device, and the host passes the calls on. What decides the numbers stays with the
 * host, so that every backend starts equal and checkpoints go from one to the other:
 *   - the host checks every argument before it calls: names, keys, shapes, slots, rows, stale activations;
 *   - tensors are compact and lie in host memory; the memory is the caller's again when the call returns;
 *   - after create the host writes SPAR_NET_VALUES (but for kind torchscript, whose file says how it starts) and
 *     SPAR_NET_NOISE; it draws new noise itself and writes it, so resample may be NULL;
 *   - update and blend get networks of the same open() only. */
#ifndef SPAR_ABI_BACKEND_H
#define SPAR_ABI_BACKEND_H

#include "spar/abi/nn.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SPAR_BACKEND_CPU = 1, SPAR_BACKEND_CUDA = 2 };
typedef struct spar_backend_vtbl {
  uint32_t struct_size, flags;
  /* device: "auto" (the best that there is), "cpu" or "cuda"; one that is not there is SPAR_E_UNSUPPORTED */
  spar_status (*open)(const spar_host*, spar_ctx*, const spar_config*, spar_str device, const spar_svc_nn** out,
                      spar_error*); /* [ctl] */
  void (*close)(spar_ctx*);         /* [ctl] after its last network */
} spar_backend_vtbl;

#ifdef __cplusplus
}
#endif
#endif
