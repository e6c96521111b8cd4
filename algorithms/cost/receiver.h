#pragma once
#include <cstddef>
#include <vector>

#include "algorithms/base/link.h"
#include "algorithms/base/operation.h"
#include "algorithms/base/plan.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// What it costs the root of a Gather or Reduce to be far from its node's NIC, and what to have somebody
/// near receive for it (Hierarchy::receiver_of).
struct ReceiverCost {
    bool possible = false;  ///< somebody is nearer, and may hold what passes through
    double far_us = 0;      ///< the root receives itself: the slower path to it
    double hop_us = 0;      ///< somebody else does: one hop more, in which segments stream
};

/// `segment_bytes`: of the messages between the two (0: whole). All 0 where nobody is nearer to the NIC, the
/// sizes are not known alike or too little comes from other nodes. Source: seed paper on NUIOA collectives,
/// section 3: receivers far from the NIC suffer (LinkParameters::far_share), for messages from some 32 KiB
/// up: those that last longer on the wire than a message takes to arrive at all, 28 KiB on the default links.
ReceiverCost receiver_cost(const topology::Hierarchy& hierarchy, const LinkTable& links,
                           const Operation& operation, std::size_t segment_bytes);

/// The same for a tree with these levels.
ReceiverCost receiver_cost(const topology::Hierarchy& hierarchy, const LinkTable& links,
                           const Operation& operation, const std::vector<LevelPlan>& levels);

/// What the root's distance adds to a tree with these levels: with `nic_local` the hop, else the slower path.
double receiving_us(const topology::Hierarchy& hierarchy, const LinkTable& links, const Operation& operation,
                    const std::vector<LevelPlan>& levels, bool nic_local);

/// The level on which the root and its receiver meet, or of the smallest group around whose level is planned;
/// there must be a receiver.
topology::LevelKey receiver_level(const topology::Hierarchy& hierarchy, int root,
                                  const std::vector<LevelPlan>& levels);

}  // namespace strata::algorithms
