#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topology/binding.h"
#include "topology/locality_record.h"
#include "topology/nic.h"

struct hwloc_topology;

namespace strata::topology {

/// One machine as hwloc describes it, real or synthetic. Locates bindings and NICs in it.
class Machine {
public:
    /// Wraps a topology that the caller owns and keeps alive (for instance Open MPI's own).
    static Machine borrow(hwloc_topology* topology);
    /// Loads an XML file or an hwloc synthetic description ("synthetic:package:2 core:4"). The prefix is
    /// optional when no such file exists; a final "pu:1" is optional too. Never queries the running
    /// machine. Throws std::invalid_argument with what was tried, also for more than
    /// most_synthetic_objects objects (synthetic) or more than a record can number (XML).
    static Machine load(const std::string& description);
    /// Returns the running machine, NICs included. Throws std::runtime_error.
    static Machine running();
    /// Returns the running machine without its devices, whose discovery takes most of the time.
    static Machine running_processors();

    /// Returns the binding for hwloc's list syntax of OS indices ("0-3,8"). "", "all" and a list of the
    /// whole machine mean unbound. Ignores hardware threads that this machine lacks. Throws
    /// std::invalid_argument for an unreadable list or one without a hardware thread of this machine.
    Binding bound_to_threads(std::string_view threads) const;
    /// Returns the binding for a list of logical core indices ("0-3,8"), as a placement names them.
    /// Throws std::invalid_argument for an unreadable list or a core that does not exist.
    Binding bound_to_cores(std::string_view cores) const;
    /// Returns the operating system's binding of the calling process; unbound if this topology is not
    /// the running machine's.
    Binding binding_of_this_process() const;

    /// Returns the objects that contain the whole binding, outermost first. Omits the machine and every
    /// object with the same cores (for instance a single package); empty if the binding fits no smaller
    /// object.
    std::vector<HardwareObject> path_of(const Binding& binding) const;

    /// Returns the HardwareObject::index of the object of `kind` (package to pu) that contains the whole
    /// binding, even if that object is the whole machine, which path_of() omits. Empty if the binding is
    /// wider or the machine has no such object.
    std::optional<unsigned> object_around(const Binding& binding, LevelKind kind) const;

    /// Returns the NICs in hwloc's order: PCI devices with an OpenFabrics device or a network interface,
    /// then network devices known only by their PCI class.
    std::vector<Nic> nics() const;
    /// Returns the NICs of a user's list, in its order. Creates a NIC that has a place in the list but
    /// no match on the machine. Throws std::invalid_argument for an unknown NIC (and lists the known
    /// ones) or an object that does not exist.
    std::vector<Nic> nics_named(std::span<const NamedNic> list) const;
    /// As nics_named(), but skips what this machine lacks: the nodes that share one list may differ.
    std::vector<Nic> nics_present(std::span<const NamedNic> list) const;
    /// Returns the distance to the nearest of `nics`: 0 inside the object that the NIC hangs below, else
    /// the number of levels from that object up to one that contains the binding (objects with equal
    /// cores are one level). NICs near the whole machine do not count. Unknown for an unbound process,
    /// or without a NIC that counts. `nic` numbers the distinct places of the NICs that count, in the
    /// machine's order.
    NicDistance distance(const Binding& binding, std::span<const Nic> nics) const;

    /// Returns the number of cores, or of hardware threads on a machine that reports no cores.
    int cores() const;
    /// Returns the number of hardware threads that processes may use.
    int processors() const;
    /// Returns true with at most one package and one NUMA node: no core is nearer to a device than
    /// another.
    bool is_uniform() const;

private:
    explicit Machine(std::shared_ptr<hwloc_topology> topology);
    std::shared_ptr<hwloc_topology> topology_;
};

/// One process of a synthetic topology: "CORES[@NODE]", e.g. "0-3", "7@n1", "all@n2".
struct SyntheticPlace {
    std::string cores;  ///< list of core indices, or "all"
    std::string node;   ///< empty: the real node
};

/// Parses a placement "0;1;2-3@n0;all@n1", one entry per local rank; a shorter list repeats from its
/// start. Throws std::invalid_argument naming the entry.
std::vector<SyntheticPlace> parse_placement(std::string_view text);

}  // namespace strata::topology
