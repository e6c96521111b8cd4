#include "component/base/peer_table.h"

#include "topology/heap_bytes.h"

namespace strata::component {

template <class Value>
std::size_t PeerTable::Distinct<Value>::memory() const {
    constexpr std::size_t links = 4 * sizeof(void*);  // in a node of std::map
    return numbers_.size() * (sizeof(std::pair<const Value, Index>) + links + topology::block_bytes) +
           topology::heap_bytes(by_number_);
}

void PeerTable::add(std::uint32_t process, const topology::LocalityRecord& record) {
    Entry entry;
    entry.node = nodes_.number_of(
        {record.node_id, network_paths_.number_of(record.network_path), record.processors.code});
    entry.hardware_path = hardware_paths_.number_of(record.hardware_path);
    entry.nics = record.nics;
    if (entries_.size() <= process) {
        entries_.resize(process + std::size_t{1});
    }
    entries_[process] = entry;
}

topology::LocalityRecord PeerTable::record(std::uint32_t process) const {
    const Entry& entry = entries_[process];
    const Node& node = *nodes_[entry.node];
    topology::LocalityRecord record;
    record.node_id = node.id;
    record.network_path = *network_paths_[node.network_path];
    record.hardware_path = *hardware_paths_[entry.hardware_path];
    record.nics = entry.nics;
    record.processors.code = node.processors;
    return record;
}

std::size_t PeerTable::memory() const {
    std::size_t bytes =
        topology::heap_bytes(entries_) + nodes_.memory() + network_paths_.memory() + hardware_paths_.memory();
    for (const auto& [path, number] : network_paths_.all()) bytes += topology::heap_bytes(path);
    for (const auto& [path, number] : hardware_paths_.all()) bytes += topology::heap_bytes(path);
    return bytes;
}

}  // namespace strata::component
