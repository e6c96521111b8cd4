#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace strata::component {

/// What a process has published, as it travels among that of others: its number, the length, and the bytes;
/// numbers have four bytes, the lowest first.
struct Published {
    std::uint32_t process = 0;
    std::span<const std::byte> bytes;
};

void append_published(std::vector<std::byte>& message, std::uint32_t process,
                      std::span<const std::byte> bytes);
/// Takes the first one off a message; false where it has no whole one.
bool take_published(std::span<const std::byte>& message, Published& one);

}  // namespace strata::component
