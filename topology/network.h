#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "topology/text_file.h"

namespace strata::topology {

/// Switches above the nodes, from a file in the syntax of Slurm's topology.conf(5):
///   SwitchName=s0 Nodes=n[1-3,07-12],gpu5
///   SwitchName=top Switches=s[0-1] LinkSpeed=100
///   Include rack7.conf
/// Keywords ignore case; '#' starts a comment; a backslash at the end of a line continues it; a value
/// may be in double quotes. A switch has Nodes, Switches or neither. Differences from Slurm: a switch
/// has one name, a keyword appears once per line, and \\# is not supported.
///
/// A block (BlockName=b0 Nodes=..., topology/block) and a ring (RingName=..., topology/ring) count as a
/// leaf switch. BlockSizes is ignored, because only the scheduler uses it. A topology.yaml is rejected.
///
/// The result is always a tree: a node below the leaf switches s0 and s1, or a switch below both (a fat
/// tree), has one switch "s0,s1" above it, as in SLURM_TOPOLOGY_ADDR.
class Network {
public:
    /// Reads `path`. Throws FileError for an unreadable file, an unknown keyword, a malformed host list,
    /// or a switch that is defined twice, undefined, below itself, or has both nodes and switches.
    static Network from_file(const std::string& path);
    /// Parses text; `file` appears in messages only.
    static Network from_text(std::string_view text, std::string_view file);
    /// Parses the switches above each host, topmost first: "n[0-1]=top.site0;n[2-3]=top.site1". Throws
    /// std::invalid_argument naming the entry (malformed host list, a host or switch in two places).
    static Network from_hosts(std::string_view text);

    /// Returns the switch ids above a host, topmost first; empty for a host that the network does not
    /// name. Ignores case. Looks the name up whole, then without its domain, then as a name that the
    /// network has with exactly one domain.
    std::vector<std::uint32_t> path_of(std::string_view host) const;
    /// Returns the first `most` host names, in lower case, sorted.
    std::vector<std::string> hosts(std::size_t most) const;
    std::size_t host_count() const { return leaf_of_.size(); }
    std::string_view switch_name(std::uint32_t id) const;
    /// Returns the number of switches in the tree, which omits switches without nodes below them.
    std::size_t switch_count() const { return switches_.size(); }
    /// Returns a stable hash of the content: equal files have equal hashes.
    std::uint64_t hash() const;

private:
    struct Switch {
        std::string name;
        int parent = -1;
    };
    std::vector<Switch> switches_;                     // by id; parents before their children
    std::map<std::string, int, std::less<>> leaf_of_;  // host -> switch id
    friend class NetworkBuilder;
};

/// Returns "n0, n1 and 4 more" for a network's hosts, "none" if it names no host.
std::string some_hosts(const Network& network);

/// The source of the switches above nodes. Neither member set: no switches are known.
struct NetworkSource {
    std::optional<Network> network;
    bool slurm = false;  ///< slurm_switches(), on each node
};

/// Parses "auto" or "" (Slurm), "none", "file:PATH" or "hosts:..." (see Network). Throws FileError, or
/// std::invalid_argument for anything else.
NetworkSource parse_network_source(std::string_view text);

/// Returns the switches above a host as Slurm reports them to tasks, topmost first. `address` is
/// SLURM_TOPOLOGY_ADDR ("s0.s4.tux1"), `pattern` SLURM_TOPOLOGY_ADDR_PATTERN ("switch.switch.node" from
/// topology/tree, "block.node" from topology/block). Several switches of one height ("s[0-1]") become
/// one, "s0,s1". Skips empty parts, which are heights without a switch ("s0..tux1"), and the position in
/// a ring (":2" of "r8:2", pattern "ring:position"). `host`, from slurm_node(), is compared without
/// domain and case.
///
/// Returns empty (unknown) if address or pattern is empty, if they do not match each other, if the
/// pattern has other words (a torus gives coordinates), if there are more than 64 switches in a row, or
/// if the address is another host's (variables that a launcher copied from node to node).
std::vector<std::string> slurm_switches(std::string_view address, std::string_view pattern,
                                        std::string_view host);

/// Returns Slurm's name of this host (NodeName), which may differ from the host name (images in a cloud,
/// several slurmd on a host). `slurmd_name` is SLURMD_NODENAME, `job_nodes` SLURM_JOB_NODELIST. Returns
/// `host` if the list contains it: a different SLURMD_NODENAME was then copied from another node.
std::string slurm_node(std::string_view host, std::string_view slurmd_name, std::string_view job_nodes);

/// Returns the id of a switch that is known by name only.
std::uint32_t switch_id(std::string_view name);

/// Limit on the names of one list of hosts, and of all lists of one network: more than the largest
/// machines have nodes, and read within a second. It keeps a mistyped range from exhausting memory.
inline constexpr std::size_t most_host_names = 262144;

/// Expands "n[1-3,07-12],gpu5" to n1 n2 n3 n07 ... n12 gpu5. Commas or blanks separate names. Throws
/// std::invalid_argument with the reason: no name, more than most_host_names, a name of more than 255
/// characters, a malformed bracket or range.
std::vector<std::string> expand_host_list(std::string_view list);

}  // namespace strata::topology
