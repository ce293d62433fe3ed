// Functions compiled for a wider processor than the rest of the program.
#pragma once

/// SPAR_TARGET_512("avx512f,avx512dq"): before a function that is called only where the processor has these extensions.
/// Without being asked, GCC vectorises with 256 bits even then; clang does not know the request.
#if defined(__clang__)
#define SPAR_TARGET_512(extensions) __attribute__((target(extensions)))
#else
#define SPAR_TARGET_512(extensions) __attribute__((target(extensions ",prefer-vector-width=512")))
#endif
