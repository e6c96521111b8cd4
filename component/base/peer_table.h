#pragma once
#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "topology/locality_record.h"

namespace strata::component {

/// The locality records of other processes, compressed: twelve bytes per process, indexed by process number,
/// and each distinct path once. Version and settings are not stored: add() gets only records that agree in
/// them.
class PeerTable {
public:
    /// Throws std::bad_alloc; then the table is unchanged or holds the record.
    void add(std::uint32_t process, const topology::LocalityRecord& record);
    bool has(std::uint32_t process) const noexcept {
        return process < entries_.size() && entries_[process].node != none;
    }
    /// Returns LocalityRecord::node_id; 0 for an unknown process.
    std::uint64_t node_id(std::uint32_t process) const noexcept {
        return has(process) ? nodes_[entries_[process].node]->id : 0;
    }
    /// Returns the record of a process in the table. Throws std::bad_alloc.
    topology::LocalityRecord record(std::uint32_t process) const;

    /// Allocates room for this number of processes.
    void reserve(std::size_t processes) { entries_.reserve(processes); }
    /// Returns heap bytes.
    std::size_t memory() const;

private:
    using Index = std::uint32_t;
    static constexpr Index none = 0xFFFFFFFF;

    /// Numbers distinct values from 0.
    template <class Value>
    class Distinct {
    public:
        Index number_of(const Value& value) {
            by_number_.reserve(by_number_.size() + 1 > by_number_.capacity() ? 2 * by_number_.size() + 1
                                                                             : by_number_.capacity());
            const auto [place, isnew] = numbers_.try_emplace(value, static_cast<Index>(by_number_.size()));
            if (isnew) by_number_.push_back(&place->first);
            return place->second;
        }
        const Value* operator[](Index number) const { return by_number_[number]; }
        const std::map<Value, Index>& all() const { return numbers_; }
        std::size_t memory() const;

    private:
        std::map<Value, Index> numbers_;
        std::vector<const Value*> by_number_;
    };

    struct Node {
        std::uint64_t id = 0;
        Index network_path = 0;
        std::uint8_t processors = 0;
        auto operator<=>(const Node&) const = default;
    };
    struct Entry {
        Index node = none;
        Index hardware_path = 0;
        std::array<topology::NicDistance, topology::nic_use_count> nics;
    };
    static_assert(sizeof(Entry) == 12);

    std::vector<Entry> entries_;
    Distinct<Node> nodes_;
    Distinct<std::vector<std::uint32_t>> network_paths_;
    Distinct<std::vector<topology::HardwareObject>> hardware_paths_;
};

}  // namespace strata::component
