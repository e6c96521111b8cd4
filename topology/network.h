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
/// Keywords ignore case; '#' starts a comment; a backslash at the end of a line continues it; a value may
/// stand in double quotes. A switch has Nodes or Switches, or nothing below it. What Slurm takes is taken and
/// means the same, except: a switch has one name, a keyword stands once in a line, and \\# is not understood.
///
/// A block (BlockName=b0 Nodes=..., topology/block) and a ring (RingName=..., topology/ring) count as a leaf
/// switch; BlockSizes, by which only the scheduler goes, is read over. A topology.yaml is refused.
///
/// The result is a tree even where the file's is none: a node below the leaf switches s0 and s1, or a switch
/// below both (a fat tree), has one switch "s0,s1" above it, as in SLURM_TOPOLOGY_ADDR.
class Network {
public:
    /// Reads `path`. Throws FileError (unreadable file, unknown keyword, broken host list, a switch that is
    /// defined twice, or not at all, or below itself, or has both nodes and switches).
    static Network from_file(const std::string& path);
    /// The same from text; `file` is used in messages only.
    static Network from_text(std::string_view text, std::string_view file);
    /// The switches above each host, given directly, topmost first: "n[0-1]=top.site0;n[2-3]=top.site1".
    /// Throws std::invalid_argument naming the entry (broken host list, a host or switch in two places).
    static Network from_hosts(std::string_view text);

    /// Switch ids above a host, topmost first; empty for a host that the network does not name. Names ignore
    /// case; a host name is looked up whole, then without its domain, then as one that the network knows with
    /// a domain, unless there are several.
    std::vector<std::uint32_t> path_of(std::string_view host) const;
    /// The hosts that it names, in small letters, sorted: the first `most`.
    std::vector<std::string> hosts(std::size_t most) const;
    std::size_t host_count() const { return leaf_of_.size(); }
    std::string_view switch_name(std::uint32_t id) const;
    /// How many switches the tree has; a switch without nodes below it is not in it.
    std::size_t switch_count() const { return switches_.size(); }
    /// A stable hash of the content: equal files, equal hash.
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

/// The first hosts that a network names, and how many more: "n0, n1 and 4 more"; "none" where it names none.
std::string some_hosts(const Network& network);

/// Where the switches above nodes are known from; neither: nobody tells of any.
struct NetworkSource {
    std::optional<Network> network;
    bool slurm = false;  ///< slurm_switches(), on each node
};

/// As users write it: "auto" or nothing (Slurm), "none", "file:PATH" or "hosts:..." (see Network). Throws
/// FileError, or std::invalid_argument, also for anything else.
NetworkSource parse_network_source(std::string_view text);

/// The switches above a host as Slurm tells its tasks, topmost first: `address` is SLURM_TOPOLOGY_ADDR
/// ("s0.s4.tux1"), `pattern` SLURM_TOPOLOGY_ADDR_PATTERN ("switch.switch.node" from topology/tree,
/// "block.node" from topology/block). Several switches of one height ("s[0-1]") are one, "s0,s1"; the empty
/// parts that stand for heights without a switch ("s0..tux1") are left out. Empty, as nothing is known, when
/// either is empty, when they do not fit each other, when the pattern has other words (a torus tells
/// coordinates), when there are more than 64 switches in a row, or when the address is another host's
/// (variables that a launcher copied from node to node). A ring tells the place in it, too ("r8:2", of
/// "ring:position"), which is left out.
/// `host`, by slurm_node(), is compared without its domain and case.
std::vector<std::string> slurm_switches(std::string_view address, std::string_view pattern,
                                        std::string_view host);

/// What Slurm calls this host: its NodeName may be another one than the host's own (images in a cloud,
/// several slurmd on a host). `slurmd_name` is SLURMD_NODENAME, `job_nodes` SLURM_JOB_NODELIST. The host's
/// own name where the list has it: the variables of another node then were copied here.
std::string slurm_node(std::string_view host, std::string_view slurmd_name, std::string_view job_nodes);

/// The id of a switch that is known by its name only.
std::uint32_t switch_id(std::string_view name);

/// What one list of hosts, and all lists of one network together, may have: more than the largest machines
/// have nodes, and read within a second. A mistyped range must not eat the memory.
inline constexpr std::size_t most_host_names = 262144;

/// "n[1-3,07-12],gpu5" -> n1 n2 n3 n07 ... n12 gpu5. Names are separated by commas or blanks. Throws
/// std::invalid_argument with the reason: no name at all, more than most_host_names, a name of more than 255
/// characters, a bracket or range that is none.
std::vector<std::string> expand_host_list(std::string_view list);

}  // namespace strata::topology
