#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/base/link.h"
#include "job.h"
#include "topology/hierarchy.h"

namespace strata::simulation {

/// The links of one level: those by which every child group, or process, of a group of this level is joined
/// to it.
struct LinkClass {
    topology::LevelPattern level;
    double latency_us = 0;        ///< first byte, from process to process of two children, end to end
    double mbytes_per_s = 0;      ///< of one child's connection, each direction by itself; 10^6 bytes
    double bus_mbytes_per_s = 0;  ///< of all that moves between children, or from one outwards; 0: no limit
};

/// A machine to simulate: a job that fills it, and what its links, NICs and processors do.
struct Machine {
    std::string name;
    std::string title;
    tool::JobOptions job;             ///< one rank per core, in block order
    std::vector<LinkClass> links;     ///< from the outermost level inwards
    std::size_t eager_bytes = 0;      ///< messages up to this size leave before their receive is posted
    double overhead_us = 0;           ///< processor time of every message, at either end
    double combine_mbytes_per_s = 0;  ///< of a reduction: bytes of one operand
    /// What a NIC writes into NUMA domains other than its own, at most; 0: as much as the links between them
    /// carry (seed paper on NUIOA collectives, section 4.2).
    double far_receive_mbytes_per_s = 0;

    /// Throws std::invalid_argument naming the level and those described.
    const LinkClass& at(topology::LevelKey level) const;
    /// What a tuner would find on these links.
    algorithms::LinkTable table(const topology::Hierarchy& hierarchy) const;

private:
    double narrowest_from(const LinkClass& link) const;
};

/// Reads a description (machines/, which README.md there explains), of at most 1 MiB. Throws
/// topology::FileError: the file, the place in it, and what is allowed there.
Machine read_machine(const std::string& file);

/// The same of what the file has; `file`: its name in errors.
Machine machine_from_text(std::string_view text, const std::string& file);

}  // namespace strata::simulation
