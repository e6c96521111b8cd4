#pragma once

// operator new of the whole test program counts its calls, per thread and while asked to.
namespace strata::testing {

extern thread_local bool counting;
extern thread_local int allocations;

}  // namespace strata::testing
