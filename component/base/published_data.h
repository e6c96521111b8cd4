#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace strata::component {

/// The published data of one process inside a message: process number, length, bytes. Numbers have four
/// bytes, little-endian.
struct Published {
    std::uint32_t process = 0;
    std::span<const std::byte> bytes;
};

void append_published(std::vector<std::byte>& message, std::uint32_t process,
                      std::span<const std::byte> bytes);
/// Removes the first entry from a message; returns false if the message holds no complete entry.
bool take_published(std::span<const std::byte>& message, Published& one);

}  // namespace strata::component
