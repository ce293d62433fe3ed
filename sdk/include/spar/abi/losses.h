/* Extension of an algorithm: the losses of a given batch, without an update. */
#ifndef SPAR_ABI_LOSSES_H
#define SPAR_ABI_LOSSES_H

#include "spar/abi/algorithm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Each function answers the number that learn() would minimise on this batch. It changes nothing: no parameter,
 * gradient, counter, metric or priority. Drawing random numbers is allowed, because the host puts the instance's stream
 * back afterwards; resampling noise of networks is not.
 * batch: columns as sample() lends them; weight may be NULL (all 1), index is NULL. At most as many rows as learn()
 * takes; the algorithm refuses others with SPAR_E_INVALID and names both numbers. */
#define SPAR_EXT_ALGO_LOSSES "spar.algo.losses/1"
typedef struct spar_ext_algo_losses {
  uint32_t struct_size, reserved;
  /* [serial] of the actor; NULL: there is no policy beside the values */
  spar_status (*policy)(spar_algo*, const spar_batch* batch, double* out, spar_error*);
  /* [serial] of the values or critics; NULL: nothing is valued */
  spar_status (*value)(spar_algo*, const spar_batch* batch, double* out, spar_error*);
} spar_ext_algo_losses;

#ifdef __cplusplus
}
#endif
#endif
