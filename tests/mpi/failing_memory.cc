#include "failing_memory.h"

#include <dlfcn.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string_view>

namespace strata::testing {

FailingMemory& failing_memory() {
    static FailingMemory memory;
    return memory;
}

void FailingMemory::set(long failing, How how) {
    asked_ = 0;
    failing_ = failing;
    how_ = how;
    failed_ = false;
}

namespace {

struct Range {
    std::uintptr_t first = 0;
    std::uintptr_t end = 0;
};

int note_plugin(dl_phdr_info* object, std::size_t /*size*/, void* range) {
    if (std::strstr(object->dlpi_name, "mca_coll_strata") == nullptr) {
        return 0;
    }
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const auto& part = object->dlpi_phdr[i];
        if (part.p_type == PT_LOAD && (part.p_flags & PF_X) != 0) {
            const std::uintptr_t first = object->dlpi_addr + part.p_vaddr;
            *static_cast<Range*>(range) = {first, first + part.p_memsz};
        }
    }
    return 1;
}

/// Empty while the plugin is not loaded. Needs no memory.
const Range& plugin_range() {
    static Range plugin;
    if (plugin.end == 0) {
        dl_iterate_phdr(note_plugin, &plugin);
    }
    return plugin;
}

bool is_plugin(const void* caller) {
    const Range& plugin = plugin_range();
    const auto place = reinterpret_cast<std::uintptr_t>(caller);
    return place >= plugin.first && place < plugin.end;
}

bool is_algorithm(const void* caller) {
    Dl_info found{};
    return dladdr(caller, &found) != 0 && found.dli_sname != nullptr &&
           std::string_view(found.dli_sname).starts_with("ompi_coll_base_");
}

/// Returns whether `caller`'s malloc requests count.
bool counts(const void* caller) {
    return failing_memory().is_of_open_mpi() ? is_algorithm(caller) : is_plugin(caller);
}

}  // namespace

bool FailingMemory::fails(bool by_malloc) {
    if (!armed_ || (waits_for_plugin_ && plugin_range().end == 0) || (how_ == How::object && !by_malloc)) {
        return false;
    }
    const long number = asked_++;
    const bool hit = failing_ >= 0 && (how_ == How::lasting ? number >= failing_ : number == failing_);
    failed_ = failed_ || hit;
    return hit;
}

FailingMemory::How failure_from_name(std::string_view name) {
    if (name == "lasting") {
        return FailingMemory::How::lasting;
    }
    if (name == "object") {
        return FailingMemory::How::object;
    }
    return name == "other" ? FailingMemory::How::other : FailingMemory::How::once;
}

namespace {

void* aligned(std::size_t bytes, std::size_t alignment) {
    return std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
}

void* allocated_or_thrown(std::size_t bytes, std::size_t alignment) {
    if (!failing_memory().is_of_open_mpi() && failing_memory().fails(false)) {
        if (failing_memory().throws_other()) {
            throw std::runtime_error("as the test has it");
        }
        throw std::bad_alloc();
    }
    if (void* const memory = aligned(bytes, alignment); memory != nullptr) {
        return memory;
    }
    throw std::bad_alloc();
}

}  // namespace
}  // namespace strata::testing

using strata::testing::failing_memory;

void* operator new(std::size_t bytes) {
    return strata::testing::allocated_or_thrown(bytes, alignof(std::max_align_t));
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
    return strata::testing::allocated_or_thrown(bytes, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return !failing_memory().is_of_open_mpi() && failing_memory().fails(false)
               ? nullptr
               : strata::testing::aligned(bytes, alignof(std::max_align_t));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

extern "C" {

// glibc's own functions, even when others are preloaded
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);

void* malloc(std::size_t bytes) {
    if (failing_memory().armed() && strata::testing::counts(__builtin_return_address(0)) &&
        failing_memory().fails(true)) {
        return nullptr;
    }
    return __libc_malloc(bytes);
}
void* calloc(std::size_t count, std::size_t bytes) {
    if (failing_memory().armed() && strata::testing::counts(__builtin_return_address(0)) &&
        failing_memory().fails(true)) {
        return nullptr;
    }
    return __libc_calloc(count, bytes);
}
}
