#include "topology/network.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>

#include "topology/locality_record.h"
#include "topology/text.h"

namespace strata::topology {

std::vector<std::uint32_t> Network::path_of(std::string_view host) const {
    const std::string name = lower_case(host);
    const std::string alone = name.substr(0, name.find('.'));
    auto found = leaf_of_.find(name);
    if (found == leaf_of_.end()) found = leaf_of_.find(alone);
    if (found == leaf_of_.end() && alone == name) {
        const std::string beginning = alone + '.';
        const auto has_it = [&](auto at) { return at != leaf_of_.end() && at->first.starts_with(beginning); };
        const auto first = leaf_of_.lower_bound(beginning);
        if (has_it(first) && !has_it(std::next(first))) found = first;
    }
    std::vector<std::uint32_t> path;
    if (found == leaf_of_.end()) return path;
    for (int id = found->second; id >= 0; id = switches_[static_cast<std::size_t>(id)].parent) {
        path.push_back(static_cast<std::uint32_t>(id));
    }
    std::reverse(path.begin(), path.end());
    return path;
}

std::vector<std::string> Network::hosts(std::size_t most) const {
    std::vector<std::string> names;
    for (const auto& [host, leaf] : leaf_of_) {
        if (names.size() == most) break;
        names.push_back(host);
    }
    return names;
}

std::string_view Network::switch_name(std::uint32_t id) const {
    return id < switches_.size() ? std::string_view(switches_[id].name) : std::string_view();
}

std::uint64_t Network::hash() const {
    std::uint64_t hash = stable_hash("");
    const auto add = [&](std::string_view text) { hash = stable_hash("\n", stable_hash(text, hash)); };
    for (const Switch& entry : switches_) {
        add(entry.name);
        add(std::to_string(entry.parent));
    }
    for (const auto& [host, leaf] : leaf_of_) {
        add(host);
        add(std::to_string(leaf));
    }
    return hash;
}

std::string some_hosts(const Network& network) {
    constexpr std::size_t most = 8;
    std::string list;
    for (const std::string& host : network.hosts(most)) list += (list.empty() ? "" : ", ") + host;
    if (network.host_count() > most) list += " and " + std::to_string(network.host_count() - most) + " more";
    return list.empty() ? "none" : list;
}

NetworkSource parse_network_source(std::string_view text) {
    if (text.empty() || text == "auto") return {.network = {}, .slurm = true};
    if (text == "none") return {};
    if (text.starts_with("file:")) return {.network = Network::from_file(std::string(text.substr(5)))};
    if (text.starts_with("hosts:")) return {.network = Network::from_hosts(text.substr(6))};
    throw std::invalid_argument("unknown source; known: auto, none, file:PATH, hosts:LIST=SWITCHES;...");
}

}  // namespace strata::topology
