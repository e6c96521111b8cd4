#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "topology/locality_record.h"

namespace strata::introspection {

/// How high switches stand: leaf switches 0, any other one above the highest below it, as hierarchies of all
/// these records count. Parts of a communicator that see fewer branches keep the numbers, and so the names.
class SwitchHeights {
public:
    explicit SwitchHeights(std::span<const topology::LocalityRecord> records);
    /// Of the switch in a path of these records that has this id; empty where there is none.
    std::optional<std::uint8_t> of(std::span<const std::uint32_t> path, std::uint64_t id) const;
    /// The switch of this height in a path: equal numbers, equal switch. Empty where there is none.
    std::optional<std::uint64_t> at(std::span<const std::uint32_t> path, std::uint8_t height) const;

private:
    struct Switch {
        std::uint64_t number;
        std::uint8_t height = 0;
    };
    std::map<std::vector<std::uint32_t>, Switch> switches_;  // by their paths, themselves included
};

}  // namespace strata::introspection
