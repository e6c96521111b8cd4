#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "topology/level.h"

namespace strata::topology {

/// One hardware object that contains a process's binding. Objects of several kinds with the same cores
/// (a package that is one NUMA node with one L3) share one entry.
struct HardwareObject {
    std::uint16_t kinds = 0;  ///< bit (1 << LevelKind) for every kind that has just these cores
    /// hwloc logical index of the object that kind() names. Groups of all depths are numbered together,
    /// widest depth first, because hwloc numbers each depth from 0.
    std::uint16_t index = 0;

    bool has(LevelKind kind) const { return (kinds >> static_cast<int>(kind)) & 1U; }
    /// Returns the name of this level: the lowest kind, but core rather than pu (rule B1 of the
    /// hierarchy).
    LevelKind kind() const;
    auto operator<=>(const HardwareObject&) const = default;
};

inline constexpr std::uint8_t unknown_distance = 15;

/// Distance of a process to the NICs of one transport.
struct NicDistance {
    std::uint8_t distance = unknown_distance;  ///< levels between binding and NIC, at most 14
    std::uint8_t nic = 0;  ///< number of the nearest of the machine's distinct NIC places, at most 15
    bool operator==(const NicDistance&) const = default;
};

/// Selects a transport's NICs: the transport that carries messages is chosen after records are
/// published.
enum class NicUse : std::uint8_t { fabric, ip };
inline constexpr int nic_use_count = 2;

/// A number of processors in one byte: exact up to 63, above that rounded up by less than a thirtieth. 0
/// means unknown or too large.
struct ProcessorCount {
    std::uint8_t code = 0;
    static ProcessorCount of(int count);
    int count() const;
    bool operator==(const ProcessorCount&) const = default;
};

/// What every process publishes about its location; everything else follows from the members' records.
struct LocalityRecord {
    std::uint32_t plugin_version = 0;             ///< of release and sources; compared for equality only
    std::uint64_t settings_hash = 0;              ///< of all settings that must agree
    std::uint64_t node_id = 0;                    ///< hash of the node's name
    std::vector<std::uint32_t> network_path;      ///< switch ids, topmost first; empty when unknown
    std::vector<HardwareObject> hardware_path;    ///< outermost first; empty for an unbound process
    std::array<NicDistance, nic_use_count> nics;  ///< by NicUse
    ProcessorCount processors;  ///< processors of its node that processes may use (Machine::processors())

    NicDistance near(NicUse use) const { return nics[static_cast<std::size_t>(use)]; }
    bool operator==(const LocalityRecord&) const = default;
};

/// The part of a record that every version of the plugin, older or newer, can read.
struct RecordPrefix {
    std::uint8_t format = 0;
    std::uint32_t plugin_version = 0;
    std::uint64_t settings_hash = 0;
};

inline constexpr std::uint8_t record_format = 3;

/// Returns little-endian bytes: at most 64 for up to three switch levels and eight hardware objects, 4
/// more for each further one. Throws std::invalid_argument for an object without a kind from package to
/// pu, or more than 255 entries.
std::vector<std::byte> encode(const LocalityRecord& record);

/// Returns false if `bytes` is no record of any version.
bool decode_prefix(std::span<const std::byte> bytes, RecordPrefix& out);

/// Returns false if `bytes` is no complete record of this format; `why` (if given) then receives the
/// reason.
bool decode(std::span<const std::byte> bytes, LocalityRecord& out, std::string* why = nullptr);

/// Returns the FNV-1a hash, stable across machines and releases.
std::uint64_t stable_hash(std::string_view text, std::uint64_t seed = 0xcbf29ce484222325ULL);

}  // namespace strata::topology
