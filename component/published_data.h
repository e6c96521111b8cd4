#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace strata::component {

/// What processes of a job published under one key, as far as is known here.
class PublishedData {
public:
    using Bytes = std::vector<std::byte>;

    /// Without bytes: the process publishes nothing.
    void set(std::uint32_t process, std::optional<Bytes> bytes) { of_[process] = std::move(bytes); }
    /// nullptr: not known.
    const std::optional<Bytes>* find(std::uint32_t process) const;

    /// Of each process its number, the length (all bits set: nothing published) and the bytes; numbers have
    /// four bytes, the lowest first.
    Bytes message() const;
    /// Adds what a message has, up to where it is none any more.
    void add(std::span<const std::byte> message);

private:
    std::map<std::uint32_t, std::optional<Bytes>> of_;
};

}  // namespace strata::component
