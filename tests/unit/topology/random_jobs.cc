#include "random_jobs.h"

#include <hwloc.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace strata::testing {
namespace {

using topology::LevelKind;

constexpr unsigned most_threads = 48;

/// Builds a description level by level.
class Description {
public:
    explicit Description(std::mt19937& random) : random_(random) {}

    std::string make() {
        if (one_in(8)) add_memory();
        if (one_in(5)) add("group");
        const bool package_outside = one_in(2);
        if (package_outside) add("package");
        if (!has_memory_ && one_in(4)) add_numa_level();
        if (one_in(4)) add("group");
        if (!package_outside && one_in(2)) add("package");
        if (one_in(4)) add("die");
        if (one_in(5)) add("group");
        if (one_in(2)) add("l3");
        if (one_in(6)) add("group");
        if (one_in(2)) add("l2");
        if (one_in(3)) add("l1d");
        if (one_in(8)) add("group");
        if (one_in(16)) return text_ + " pu:" + std::to_string(arity()) + order();  // no cores
        add("core");
        return text_ + " pu:" + std::to_string(arity()) + order();
    }

private:
    bool one_in(unsigned odds) { return below(random_, odds) == 0; }
    unsigned arity() {
        unsigned count = 1 + below(random_, one_in(3) ? 6 : 3);
        if (threads_ * count > most_threads) count = 1;
        threads_ *= count;
        return count;
    }
    void word(const std::string& word) { text_ += (text_.empty() ? "" : " ") + word; }
    void add(const char* level) {
        word(level + std::string(":") + std::to_string(arity()));
        if (!has_memory_ && one_in(4)) add_memory();
    }
    void add_memory() {
        has_memory_ = true;
        word("[numa]");
        if (one_in(4)) word("[numa]");
    }
    void add_numa_level() {
        has_memory_ = true;
        word("numa:" + std::to_string(arity()));
    }
    std::string order() {
        if (threads_ == 1 || !one_in(3)) return "";
        std::vector<unsigned> indices(threads_);
        std::iota(indices.begin(), indices.end(), 0U);
        std::shuffle(indices.begin(), indices.end(), random_);
        std::string list;
        for (const unsigned index : indices) list += (list.empty() ? "" : ",") + std::to_string(index);
        return "(indexes=" + list + ")";
    }

    std::mt19937& random_;
    std::string text_;
    unsigned threads_ = 1;
    bool has_memory_ = false;
};

std::shared_ptr<hwloc_topology> new_topology() {
    hwloc_topology_t topology = nullptr;
    if (hwloc_topology_init(&topology) != 0) throw std::bad_alloc();
    return {topology, hwloc_topology_destroy};
}

std::vector<unsigned> threads_of(hwloc_topology_t topology) {
    std::vector<unsigned> threads;
    for (hwloc_obj_t pu = nullptr;
         (pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu)) != nullptr;) {
        threads.push_back(pu->os_index);
    }
    return threads;
}

/// Takes hardware threads away; at least one stays.
void restrict(std::mt19937& random, hwloc_topology_t topology, std::string& words) {
    const std::vector<unsigned> threads = threads_of(topology);
    const std::unique_ptr<hwloc_bitmap_s, void (*)(hwloc_bitmap_t)> kept(hwloc_bitmap_alloc(),
                                                                         hwloc_bitmap_free);
    const unsigned odds = 2 + below(random, 6);
    for (const unsigned thread : threads) {
        if (below(random, odds) != 0) hwloc_bitmap_set(kept.get(), thread);
    }
    if (hwloc_bitmap_iszero(kept.get())) hwloc_bitmap_set(kept.get(), threads.front());
    char list[512];
    hwloc_bitmap_list_snprintf(list, sizeof list, kept.get());
    words += " restricted to " + std::string(list);
    const unsigned long flags = below(random, 2) == 0 ? 0 : HWLOC_RESTRICT_FLAG_REMOVE_CPULESS;
    if (hwloc_topology_restrict(topology, kept.get(), flags) != 0) throw std::runtime_error("restrict");
}

std::vector<std::uint32_t> random_switches(std::mt19937& random, unsigned style, unsigned node) {
    switch (style) {
        case 0: return {};
        case 1: return {100, node % 2};
        case 2: return {200 + node % 2, 300 + node % 4, 400 + node % 8};
        default:
            return random() % 4 == 0 ? std::vector<std::uint32_t>{}
                                     : std::vector<std::uint32_t>{7, 8 + node % 3};
    }
}

topology::Binding random_binding(std::mt19937& random, const RandomMachine& on) {
    const auto cores = static_cast<unsigned>(on.machine.cores());
    const unsigned first = below(random, cores);
    switch (below(random, 8)) {
        case 0: return {};
        case 1:
        case 2: {
            if (on.threads.empty()) break;
            std::string list;
            const unsigned count = 1 + below(random, 3);
            for (unsigned i = 0; i < count; ++i) {
                const auto at = below(random, static_cast<unsigned>(on.threads.size()));
                list += (list.empty() ? "" : ",") + std::to_string(on.threads[at]);
            }
            return on.machine.bound_to_threads(list);
        }
        case 3: return on.machine.bound_to_cores(std::to_string(first) + "-");
        case 4: {
            const unsigned last = first + below(random, std::min(4U, cores - first));
            return on.machine.bound_to_cores(std::to_string(first) + "-" + std::to_string(last));
        }
        default: break;
    }
    return on.machine.bound_to_cores(std::to_string(first));
}

void add_nics(std::mt19937& random, std::vector<topology::LocalityRecord>& records) {
    const bool distinct = below(random, 4) == 0 && records.size() < topology::unknown_distance;
    std::vector<std::uint8_t> distances(topology::unknown_distance);
    std::iota(distances.begin(), distances.end(), std::uint8_t{0});
    std::shuffle(distances.begin(), distances.end(), random);
    for (std::size_t i = 0; i < records.size(); ++i) {
        for (topology::NicDistance& near : records[i].nics) {
            near.nic = static_cast<std::uint8_t>(below(random, 3));
            near.distance = distinct ? distances[i] : static_cast<std::uint8_t>(below(random, 5));
            if (!distinct && near.distance == 4) near = {};
        }
    }
}

std::string random_item(std::mt19937& random, int ranks, bool may_repeat) {
    if (below(random, 3) == 0) {
        std::string list;
        const unsigned ranges = 1 + below(random, 3);
        for (unsigned i = 0; i < ranges; ++i) {
            const unsigned first = below(random, static_cast<unsigned>(ranks) + 2);
            list += (list.empty() ? "" : ",") + std::to_string(first);
            if (below(random, 2) == 0) list += ".." + std::to_string(first + below(random, 12));
        }
        return "[" + list + "]" + (below(random, 3) == 0 ? ":2" : "");
    }
    static const char* const names[] = {"switch", "switch0", "switch1", "node", "package", "die", "group",
                                        "numa",   "l3",      "l2",      "l1",   "core",    "pu"};
    std::string item = names[below(random, std::size(names))];
    switch (below(random, 3)) {
        case 0: item += ":" + std::to_string(2 + below(random, 3)); break;
        case 1: item += "?" + std::to_string(1 + below(random, 5)); break;
        default: break;
    }
    return item + (may_repeat ? "*" : "");
}

}  // namespace

std::string random_description(std::mt19937& random) { return Description(random).make(); }

RandomMachine random_machine(std::mt19937& random, std::string& words) {
    // hwloc unloads its plugins with its last topology; to load them anew costs far more than a machine.
    static const std::shared_ptr<hwloc_topology> keeps_plugins = new_topology();
    const std::string description = random_description(random);
    words += "\n" + description;
    auto topology = new_topology();
    if (hwloc_topology_set_synthetic(topology.get(), description.c_str()) != 0 ||
        hwloc_topology_load(topology.get()) != 0) {
        throw std::runtime_error("hwloc refuses '" + description + "'");
    }
    if (below(random, 3) == 0) restrict(random, topology.get(), words);
    return {topology::Machine::borrow(topology.get()), threads_of(topology.get()), topology};
}

std::vector<topology::LocalityRecord> random_job(std::mt19937& random,
                                                 std::span<const RandomMachine> machines) {
    struct Node {
        const RandomMachine* machine;
        std::vector<std::uint32_t> switches;
    };
    std::vector<Node> nodes(1 + below(random, 9));
    const unsigned style = below(random, 4);
    for (unsigned i = 0; i < nodes.size(); ++i) {
        nodes[i] = {&machines[below(random, static_cast<unsigned>(machines.size()))],
                    random_switches(random, style, i)};
    }
    std::vector<topology::LocalityRecord> records(1 + below(random, 40));
    for (topology::LocalityRecord& record : records) {
        const unsigned node = below(random, static_cast<unsigned>(nodes.size()));
        record.node_id = topology::stable_hash("n" + std::to_string(node));
        record.network_path = nodes[node].switches;
        record.hardware_path =
            nodes[node].machine->machine.path_of(random_binding(random, *nodes[node].machine));
    }
    if (below(random, 3) != 0) add_nics(random, records);
    return records;
}

topology::Election random_election(std::mt19937& random) {
    topology::Election election;
    election.use = below(random, 2) == 0 ? topology::NicUse::fabric : topology::NicUse::ip;
    election.nic_local = below(random, 4) != 0;
    election.spread = below(random, 2) == 0;
    election.seed = random();
    return election;
}

topology::HierarchySpec random_spec(std::mt19937& random) {
    topology::HierarchySpec spec;
    spec.election = random_election(random);
    if (below(random, 2) == 0) return spec;
    spec.hint.emplace();
    for (int kind = static_cast<int>(LevelKind::switch_); kind <= static_cast<int>(LevelKind::pu); ++kind) {
        if (below(random, 2) == 0) continue;
        topology::LevelPattern pattern{static_cast<LevelKind>(kind), {}};
        if (pattern.kind == LevelKind::switch_ && below(random, 2) == 0) {
            pattern.height = static_cast<std::uint8_t>(below(random, 3));
        }
        spec.hint->levels.push_back(plain_level(pattern));
    }
    return spec;
}

std::string random_hint(std::mt19937& random, int ranks) {
    static const char* const plain[] = {"core", "l3", "numa", "socket", "group", "node", "switch"};
    std::string hint;
    const unsigned levels = 1 + below(random, 4);
    for (unsigned i = 0; i < levels; ++i) {
        if (i > 0) hint += ",";
        if (below(random, 3) == 0) {
            hint += plain[below(random, std::size(plain))];
            continue;
        }
        const unsigned items = 1 + below(random, 3);
        const unsigned repeated = below(random, 6);
        for (unsigned item = 0; item < items; ++item) {
            hint += (item > 0 ? "+" : "") + random_item(random, ranks, item == repeated);
        }
    }
    return hint;
}

}  // namespace strata::testing
