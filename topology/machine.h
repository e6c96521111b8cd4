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

/// One machine as hwloc describes it, real or synthetic; answers where a binding lies in it.
class Machine {
public:
    /// Looks at a topology that somebody else owns and keeps alive (Open MPI's own, for instance).
    static Machine borrow(hwloc_topology* topology);
    /// Loads an XML file, or with "synthetic:" in front a synthetic description of hwloc
    /// ("synthetic:package:2 core:4"). A string that names no file is tried as a synthetic description too;
    /// "pu:1" at its end may be left out. Never asks the running machine. Throws std::invalid_argument saying
    /// what was tried, also for machines of more objects than hwloc can make in reasonable time (synthetic)
    /// or a record can number (XML).
    static Machine load(const std::string& description);
    /// The machine that runs this program, NICs included. Throws std::runtime_error.
    static Machine running();
    /// The same without its devices, which take most of the time.
    static Machine running_processors();

    /// Hardware threads in hwloc's list syntax of OS indices ("0-3,8"); "" or "all", or the whole machine by
    /// number, means unbound, and
    /// hardware threads that this machine lacks are ignored. Throws std::invalid_argument for an unreadable
    /// list or one without a hardware thread of this machine.
    Binding bound_to_threads(std::string_view threads) const;
    /// The same for a set of cores by logical index ("0-3,8"): what a placement names.
    /// Throws std::invalid_argument for an unreadable list or a core that does not exist.
    Binding bound_to_cores(std::string_view cores) const;
    /// The binding that the operating system gives the calling process; unbound when this topology is not the
    /// running machine's.
    Binding binding_of_this_process() const;

    /// Objects that contain the whole binding, outermost first. The machine itself and whatever has the same
    /// cores (an only package, for instance) is left out, so the path is empty when the binding fits no
    /// smaller object.
    std::vector<HardwareObject> path_of(const Binding& binding) const;

    /// The number of the object of a kind from package to pu that holds the whole binding, even one that is
    /// the whole machine (which is in no path); as HardwareObject::index counts. Empty: the binding is wider,
    /// or the machine has no such object.
    std::optional<unsigned> object_around(const Binding& binding, LevelKind kind) const;

    /// NICs: PCI devices with an OpenFabrics device or a network interface, and (last) network
    /// devices that only their PCI class gives away. In hwloc's order.
    std::vector<Nic> nics() const;
    /// The NICs of a user's list, in its order; a NIC with a place is made when the machine has none of
    /// that name. Throws std::invalid_argument naming an unknown NIC and the known ones, or an object that
    /// does not exist.
    std::vector<Nic> nics_named(std::span<const NamedNic> list) const;
    /// The same without what this machine lacks: nodes that one list is given to may differ.
    std::vector<Nic> nics_present(std::span<const NamedNic> list) const;
    /// How near a binding is to the nearest of `nics`: 0 inside the object that the NIC hangs below, else
    /// the levels to climb from that object until one contains the binding (objects with equal cores are one
    /// level). NICs that are near everything do not count; unknown for an unbound process, or without any
    /// NIC that counts. `nic` numbers the distinct places of the NICs that count, in the machine's order.
    NicDistance distance(const Binding& binding, std::span<const Nic> nics) const;

    /// Number of cores, or of hardware threads on a machine that reports no cores.
    int cores() const;
    /// Number of hardware threads that processes may use.
    int processors() const;
    /// True with one package and one NUMA node at most: no device is nearer to some of the cores.
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

/// Parses a placement "0;1;2-3@n0;all@n1", one entry per local rank; a shorter list is repeated from its
/// start. Throws std::invalid_argument naming the entry.
std::vector<SyntheticPlace> parse_placement(std::string_view text);

}  // namespace strata::topology
