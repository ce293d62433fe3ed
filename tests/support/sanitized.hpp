// Whether the program runs under a sanitizer, where everything takes five to ten times as long.
#pragma once

namespace spar::test {

// clang says it by a feature, GCC by a macro.
#if defined(__has_feature)
#define SPAR_TEST_HAS_FEATURE(name) __has_feature(name)
#else
#define SPAR_TEST_HAS_FEATURE(name) 0
#endif

#if defined(__SANITIZE_THREAD__) || SPAR_TEST_HAS_FEATURE(thread_sanitizer)
constexpr bool kThreadSanitizer = true;
#else
constexpr bool kThreadSanitizer = false;
#endif

#if defined(__SANITIZE_ADDRESS__) || SPAR_TEST_HAS_FEATURE(address_sanitizer)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = kThreadSanitizer;
#endif

}  // namespace spar::test
