#include <algorithm>

#include "topology/locality_record.h"
#include "topology/network_builder.h"
#include "topology/text.h"

namespace strata::topology {
namespace {

/// Splits at dots outside brackets, into at most `most` parts, because a host name may contain dots.
std::vector<std::string> split_address(std::string_view text, std::size_t most) {
    std::vector<std::string> parts(1);
    int open = 0;
    for (const char c : text) {
        open += c == '[' ? 1 : c == ']' ? -1 : 0;
        if (c == '.' && open == 0 && parts.size() < most) {
            parts.emplace_back();
        } else {
            parts.back() += c;
        }
    }
    return parts;
}

/// Returns the form in which host names are compared.
std::string plain_name(std::string_view host) { return lower_case(host.substr(0, host.find('.'))); }

/// Converts "s[0-1]" to "s0,s1", the name of these switches in a Network.
std::string one_name(const std::string& list, HostLists& lists) {
    if (list.find_first_of("[,") == std::string::npos) return list;
    std::vector<std::string> names;
    try {
        names = lists.expand(list);
    } catch (const std::invalid_argument&) {
        return list;
    }
    std::sort(names.begin(), names.end());
    std::string joined;
    for (const std::string& name : names) joined += (joined.empty() ? "" : ",") + name;
    return joined;
}

constexpr std::string_view ring = "ring:position";

/// Returns true for words that group nodes. The coordinates of a torus ("torus:x:y:z") differ on every
/// node.
bool groups_nodes(const std::string& kind) { return kind == "switch" || kind == "block" || kind == ring; }

}  // namespace

std::vector<std::string> slurm_switches(std::string_view address, std::string_view pattern,
                                        std::string_view host) {
    std::vector<std::string> kinds = split_address(pattern, pattern.size());
    std::vector<std::string> names = split_address(address, kinds.size());
    if (names.size() != kinds.size() || kinds.back() != "node") return {};
    if (host.empty() || plain_name(names.back()) != plain_name(host)) return {};
    kinds.pop_back();
    names.pop_back();
    if (!std::all_of(kinds.begin(), kinds.end(), groups_nodes)) return {};
    for (std::size_t i = 0; i < kinds.size(); ++i) {
        if (kinds[i] == ring) names[i] = names[i].substr(0, names[i].rfind(':'));
    }
    // Slurm writes one part per height of its highest switch; less deep branches have empty parts.
    std::erase(names, "");
    if (names.size() > most_switch_levels) return {};
    HostLists lists;
    for (std::string& name : names) name = one_name(name, lists);
    return names;
}

std::string slurm_node(std::string_view host, std::string_view slurmd_name, std::string_view job_nodes) {
    if (slurmd_name.empty()) return std::string(host);
    try {
        const std::string own = plain_name(host);
        const auto nodes = expand_host_list(job_nodes);
        if (std::any_of(nodes.begin(), nodes.end(),
                        [&](const std::string& node) { return plain_name(node) == own; })) {
            return std::string(host);
        }
    } catch (const std::invalid_argument&) {  // not a list
    }
    return std::string(slurmd_name);
}

std::uint32_t switch_id(std::string_view name) {
    const std::uint64_t hash = stable_hash(name);
    return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}

}  // namespace strata::topology
