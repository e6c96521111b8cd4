#include "counted_new.h"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace strata::testing {

thread_local bool counting = false;
thread_local int allocations = 0;

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
namespace {

void* allocated(std::size_t bytes, std::size_t alignment) {
    allocations += counting ? 1 : 0;
    const std::size_t rounded = (bytes + alignment) / alignment * alignment;
    if (void* const memory = rounded < bytes ? nullptr : std::aligned_alloc(alignment, rounded);
        memory != nullptr) {
        return memory;
    }
    throw std::bad_alloc();
}

}  // namespace
#endif

}  // namespace strata::testing

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
void* operator new(std::size_t bytes) { return strata::testing::allocated(bytes, alignof(std::max_align_t)); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return strata::testing::allocated(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
#endif
