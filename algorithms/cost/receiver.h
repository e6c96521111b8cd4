#pragma once
#include <cstddef>
#include <vector>

#include "algorithms/base/link.h"
#include "algorithms/base/operation.h"
#include "algorithms/base/plan.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// The cost of the root of a Gather, Reduce or Bcast far from its node's NIC, and of a process near the NIC
/// (Hierarchy::receiver_of) that receives, or sends, for it.
struct ReceiverCost {
    bool possible = false;  ///< a process is nearer and may hold the data
    double far_us = 0;      ///< the root uses the slower path
    double hop_us = 0;      ///< the other process does it: one more hop, with segments
};

/// `segment_bytes`: of the messages between the two (0: whole). All values are 0 if no process is nearer to
/// the NIC, not every rank knows the sizes, or other nodes' data is short. Source: seed paper on NUIOA
/// collectives, section 3: receivers far from the NIC are slower (LinkParameters::far_share; of a Bcast's
/// root far_send_share) from some 32 KiB: messages that last longer on the wire than a message takes to
/// arrive, 28 KiB on the default links.
ReceiverCost receiver_cost(const topology::Hierarchy& hierarchy, const LinkTable& links,
                           const Operation& operation, std::size_t segment_bytes);

/// The same for a tree with these levels.
ReceiverCost receiver_cost(const topology::Hierarchy& hierarchy, const LinkTable& links,
                           const Operation& operation, const std::vector<LevelPlan>& levels);

/// Returns the time that the root's distance adds to a tree: with `nic_local` the hop, else the slower path.
double receiving_us(const topology::Hierarchy& hierarchy, const LinkTable& links, const Operation& operation,
                    const std::vector<LevelPlan>& levels, bool nic_local);

/// Returns the level on which the root and its receiver meet, or the next level outwards that the plan
/// contains. Requires a receiver.
topology::LevelKey receiver_level(const topology::Hierarchy& hierarchy, int root,
                                  const std::vector<LevelPlan>& levels);

}  // namespace strata::algorithms
