#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "topology/locality_record.h"

namespace strata::introspection {

/// Heights of switches over all records, as hierarchies count them: 0 for leaf switches, else one above
/// the highest switch below. Parts of a communicator with fewer branches keep these numbers, and so the
/// names.
class SwitchHeights {
public:
    explicit SwitchHeights(std::span<const topology::LocalityRecord> records);
    /// Returns the height of the switch `id` in a path of these records; empty without one.
    std::optional<std::uint8_t> of(std::span<const std::uint32_t> path, std::uint64_t id) const;
    /// Returns the switch of this height in a path; equal numbers mean the same switch. Empty without
    /// one.
    std::optional<std::uint64_t> at(std::span<const std::uint32_t> path, std::uint8_t height) const;

private:
    struct Switch {
        std::uint64_t number;
        std::uint8_t height = 0;
    };
    std::map<std::vector<std::uint32_t>, Switch> switches_;  // keyed by path, including the switch itself
};

}  // namespace strata::introspection
