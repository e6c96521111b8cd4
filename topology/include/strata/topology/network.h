#pragma once
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace strata::topology {

/// What is wrong with a file, and where: what() is "FILE:LINE: message"; line 0 means the file as a whole and
/// is left out.
class FileError : public std::runtime_error {
public:
    FileError(std::string_view file, int line, std::string_view message);
};

/// Switches above the nodes, from a file in the syntax of Slurm's topology.conf(5):
///   SwitchName=s0 Nodes=n[1-3,07-12],gpu5
///   SwitchName=top Switches=s[0-1] LinkSpeed=100
/// Keywords ignore case; '#' starts a comment; a backslash at the end of a line continues it; a value may
/// stand in double quotes. A switch has either Nodes or Switches, and one name of at most 64 characters.
class Network {
public:
    /// Reads `path`. Throws FileError (unreadable file, unknown keyword, broken host list, a node or switch
    /// below two switches, an unknown switch, a cycle).
    static Network from_file(const std::string& path);
    /// The same from text; `file` is used in messages only.
    static Network from_text(std::string_view text, std::string_view file);

    /// Switch ids above a host, topmost first; empty for a host that the file does not name. A host name is
    /// looked up whole, then without its domain.
    std::vector<std::uint32_t> path_of(std::string_view host) const;
    std::string_view switch_name(std::uint32_t id) const;
    std::size_t switch_count() const { return switches_.size(); }
    /// A stable hash of the content: equal files, equal hash.
    std::uint64_t hash() const;

private:
    struct Switch {
        std::string name;
        int parent = -1;
        int line = 0;
    };
    std::vector<Switch> switches_;                     // id = position in the file
    std::map<std::string, int, std::less<>> leaf_of_;  // host -> switch id
    friend class NetworkParser;
};

/// "n[1-3,07-12],gpu5" -> n1 n2 n3 n07 ... n12 gpu5. Throws std::invalid_argument with the reason.
std::vector<std::string> expand_host_list(std::string_view list);

}  // namespace strata::topology
