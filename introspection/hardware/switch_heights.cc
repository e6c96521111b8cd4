#include "switch_heights.h"

#include <algorithm>

namespace strata::introspection {

SwitchHeights::SwitchHeights(std::span<const topology::LocalityRecord> records) {
    for (const topology::LocalityRecord& record : records) {
        std::vector<std::uint32_t> path = record.network_path;
        for (std::size_t height = 0; !path.empty(); ++height, path.pop_back()) {
            Switch& known = switches_.try_emplace(path, Switch{switches_.size()}).first->second;
            known.height =
                std::max(known.height, static_cast<std::uint8_t>(std::min<std::size_t>(height, 255)));
        }
    }
}

std::optional<std::uint8_t> SwitchHeights::of(std::span<const std::uint32_t> path, std::uint64_t id) const {
    const auto end = std::find(path.begin(), path.end(), id);
    if (end == path.end()) return std::nullopt;
    const auto found = switches_.find({path.begin(), end + 1});
    return found != switches_.end() ? std::optional(found->second.height) : std::nullopt;
}

std::optional<std::uint64_t> SwitchHeights::at(std::span<const std::uint32_t> path,
                                               std::uint8_t height) const {
    std::vector<std::uint32_t> prefix;
    for (const std::uint32_t id : path) {
        prefix.push_back(id);
        const auto found = switches_.find(prefix);
        if (found != switches_.end() && found->second.height == height) return found->second.number;
    }
    return std::nullopt;
}

}  // namespace strata::introspection
