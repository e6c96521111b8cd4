#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "topology/hierarchy.h"
#include "topology/locality_record.h"

namespace strata::topology {

/// Gives every group its leader: the member nearest to its node's NIC (seed paper on NUIOA
/// collectives, section 3.2). Ties between members whose distance is known go by a hash of the seed, the
/// group and the rank when `election.spread`, else to the lowest rank; a group without any known distance is
/// led by its lowest rank. A leader leads one of its group's children, or stops in the group. Sets the
/// receivers, too. Pure.
void elect_leaders(Hierarchy& hierarchy, std::span<const LocalityRecord> records, const Election& election);
/// The same with those ranks ahead of all others for which `first` says so.
void elect_leaders(Hierarchy& hierarchy, std::span<const LocalityRecord> records, const Election& election,
                   const std::vector<bool>& first);

/// One of four values, from a communicator's number: each for as many of them, in whatever steps they are
/// numbered.
unsigned draw_of(std::uint64_t number);

/// Leaders of a group when each NIC is to have one: for every distinct NIC of every node in the group the
/// nearest member (ties as in elect_leaders), by node and NIC. Only members at the smallest distance of
/// their node stand for election, so that a NIC without a process near it has none; a node without known
/// distances sends its lowest rank. Never empty.
std::vector<int> nic_leaders(const Hierarchy& hierarchy, std::span<const LocalityRecord> records, int group,
                             const Election& election);

}  // namespace strata::topology
