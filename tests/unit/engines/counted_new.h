#pragma once

// operator new of the whole test program counts its calls per thread, while switched on.
namespace strata::testing {

// A sanitizer has its own operator new, which records allocations.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool counts_new = false;
#else
inline constexpr bool counts_new = true;
#endif

extern thread_local bool counting;
extern thread_local int allocations;

}  // namespace strata::testing
