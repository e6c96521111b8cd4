#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

namespace strata::testing {

inline constexpr std::size_t kib = 1024;
inline constexpr std::size_t mib = 1024 * kib;
inline constexpr std::size_t gib = 1024 * mib;

/// Returns how many bytes this machine can still give to processes, by the kernel's estimate and the
/// control group's limit.
std::size_t available_bytes();

struct Unmap {
    std::size_t bytes = 0;
    void operator()(std::uint8_t* memory) const;
};
using HugeMemory = std::unique_ptr<std::uint8_t[], Unmap>;

/// Zeroed memory in huge pages, because page faults would take most of the time. Aborts the job if there is
/// none.
HugeMemory huge_memory(std::size_t bytes);
/// The same for memory with few touched pages: the others take no memory.
HugeMemory sparse_memory(std::size_t bytes);

}  // namespace strata::testing
