#pragma once
#include <cstdint>
#include <ctime>

namespace strata::component {

/// Returns the nanoseconds of a clock: CLOCK_MONOTONIC, or CLOCK_THREAD_CPUTIME_ID (this thread's CPU time).
inline std::uint64_t ns_of(clockid_t clock) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace strata::component
