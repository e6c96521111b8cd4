#include "job.h"

#include <algorithm>
#include <map>
#include <set>

#include "core_order.h"
#include "reading.h"
#include "topology/machine.h"
#include "topology/network.h"
#include "topology/text.h"

namespace strata::tool {
namespace {

using topology::LocalityRecord;
using topology::Machine;
using topology::Nic;
using topology::NicDistance;
using topology::NicUse;

constexpr std::size_t most_nodes = 1000000;
constexpr std::size_t most_ranks = 4000000;

std::size_t number(const char* option, std::string_view text, std::size_t most) {
    const auto value = topology::whole_number<std::size_t>(topology::trimmed(text));
    if (!value || *value < 1 || *value > most) {
        throw UsageError(option,
                         "'" + std::string(text) + "' is no number from 1 to " + std::to_string(most));
    }
    return *value;
}

/// A process's place, computed once per distinct binding.
struct Place {
    std::vector<topology::HardwareObject> path;
    NicDistance distance;
};

/// One kind of node: its hardware, its NICs, and where local ranks run.
class NodeType {
public:
    NodeType(Machine machine, const JobOptions& options);

    std::size_t cores() const { return static_cast<std::size_t>(machine_.cores()); }
    topology::ProcessorCount processors() const {
        return topology::ProcessorCount::of(machine_.processors());
    }
    /// Returns the place of the process with this rank on its node.
    const Place& place(std::size_t local_rank);
    const std::vector<topology::NicNote>& nics() const { return notes_; }
    /// Returns one line per NIC, and one about the leaders.
    std::vector<std::string> facts(const JobOptions& options) const;
    /// Returns why NICs of --nic are missing here, by position in its list.
    const std::map<std::size_t, std::string>& missing() const { return missing_; }

private:
    void find_nics(const JobOptions& options);
    void find_placement(const JobOptions& options);
    void note_nics();

    Machine machine_;
    std::vector<Nic> all_;
    std::vector<Nic> used_;
    std::vector<topology::NicNote> notes_;
    std::map<std::size_t, std::string> missing_;
    std::vector<std::string> bindings_;  ///< local ranks in turn
    std::map<std::string, Place> places_;
};

NodeType::NodeType(Machine machine, const JobOptions& options) : machine_(std::move(machine)) {
    all_ = machine_.nics();
    find_nics(options);
    note_nics();
    find_placement(options);
}

void NodeType::find_nics(const JobOptions& options) {
    if (options.nic == "none") return;
    if (options.nic.empty() || options.nic == "auto") {
        for (const int nic : topology::fabric_nics(all_, {})) {
            used_.push_back(all_[static_cast<std::size_t>(nic)]);
        }
        return;
    }
    const auto list = reading("nic", [&] { return topology::parse_nics(options.nic); });
    for (std::size_t i = 0; i < list.size(); ++i) {
        try {
            Nic nic = machine_.nics_named({&list[i], 1}).front();
            const bool known = std::any_of(used_.begin(), used_.end(), [&](const Nic& other) {
                return other.names == nic.names && other.near_path == nic.near_path;
            });
            if (!known) used_.push_back(std::move(nic));  // a NIC has several names
        } catch (const std::invalid_argument& error) {
            missing_[i] = error.what();  // as in a job: nodes may differ
        }
    }
}

void NodeType::note_nics() {
    for (const Nic& nic : used_) {
        notes_.push_back({nic.name(), nic.near_name, nic.near_path, {true, false}});
    }
}

void NodeType::find_placement(const JobOptions& options) {
    if (options.placement == "none") {
        bindings_ = {"all"};
    } else if (options.placement == "core") {
        for (std::size_t core = 0; core < cores(); ++core) bindings_.push_back(std::to_string(core));
    } else if (options.placement == "scatter") {
        for (const int core : scattered_cores(machine_)) bindings_.push_back(std::to_string(core));
    } else {
        reading("placement", [&] {
            for (const auto& entry : topology::parse_placement(options.placement)) {
                if (!entry.node.empty()) {
                    throw std::invalid_argument(
                        "'@" + entry.node +
                        "': nodes are given by --nodes or --hosts; write core, scatter, "
                        "none or lists of cores ('0-3;4;5;all')");
                }
                machine_.bound_to_cores(entry.cores);
                bindings_.push_back(entry.cores);
            }
        });
    }
}

const Place& NodeType::place(std::size_t local_rank) {
    const std::string& cores = bindings_[local_rank % bindings_.size()];
    const auto [known, isnew] = places_.try_emplace(cores);
    if (isnew) {
        const topology::Binding binding = machine_.bound_to_cores(cores);
        known->second = {machine_.path_of(binding), machine_.distance(binding, used_)};
    }
    return known->second;
}

std::vector<std::string> NodeType::facts(const JobOptions& options) const {
    std::vector<std::string> lines;
    const auto add = [&](const Nic& nic, bool used) {
        std::string others;
        for (std::size_t i = 1; i < nic.names.size(); ++i) {
            others += (i > 1 ? ", " : " (") + nic.names[i] + (i + 1 == nic.names.size() ? ")" : "");
        }
        lines.push_back("NIC " + nic.name() + others + ", near " + (nic.local() ? "" : "the ") +
                        nic.near_name +
                        (used                             ? ": used"
                         : nic.port_active.value_or(true) ? ""
                                                          : ": port down"));
    };
    const auto same = [](const Nic& a) { return [&a](const Nic& b) { return a.names == b.names; }; };
    // The used NICs with the places that the user gave them.
    for (const Nic& nic : used_) add(nic, true);
    for (const Nic& nic : all_) {
        if (std::none_of(used_.begin(), used_.end(), same(nic))) add(nic, false);
    }
    for (const auto& [position, why] : missing_) lines.push_back(why);
    const bool any_local =
        std::any_of(used_.begin(), used_.end(), [](const Nic& nic) { return nic.local(); });
    const bool any_known = std::any_of(places_.begin(), places_.end(), [](const auto& place) {
        return place.second.distance.distance != topology::unknown_distance;
    });
    std::string reason;
    if (options.nic == "none") {
        reason = "--nic none";
    } else if (used_.empty()) {
        reason = all_.empty() ? "no NIC" : "no NIC is used";
    } else if (!any_local) {
        reason = used_.size() == 1 ? used_[0].name() + " is equally near to all cores"
                                   : "the used NICs are equally near to all cores";
    } else if (!any_known) {
        reason = "no process is bound";
    }
    lines.push_back(reason.empty() ? "leaders are those nearest to the used NIC" +
                                         std::string(used_.size() > 1 ? "s" : "")
                                   : "leaders are the lowest ranks: " + reason);
    return lines;
}

/// Builds a job from its options.
class Builder {
public:
    explicit Builder(const JobOptions& options) : options_(options) {}
    Job build();

private:
    void name_nodes();
    void load_machines();
    void count_ranks();
    void read_network();
    void place_ranks();
    void describe_nodes();
    std::size_t default_nodes() const { return std::max<std::size_t>(options_.topologies.size(), 1); }

    struct Node {
        std::string name;
        NodeType* type = nullptr;
        std::size_t ranks = 0;
        std::vector<std::uint32_t> switches;
    };

    const JobOptions& options_;
    std::map<std::string, NodeType> types_;  // by the description of the machine
    std::vector<Node> nodes_;
    std::optional<topology::Network> network_;
    Job job_;
};

void Builder::name_nodes() {
    std::vector<std::string> names;
    if (!options_.hosts.empty()) {
        names = reading("hosts", [&] { return topology::expand_host_list(options_.hosts); });
        std::set<std::string> distinct;
        for (const std::string& name : names) {
            if (!distinct.insert(name).second) throw UsageError("hosts", name + " is named twice");
        }
    }
    const std::size_t count = !options_.nodes.empty() ? number("nodes", options_.nodes, most_nodes)
                              : !names.empty()        ? names.size()
                                                      : default_nodes();
    if (!names.empty() && names.size() != count) {
        throw UsageError(
            "nodes", options_.nodes + " contradicts --hosts, which names " + std::to_string(names.size()));
    }
    for (std::size_t i = 0; i < count; ++i) {
        nodes_.emplace_back();
        nodes_.back().name = names.empty() ? "n" + std::to_string(i) : names[i];
    }
}

void Builder::load_machines() {
    const auto& given = options_.topologies;
    if (given.size() > 1 && given.size() != nodes_.size()) {
        throw UsageError("topology", "give one machine for all nodes or one per node; machines: " +
                                         std::to_string(given.size()) +
                                         ", nodes: " + std::to_string(nodes_.size()));
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const std::string description = given.empty() ? "" : given.size() == 1 ? given[0] : given[i];
        auto known = types_.find(description);
        if (known == types_.end()) {
            Machine machine = reading(
                "topology", [&] { return given.empty() ? Machine::running() : Machine::load(description); });
            known = types_.emplace(description, NodeType(std::move(machine), options_)).first;
        }
        nodes_[i].type = &known->second;
    }
    for (const auto& [position, why] : types_.begin()->second.missing()) {
        const bool everywhere = std::all_of(
            types_.begin(), types_.end(),
            [&, nic = position](const auto& type) { return type.second.missing().contains(nic); });
        if (everywhere) throw UsageError("nic", why);
    }
}

void Builder::count_ranks() {
    std::vector<std::size_t> counts;
    if (!options_.ppn.empty()) {
        for (const std::string_view entry : topology::split(options_.ppn, ',')) {
            counts.push_back(number("ppn", entry, most_ranks));
        }
    }
    if (counts.size() > 1 && counts.size() != nodes_.size()) {
        throw UsageError("ppn", "give one number for all nodes or one per node; numbers: " +
                                    std::to_string(counts.size()) +
                                    ", nodes: " + std::to_string(nodes_.size()));
    }
    std::size_t total = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        nodes_[i].ranks = counts.empty()       ? nodes_[i].type->cores()
                          : counts.size() == 1 ? counts[0]
                                               : counts[i];
        total += nodes_[i].ranks;
    }
    if (total > most_ranks) {
        throw UsageError("ppn",
                         "at most " + std::to_string(most_ranks) + " ranks, not " + std::to_string(total));
    }
}

void Builder::read_network() {
    const std::string& text = options_.network;
    if (text.empty() || text == "none") return;
    const bool is_path = !text.starts_with("hosts:") && !text.starts_with("file:");
    network_ = reading(
        "network", [&] { return topology::parse_network_source(is_path ? "file:" + text : text).network; });
    std::string lacking;
    std::size_t count = 0;
    constexpr std::size_t most = 8;
    for (Node& node : nodes_) {
        node.switches = network_->path_of(node.name);
        if (node.switches.empty() && ++count <= most) lacking += (count > 1 ? ", " : "") + node.name;
    }
    if (count == 0) return;
    if (count > most) lacking += " and " + std::to_string(count - most) + " more";
    job_.warning = "--network does not name " + lacking + "; it names " + topology::some_hosts(*network_);
}

void Builder::place_ranks() {
    const auto add = [&](const Node& node, std::size_t local_rank) {
        const Place& place = node.type->place(local_rank);
        LocalityRecord& record = job_.records.emplace_back();
        record.node_id = topology::stable_hash(node.name);
        record.network_path = node.switches;
        record.hardware_path = place.path;
        record.processors = node.type->processors();
        record.nics[static_cast<std::size_t>(NicUse::fabric)] = place.distance;
    };
    if (options_.order == "block") {
        for (const Node& node : nodes_) {
            for (std::size_t local = 0; local < node.ranks; ++local) add(node, local);
        }
    } else if (options_.order == "cyclic") {
        bool left = true;
        for (std::size_t local = 0; left; ++local) {
            left = false;
            for (const Node& node : nodes_) {
                if (local < node.ranks) add(node, local);
                left = left || local + 1 < node.ranks;
            }
        }
    } else {
        throw UsageError("order", "unknown order '" + options_.order + "'; known: block, cyclic");
    }
}

void Builder::describe_nodes() {
    for (const Node& node : nodes_) {
        topology::NodeNotes& notes = job_.notes[topology::stable_hash(node.name)];
        notes.node = node.name;
        notes.nics = node.type->nics();
        for (const std::uint32_t id : node.switches) notes.switches.emplace_back(network_->switch_name(id));
        job_.nodes.push_back({node.name, node.type->facts(options_)});
        if (network_ && node.switches.empty()) {
            job_.nodes.back().lines.emplace_back("no switches: --network does not name this node");
        }
    }
}

Job Builder::build() {
    name_nodes();
    load_machines();
    count_ranks();
    read_network();
    if (!topology::trimmed(options_.hierarchy).empty()) {
        job_.spec.hint =
            reading("hierarchy", [&] { return topology::parse_hierarchy_hint(options_.hierarchy); });
    }
    job_.spec.election.nic_local = options_.nic != "none";
    place_ranks();
    describe_nodes();
    return std::move(job_);
}

}  // namespace

Job make_job(const JobOptions& options) { return Builder(options).build(); }

}  // namespace strata::tool
