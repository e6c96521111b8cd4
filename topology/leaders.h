#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "topology/hierarchy.h"
#include "topology/locality_record.h"

namespace strata::topology {

/// Sets the leader of every group: the member nearest to its node's NIC (seed paper on NUIOA
/// collectives, section 3.2). With `election.spread`, ties between members of known distance go by a
/// hash of seed, group and rank; otherwise, and without any known distance, to the lowest rank. A leader
/// also leads one of its group's children, or stops in the group. Sets the receivers, too. Pure.
void elect_leaders(Hierarchy& hierarchy, std::span<const LocalityRecord> records, const Election& election);
/// The same, but ranks with `first` set precede all others.
void elect_leaders(Hierarchy& hierarchy, std::span<const LocalityRecord> records, const Election& election,
                   const std::vector<bool>& first);

/// Returns a hashed tie-break for a communicator number: one of four values, evenly distributed for any
/// stride of the numbers.
unsigned tie_break_of(std::uint64_t number);

/// Returns the leaders of a group with one per NIC: for every distinct NIC of every node in the group
/// the nearest member (ties as in elect_leaders()), ordered by node and NIC. Only members at the
/// smallest distance of their node are candidates, so a NIC without a process near it has no leader. A
/// node without known distances contributes its lowest rank. Never empty.
std::vector<int> nic_leaders(const Hierarchy& hierarchy, std::span<const LocalityRecord> records, int group,
                             const Election& election);

}  // namespace strata::topology
