#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "topology/hierarchy.h"

/// Message counts that oracles compare.
namespace strata::testing {

struct Traffic {
    std::size_t bytes = 0;
    std::size_t messages = 0;
    bool operator==(const Traffic&) const = default;
};

inline std::string words(const Traffic& traffic) {
    return std::to_string(traffic.bytes) + " bytes in " + std::to_string(traffic.messages) + " messages";
}

/// Returns the traffic of `bytes` that cross a link once, in segments of `segment` bytes; 0: in one
/// message.
inline Traffic sent_once(std::size_t bytes, std::size_t segment) {
    if (bytes == 0) {
        return {};
    }
    return {bytes, segment == 0 ? 1 : bytes / segment + (bytes % segment != 0 ? 1 : 0)};
}

/// Returns the bytes of the messages from one rank to another, in order.
using SentBytes = std::map<std::pair<int, int>, std::vector<std::size_t>>;

inline std::string words(const std::vector<std::size_t>& sizes) {
    std::string text;
    for (const std::size_t size : sizes) text += " " + std::to_string(size);
    return text.empty() ? " nothing" : text;
}

inline bool holds(const topology::Group& group, int rank) {
    return std::binary_search(group.members.begin(), group.members.end(), rank);
}

}  // namespace strata::testing
