#pragma once
#include <cfenv>

// All processes must compute the same decisions bit by bit, with any compiler of the plugin.
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) || \
    defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "compile without -ffast-math, -Ofast and their parts: processes would come to different decisions"
#endif

namespace strata::topology {

/// Sets the floating-point environment of process start for this thread: round to nearest, subnormal
/// numbers kept, no traps. The destructor restores the caller's environment, raised flags included.
/// Every decision by real numbers runs under one, because ranks whose programs changed that environment
/// must decide alike. Cost: some 100 ns.
class DefaultArithmetic {
public:
    DefaultArithmetic() {
        std::fegetenv(&callers_);
        std::fesetenv(FE_DFL_ENV);
    }
    DefaultArithmetic(const DefaultArithmetic&) = delete;
    DefaultArithmetic& operator=(const DefaultArithmetic&) = delete;
    ~DefaultArithmetic() { std::fesetenv(&callers_); }

private:
    std::fenv_t callers_;
};

}  // namespace strata::topology
