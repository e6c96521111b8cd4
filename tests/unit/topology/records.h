#pragma once
#include <random>
#include <string>
#include <vector>

#include "topology/hierarchy.h"
#include "topology/machine.h"

namespace strata::testing {

/// The record of a process on `node`, bound to these cores of `machine` ("" = unbound).
inline topology::LocalityRecord record_on(const topology::Machine& machine, const std::string& node,
                                          const std::string& cores,
                                          std::vector<std::uint32_t> switches = {}) {
    topology::LocalityRecord record;
    record.node_id = topology::stable_hash(node);
    record.network_path = std::move(switches);
    record.hardware_path = machine.path_of(machine.bound_to_cores(cores));
    return record;
}

/// The node of figure 1 of the paper: two packages, each one NUMA node and one L3; pairs of cores share L2
/// and L1.
inline const char* const paper_node = "synthetic:numa:2 package:1 l3:1 l2:2 l1d:1 core:2 pu:1";

/// Synthetic machines with the shapes that trip programs up.
inline std::vector<std::string> odd_machines() {
    return {
        paper_node,
        "synthetic:package:2 core:4 pu:1",                             // no caches at all
        "synthetic:package:1 l3:1 core:6 pu:2",                        // package and L3 are the machine
        "synthetic:group:2 package:2 [numa] l3:1 l2:2 core:1 pu:2",    // Groups above packages
        "synthetic:package:2 group:2 [numa] [numa] l2:2 core:2 pu:1",  // two memories per cluster (HBM)
        "synthetic:[numa] package:4 group:2 group:2 core:2 pu:1",      // Groups at two depths, one NUMA node
        "synthetic:numa:2 package:4 l3:1 core:2 pu:1",                 // one NUMA node holds four packages
        "synthetic:package:2 [numa] die:2 l3:2 l2:2 l1d:1 core:1 pu:4",  // dies and four threads per core
        "synthetic:core:1 pu:1",                                         // a single thread
        "synthetic:package:3 core:2 pu:2(indexes=2*6:6*1)",  // interleaved operating system indices
        "synthetic:package:12 l3:1 core:8 pu:2",
    };
}

/// A random contiguous list of cores, or "" (unbound), or all of a narrow or wide block.
inline std::string random_binding(std::mt19937& random, int cores) {
    const int kind = static_cast<int>(random() % 8);
    if (kind == 0) return "";
    const int first = static_cast<int>(random() % static_cast<unsigned>(cores));
    if (kind < 5) return std::to_string(first);
    const int most = std::min(cores - 1, first + (kind < 7 ? 3 : cores));
    const int last = first + static_cast<int>(random() % static_cast<unsigned>(most - first + 1));
    return std::to_string(first) + "-" + std::to_string(last);
}

}  // namespace strata::testing
