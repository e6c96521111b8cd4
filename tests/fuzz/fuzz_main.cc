// One target under libFuzzer, which has the main function: STRATA_FUZZ_TARGET names it.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "targets.h"

namespace {

const strata::fuzz::Target& chosen_target() {
    const char* const name = std::getenv("STRATA_FUZZ_TARGET");
    if (const auto* found = strata::fuzz::find_target(name == nullptr ? "" : name)) return *found;
    std::fputs("STRATA_FUZZ_TARGET must be one of:", stderr);
    for (const auto& target : strata::fuzz::all_targets()) {
        std::fprintf(stderr, " %.*s", static_cast<int>(target.name.size()), target.name.data());
    }
    std::fputs("\n", stderr);
    std::exit(2);
}

}  // namespace

/// An exception that the target may not throw ends the program, with the thrower's stack.
extern "C" __attribute__((visibility("default"))) int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                                                             std::size_t size) noexcept {
    static const strata::fuzz::Target& target = chosen_target();
    strata::fuzz::run(target, {reinterpret_cast<const char*>(data), size});
    return 0;
}
