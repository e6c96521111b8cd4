#pragma once
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "topology/hierarchy.h"

/// Checks what must hold for the hierarchy of any job. Reports failures as usual; the caller's SCOPED_TRACE
/// identifies the job.
namespace strata::testing {

using Records = std::vector<topology::LocalityRecord>;
using Members = std::vector<int>;
/// The members of every group, with its level and object.
using Sets = std::map<Members, std::pair<topology::LevelKey, std::uint64_t>>;

Sets sets_of(const topology::Hierarchy& hierarchy);

/// The groups that the rules require without custom levels, derived from their text without any tree.
Sets expected_sets(const Records& records, const topology::HierarchySpec& spec);

/// Any two groups are nested or disjoint, every rank stops in exactly one, the smallest that contains it; the
/// queries agree with the member lists.
void check_nesting(const topology::Hierarchy& hierarchy, std::mt19937& random);

/// Leaders are members, lead a child or stop in the group, and are at its smallest distance from a NIC; the
/// lowest such rank unless ties are spread; the lowest rank of all where no distance is known or counts.
void check_leaders(const topology::Hierarchy& hierarchy, const Records& records,
                   const topology::Election& election);

/// The leader of the widest group inside its node receives for every rank that is bound farther from the NIC
/// than it, and for no other; the members of that group are all on one node.
void check_receivers(const topology::Hierarchy& hierarchy, const Records& records,
                     const topology::Election& election);

/// The topology order visits every rank once, node after node. Where NICs count, a node's first rank is the
/// nearest to its NIC and the last one the next nearest; otherwise every object's ranks are consecutive.
void check_walk(const topology::Hierarchy& hierarchy, const Records& records,
                const topology::Election& election);

/// Another process that computes the same finds the same.
void check_purity(const topology::Hierarchy& hierarchy, const Records& records,
                  const topology::HierarchySpec& spec);

/// With other rank numbers the same processes form the same groups, and lead those in which one is nearest.
/// For hints without custom levels, or with such as do not depend on the order of ranks; `with_objects`
/// compares the objects' numbers too.
void check_permutation(const topology::Hierarchy& hierarchy, const Records& records,
                       const topology::HierarchySpec& spec, std::mt19937& random, bool with_objects = true);

}  // namespace strata::testing
