#pragma once
#include <cfenv>

// All processes must come to the same decisions, bit by bit, whoever compiled their plugin.
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) || \
    defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "compile without -ffast-math, -Ofast and their parts: processes would come to different decisions"
#endif

namespace strata::topology {

/// While it lives this thread computes as every process starts: rounding to the nearest, subnormal numbers
/// kept, nothing trapped. Afterwards all is as it was, raised flags included. Ranks whose programs changed
/// any of that must come to the same decisions: every decision by real numbers is made under one of these.
/// Cost: some 100 ns.
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
