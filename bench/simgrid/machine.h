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

/// Links of one level: those that join every child group, or process, to its group of this level.
struct LinkClass {
    topology::LevelPattern level;
    double latency_us = 0;        ///< of the first byte, from process to process of two children
    double mbytes_per_s = 0;      ///< of one child's connection, in each direction; 10^6 bytes/s
    double bus_mbytes_per_s = 0;  ///< of all data between children or from one outwards; 0: no limit
};

/// A machine to simulate: a job that fills it, its links, NICs and processors.
struct Machine {
    std::string name;
    std::string title;
    tool::JobOptions job;             ///< one rank per core, in block order
    std::vector<LinkClass> links;     ///< from the outermost level inwards
    std::size_t eager_bytes = 0;      ///< messages up to this size leave before their receive is posted
    double overhead_us = 0;           ///< CPU time of every message at either end
    double combine_mbytes_per_s = 0;  ///< of a reduction, in bytes of one operand
    /// Limit of a NIC's writes into other NUMA domains than its own; 0: the limit of the links between them
    /// (seed paper on NUIOA collectives, section 4.2).
    double far_receive_mbytes_per_s = 0;
    /// Limit of all data between a NIC and the other NUMA domains of its node, both directions together; 0:
    /// none.
    double far_path_mbytes_per_s = 0;

    /// Throws std::invalid_argument with the level and the described ones.
    const LinkClass& at(topology::LevelKey level) const;
    /// Returns the links as a tuner would measure them.
    algorithms::LinkTable table(const topology::Hierarchy& hierarchy) const;

private:
    double narrowest_from(const LinkClass& link) const;
};

/// A number of a description that replaces the file's.
struct MachineChange {
    std::string name;
    double value = 0;
};
/// Parses NAME=VALUE. Throws std::invalid_argument.
MachineChange machine_change(const std::string& text);

/// Reads a description (see machines/README.md) of at most 1 MiB. Throws topology::FileError with the file,
/// the place in it, and the allowed values.
Machine read_machine(const std::string& file, const std::vector<MachineChange>& changes = {});

/// Parses the text of a description; errors call it `file`.
Machine machine_from_text(std::string_view text, const std::string& file,
                          const std::vector<MachineChange>& changes = {});

}  // namespace strata::simulation
