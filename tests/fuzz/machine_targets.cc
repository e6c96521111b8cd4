// Production code reads these files by name; here they are in memory.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "parsers.h"
#include "targets.h"
#include "topology/machine.h"
#include "topology/network.h"
#include "topology/node_notes.h"
#include "topology/text_file.h"

namespace strata::fuzz {
namespace {

using topology::LevelKind;
using topology::Machine;

class MemoryFile {
public:
    explicit MemoryFile(std::string_view text) : descriptor_(memfd_create("strata_fuzz", MFD_CLOEXEC)) {
        if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), "memfd_create");
        while (!text.empty()) {
            const ssize_t written = write(descriptor_, text.data(), text.size());
            if (written < 0) throw std::system_error(errno, std::generic_category(), "write");
            text.remove_prefix(static_cast<std::size_t>(written));
        }
    }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    ~MemoryFile() { close(descriptor_); }
    std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

private:
    int descriptor_;
};

/// Limits the input to about a thousand: a million takes seconds, and the targets network_hosts and
/// topology_conf cover such inputs.
bool lists_few_hosts(std::string_view text) {
    constexpr std::string_view ends = " ;=\n";
    constexpr int most_digits = 4;
    int digits = 0;
    for (const char c : text) {
        if (ends.find(c) != std::string_view::npos) digits = 0;
        if (c >= '0' && c <= '9' && ++digits > most_digits) return false;
    }
    return true;
}

void check_path(const std::vector<topology::HardwareObject>& path) {
    for (const topology::HardwareObject& object : path) {
        require(object.kinds != 0, "an object of a path is of some kind");
        require(object.kind() >= LevelKind::package, "hardware begins with the package");
    }
}

/// The facts that the plugin and the library find about a process and publish.
void check_place(const Machine& machine, const topology::Binding& binding,
                 std::span<const topology::Nic> nics) {
    topology::LocalityRecord record;
    record.hardware_path = machine.path_of(binding);
    check_path(record.hardware_path);
    record.processors = topology::ProcessorCount::of(machine.processors());
    for (auto& near : record.nics) near = machine.distance(binding, nics);
    topology::LocalityRecord read;
    require(topology::decode(topology::encode(record), read) && read == record,
            "the facts about a machine can be published");
    for (int kind = 0; kind < topology::level_kind_count; ++kind) {
        machine.object_around(binding, static_cast<LevelKind>(kind));
    }
}

/// NICs as a picture shows them.
void check_nics(const std::vector<topology::Nic>& nics) {
    topology::NodeNotes notes;
    for (const topology::Nic& nic : nics) {
        require(!nic.names.empty(), "a NIC has a name");
        check_path(nic.near_path);
        notes.nics.push_back({nic.name(), nic.near_name, nic.near_path, {true, false}});
    }
    topology::decode_notes(topology::encode_notes(notes));
    for (const auto& chosen : {topology::fabric_nics(nics, {}), topology::ip_nics(nics, {})}) {
        for (const int nic : chosen) {
            require(nic >= 0 && nic < static_cast<int>(nics.size()), "a NIC that is used is there");
        }
    }
}

}  // namespace

/// An XML file of hwloc, a placement, NICs.
void machine_xml(std::string_view input) {
    const auto text = fields(input, 3);
    static const Machine other =
        Machine::load("synthetic:pu:1");  // otherwise hwloc loads its plugins each time
    const MemoryFile file(text[0]);
    const Machine machine = Machine::load(file.path());
    must_not_throw([&] {
        require(machine.cores() > 0 && machine.processors() > 0, "a machine has cores");
        machine.is_uniform();
        const auto nics = machine.nics();
        check_nics(nics);
        for (const char* const cores : {"all", "0", "0-"})
            check_place(machine, machine.bound_to_cores(cores), nics);
    });
    const auto nics = machine.nics_present(topology::parse_nics(text[2]));
    check_nics(nics);
    for (const topology::SyntheticPlace& place : topology::parse_placement(text[1])) {
        const topology::Binding binding = machine.bound_to_cores(place.cores);
        must_not_throw([&] { check_place(machine, binding, nics); });
    }
}

/// A source in the user's form; after "file:" follows the file's text.
void network_source(std::string_view input) {
    constexpr std::string_view of_file = "file:";
    if (!lists_few_hosts(input)) return;
    if (!input.starts_with(of_file)) {
        const topology::NetworkSource source = topology::parse_network_source(input);
        require(!source.network || !source.slurm, "a network is known from one place");
        return;
    }
    const MemoryFile file(input.substr(of_file.size()));
    const std::string path = file.path();
    try {
        const auto network = topology::parse_network_source("file:" + path).network;
        require(network.has_value(), "a file that is understood has a network");
        const auto same = topology::Network::from_text(input.substr(of_file.size()), path);
        require(network->hash() == same.hash(), "a file is read as it was written");
    } catch (const topology::FileError& error) {
        require(std::string(error.what()).starts_with(path + ":"), "a message begins with its file");
    }
}

}  // namespace strata::fuzz
