/* Component: network backend, another implementation of spar.nn/1. */
#ifndef SPAR_ABI_BACKEND_H
#define SPAR_ABI_BACKEND_H

#include "spar/abi/nn.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SPAR_BACKEND_CPU = 1, SPAR_BACKEND_CUDA = 2 };
typedef struct spar_backend_vtbl {
  uint32_t struct_size, flags;
  spar_status (*open)(const spar_host*, spar_ctx*, const spar_config*, spar_str device, const spar_svc_nn** out,
                      spar_error*); /* [ctl] */
  void (*close)(spar_ctx*);         /* [ctl] after its last network */
} spar_backend_vtbl;

#ifdef __cplusplus
}
#endif
#endif
