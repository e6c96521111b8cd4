#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

namespace strata::testing {

inline constexpr std::size_t kib = 1024;
inline constexpr std::size_t mib = 1024 * kib;
inline constexpr std::size_t gib = 1024 * mib;

/// Bytes that this machine can still give to processes, by the kernel's estimate and the control group's
/// limit.
std::size_t available_bytes();

struct Unmap {
    std::size_t bytes = 0;
    void operator()(std::uint8_t* memory) const;
};
using HugeMemory = std::unique_ptr<std::uint8_t[], Unmap>;

/// Zeroes, in huge pages, or page faults take most of the time. Aborts the job where there are none to be
/// had.
HugeMemory huge_memory(std::size_t bytes);
/// The same of which only few pages will ever be touched: takes no memory for the others.
HugeMemory sparse_memory(std::size_t bytes);

}  // namespace strata::testing
