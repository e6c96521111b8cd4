#include "topology/machine.h"

#include <hwloc.h>
#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "topology/hardware_path.h"
#include "topology/index_list.h"
#include "topology/synthetic_size.h"
#include "topology/text_file.h"
#include "topology/xml_form.h"

namespace strata::topology {
namespace {

constexpr std::string_view synthetic_prefix = "synthetic:";

std::shared_ptr<hwloc_topology> new_topology() {
    hwloc_topology_t topology = nullptr;
    if (hwloc_topology_init(&topology) != 0) throw std::bad_alloc();
    hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);  // NICs
    return {topology, hwloc_topology_destroy};
}

/// hwloc requires a description to end in hardware threads; users may omit "pu:1".
bool load_synthetic(hwloc_topology_t topology, const std::string& description, const std::string& called) {
    if (description.find_first_not_of(' ') == std::string::npos) return false;
    const auto set = [&](const std::string& whole) {
        if (synthetic_objects(whole) > most_synthetic_objects) {
            throw std::invalid_argument(called + " has more than " + std::to_string(most_synthetic_objects) +
                                        " objects");
        }
        return hwloc_topology_set_synthetic(topology, whole.c_str()) == 0;
    };
    return (set(description) || set(description + " pu:1")) && hwloc_topology_load(topology) == 0;
}

constexpr std::size_t longest_xml = std::size_t{64} << 20;

/// Passes hwloc the text, because hwloc would read any file to its end.
std::shared_ptr<hwloc_topology> load_xml(const std::string& path) {
    const std::string refused = "hwloc cannot read '" + path + "' as an XML topology";
    std::string text;
    try {
        text = read_text_file(path, longest_xml);
    } catch (const FileError& error) {
        const std::string reason = std::string(error.what()).substr(path.size() + 2);  // after "PATH: "
        throw std::invalid_argument(refused + ": it " + reason);
    }
    try {
        text = checked_xml(text);
    } catch (const std::invalid_argument& error) {
        throw std::invalid_argument(refused + ": " + error.what());
    }
    // This source replaces HWLOC_XMLFILE and similar variables; hwloc adds nothing of the running
    // machine.
    auto topology = new_topology();
    if (hwloc_topology_set_xmlbuffer(topology.get(), text.c_str(), static_cast<int>(text.size() + 1)) != 0 ||
        hwloc_topology_load(topology.get()) != 0) {
        throw std::invalid_argument(refused);
    }
    return topology;
}

/// Returns the type that counts as a core: hardware threads on virtual machines that report no cores.
hwloc_obj_type_t core_type(hwloc_topology_t topology) {
    return hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
}

}  // namespace

namespace {

/// A process that may run on every core counts as unbound.
bool is_whole(hwloc_topology_t topology, const Bitmap& bound) {
    return hwloc_bitmap_isincluded(hwloc_get_root_obj(topology)->cpuset, bound.get());
}

}  // namespace

Machine::Machine(std::shared_ptr<hwloc_topology> topology) : topology_(std::move(topology)) {}

Machine Machine::borrow(hwloc_topology* topology) {
    return Machine(std::shared_ptr<hwloc_topology>(topology, [](hwloc_topology*) {}));
}

Machine Machine::load(const std::string& description) {
    if (description.starts_with(synthetic_prefix)) {
        const std::string synthetic = description.substr(synthetic_prefix.size());
        const std::string called = "'" + synthetic + "'";
        auto topology = new_topology();
        if (!load_synthetic(topology.get(), synthetic, called)) {
            throw std::invalid_argument(called + " is no synthetic description that hwloc understands");
        }
        return Machine(std::move(topology));
    }
    std::error_code ignored;
    if (std::filesystem::exists(description, ignored)) {
        Machine machine(load_xml(description));
        // Its sets may be infinite or without processors.
        if (machine.cores() < 1 || machine.processors() < 1) {
            throw std::invalid_argument("the XML topology '" + description +
                                        "' has an undefined number of processors");
        }
        return machine;
    }
    auto topology = new_topology();
    const std::string called = "'" + description + "' is no file, and as a synthetic description it";
    if (!load_synthetic(topology.get(), description, called)) {
        throw std::invalid_argument("'" + description +
                                    "' is neither a file nor a synthetic description that hwloc understands");
    }
    return Machine(std::move(topology));
}

Machine Machine::running() {
    auto topology = new_topology();
    if (hwloc_topology_load(topology.get()) != 0) throw std::runtime_error("hwloc cannot read this machine");
    return Machine(std::move(topology));
}

Machine Machine::running_processors() {
    auto topology = new_topology();
    hwloc_topology_set_io_types_filter(topology.get(), HWLOC_TYPE_FILTER_KEEP_NONE);
    if (hwloc_topology_load(topology.get()) != 0) throw std::runtime_error("hwloc cannot read this machine");
    return Machine(std::move(topology));
}

Binding Machine::bound_to_threads(std::string_view threads) const {
    if (names_everything(threads)) return {};
    const hwloc_obj_t root = hwloc_get_root_obj(topology_.get());
    const int last = hwloc_bitmap_last(root->cpuset);
    const Bitmap bound = empty_bitmap();
    for (const IndexRange& range : parse_index_list(threads)) {
        // Skip hardware threads beyond the machine's last one, so that the bitmap stays small.
        if (last < 0 || range.first > static_cast<unsigned>(last)) continue;
        hwloc_bitmap_set_range(bound.get(), range.first,
                               static_cast<int>(std::min(range.last, static_cast<unsigned>(last))));
    }
    hwloc_bitmap_and(bound.get(), bound.get(), root->cpuset);
    if (hwloc_bitmap_iszero(bound.get())) {
        throw std::invalid_argument("cpuset '" + std::string(threads) +
                                    "' holds no hardware thread of this machine");
    }
    return is_whole(topology_.get(), bound) ? Binding() : Binding(bound);
}

Binding Machine::bound_to_cores(std::string_view cores) const {
    if (names_everything(cores)) return {};
    const hwloc_obj_type_t type = core_type(topology_.get());
    const auto count = static_cast<unsigned>(this->cores());
    const Bitmap bound = empty_bitmap();
    for (const IndexRange& range : parse_index_list(cores)) {
        const unsigned last = range.last == open_end ? std::max(range.first, count - 1) : range.last;
        if (last >= count) {
            throw std::invalid_argument("core " + std::to_string(std::max(range.first, count)) + " of '" +
                                        std::string(cores) + "' does not exist: this machine has " +
                                        std::to_string(count));
        }
        for (unsigned core = range.first; core <= last; ++core) {
            hwloc_bitmap_or(bound.get(), bound.get(),
                            hwloc_get_obj_by_type(topology_.get(), type, core)->cpuset);
        }
    }
    return is_whole(topology_.get(), bound) ? Binding() : Binding(bound);
}

Binding Machine::binding_of_this_process() const {
    // A synthetic topology would return its whole machine.
    if (hwloc_topology_is_thissystem(topology_.get()) == 0) return {};
    const Bitmap bound = empty_bitmap();
    if (hwloc_get_cpubind(topology_.get(), bound.get(), HWLOC_CPUBIND_PROCESS) != 0) return {};
    hwloc_bitmap_and(bound.get(), bound.get(), hwloc_get_root_obj(topology_.get())->cpuset);
    if (hwloc_bitmap_iszero(bound.get())) return {};
    return is_whole(topology_.get(), bound) ? Binding() : Binding(bound);
}

std::vector<HardwareObject> Machine::path_of(const Binding& binding) const {
    if (binding.everything()) return {};
    return path_around(topology_.get(), binding.threads_.get());
}

std::optional<unsigned> Machine::object_around(const Binding& binding, LevelKind kind) const {
    const hwloc_const_bitmap_t bound =
        binding.everything() ? hwloc_get_root_obj(topology_.get())->cpuset : binding.threads_.get();
    return topology::object_around(topology_.get(), bound, kind);
}

int Machine::cores() const { return hwloc_get_nbobjs_by_type(topology_.get(), core_type(topology_.get())); }

bool Machine::is_uniform() const {
    return hwloc_get_nbobjs_by_type(topology_.get(), HWLOC_OBJ_PACKAGE) <= 1 &&
           hwloc_get_nbobjs_by_type(topology_.get(), HWLOC_OBJ_NUMANODE) <= 1;
}

int Machine::processors() const {
    return hwloc_bitmap_weight(hwloc_topology_get_allowed_cpuset(topology_.get()));
}

}  // namespace strata::topology
