#pragma once
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "topology/hierarchy.h"
#include "topology/machine.h"

namespace strata::testing {

/// A number from 0 to `count` - 1.
inline unsigned below(std::mt19937& random, unsigned count) {
    return static_cast<unsigned>(random() % count);
}

/// A synthetic description of a machine of up to 48 hardware threads: any levels with any arity, memory at
/// any of them (or two of it), caches missing, Groups at several depths, hardware threads numbered in any
/// order.
std::string random_description(std::mt19937& random);

struct RandomMachine {
    topology::Machine machine;
    std::vector<unsigned> threads;           ///< operating system indices; empty: unknown
    std::shared_ptr<hwloc_topology> source;  ///< the topology that `machine` refers to, if it does not own it
};

/// A machine as described above, often with some hardware threads removed at random, as by a control group
/// or on an irregular machine. Appends the description to `words`.
RandomMachine random_machine(std::mt19937& random, std::string& words);

/// A job of 1 to 40 processes on 1 to 9 nodes, each one of `machines`: bound to a thread, threads, cores or
/// not at all, in any rank order, with or without switches and NICs.
std::vector<topology::LocalityRecord> random_job(std::mt19937& random,
                                                 std::span<const RandomMachine> machines);

/// No hint, or one of plain levels; and any election.
topology::HierarchySpec random_spec(std::mt19937& random);
topology::Election random_election(std::mt19937& random);

/// A hint with custom levels, in the grammar of parse_hierarchy_hint(): "numa:2+[3..5],node".
std::string random_hint(std::mt19937& random, int ranks);

}  // namespace strata::testing
