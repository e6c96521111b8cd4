#include "strata/topology/network.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "strata/topology/locality_record.h"
#include "strata/topology/text.h"

namespace strata::topology {
namespace {

constexpr std::size_t longest_switch_name = 64;  // topology.conf(5)
constexpr std::string_view blanks = " \t\r";

/// A line of the file with its continuations, comments removed.
struct LogicalLine {
    std::string text;
    int number = 0;  ///< of its first physical line, from 1
};

std::vector<LogicalLine> logical_lines(std::string_view text) {
    std::vector<LogicalLine> lines;
    bool continued = false;
    int number = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        ++number;
        line = line.substr(0, line.find('#'));
        const std::size_t last = line.find_last_not_of(blanks);
        line = last == std::string_view::npos ? std::string_view() : line.substr(0, last + 1);
        const bool continues = line.ends_with('\\');
        if (continues) line.remove_suffix(1);
        if (!continued) lines.push_back({"", number});
        lines.back().text += line;
        continued = continues;
    }
    return lines;
}

/// KEY=VALUE words of one line; blanks around '=' and double quotes around VALUE are allowed, as in Slurm.
std::vector<std::pair<std::string, std::string>> split_words(const LogicalLine& line, std::string_view file) {
    std::vector<std::pair<std::string, std::string>> words;
    const std::string& text = line.text;
    std::size_t at = text.find_first_not_of(blanks);
    while (at != std::string::npos) {
        const std::size_t key_end = std::min(text.find_first_of(" \t\r=", at), text.size());
        const std::string key = text.substr(at, key_end - at);
        std::size_t equals = text.find_first_not_of(blanks, key_end);
        if (key.empty() || equals == std::string::npos || text[equals] != '=') {
            throw FileError(file, line.number, "expected KEYWORD=VALUE at '" + text.substr(at) + "'");
        }
        std::size_t begin = text.find_first_not_of(blanks, equals + 1);
        if (begin == std::string::npos) throw FileError(file, line.number, key + " has no value");
        std::size_t end = 0;
        std::size_t next = 0;
        if (text[begin] == '"') {
            end = text.find('"', ++begin);
            if (end == std::string::npos) throw FileError(file, line.number, "a quote is not closed");
            next = end + 1;
        } else {
            end = next = std::min(text.find_first_of(blanks, begin), text.size());
        }
        if (end == begin) throw FileError(file, line.number, key + " has no value");
        words.emplace_back(key, text.substr(begin, end - begin));
        at = text.find_first_not_of(blanks, next);
    }
    return words;
}

}  // namespace

FileError::FileError(std::string_view file, int line, std::string_view message)
    : std::runtime_error(std::string(file) + ":" + (line > 0 ? std::to_string(line) + ":" : "") + " " +
                         std::string(message)) {}

/// Builds a Network in two passes, because a switch may be named before its own line.
class NetworkParser {
public:
    explicit NetworkParser(std::string_view file) : file_(file) {}

    Network parse(std::string_view text) {
        for (const LogicalLine& line : logical_lines(text)) read_line(line);
        for (std::size_t id = 0; id < descriptions_.size(); ++id) connect(static_cast<int>(id));
        check_cycles();
        return std::move(network_);
    }

private:
    struct Description {
        std::string nodes;
        std::string switches;
    };

    void read_line(const LogicalLine& line);
    void connect(int id);
    void check_cycles() const;
    [[noreturn]] void fail(int line, const std::string& message) const {
        throw FileError(file_, line, message);
    }
    std::vector<std::string> expand(const std::string& list, int line) const {
        try {
            return expand_host_list(list);
        } catch (const std::invalid_argument& error) {
            fail(line, error.what());
        }
    }
    Network::Switch& at(int id) { return network_.switches_[static_cast<std::size_t>(id)]; }

    std::string file_;
    Network network_;
    std::vector<Description> descriptions_;
    std::map<std::string, int, std::less<>> id_of_;
};

void NetworkParser::read_line(const LogicalLine& line) {
    std::string name;
    std::string speed;
    Description description;
    const std::pair<std::string_view, std::string*> known[] = {{"switchname", &name},
                                                               {"nodes", &description.nodes},
                                                               {"switches", &description.switches},
                                                               {"linkspeed", &speed}};
    const auto words = split_words(line, file_);
    if (words.empty()) return;
    for (const auto& [key, value] : words) {
        const auto found =
            std::find_if(std::begin(known), std::end(known),
                         [&, &word = key](const auto& entry) { return entry.first == lower_case(word); });
        if (found == std::end(known)) {
            fail(line.number, "unknown keyword '" + key + "'; known: SwitchName, Nodes, Switches, LinkSpeed");
        }
        if (!found->second->empty()) fail(line.number, key + " is given twice");
        *found->second = value;
    }
    if (name.empty()) fail(line.number, "a line must name its switch: SwitchName=...");
    if (name.size() > longest_switch_name)
        fail(line.number, "the name of a switch has at most 64 characters");
    if (name.find_first_of("[],") != std::string::npos) {
        fail(line.number, "SwitchName takes one name, not a list: '" + name + "'");
    }
    if (description.nodes.empty() == description.switches.empty()) {
        fail(line.number, "switch " + name + " needs either Nodes or Switches");
    }
    const auto [position, added] = id_of_.try_emplace(name, static_cast<int>(descriptions_.size()));
    if (!added) {
        fail(line.number,
             "switch " + name + " is already defined in line " + std::to_string(at(position->second).line));
    }
    network_.switches_.push_back({name, -1, line.number});
    descriptions_.push_back(std::move(description));
}

void NetworkParser::connect(int id) {
    const int line = at(id).line;
    const Description& description = descriptions_[static_cast<std::size_t>(id)];
    if (!description.nodes.empty()) {
        for (std::string& host : expand(description.nodes, line)) {
            const auto [position, added] = network_.leaf_of_.try_emplace(host, id);
            if (!added) fail(line, "node " + host + " is already below switch " + at(position->second).name);
        }
        return;
    }
    for (const std::string& name : expand(description.switches, line)) {
        const auto child = id_of_.find(name);
        if (child == id_of_.end()) fail(line, "switch " + name + " is not defined");
        int& parent = at(child->second).parent;
        if (parent >= 0) fail(line, "switch " + name + " is already below switch " + at(parent).name);
        parent = id;
    }
}

void NetworkParser::check_cycles() const {
    const std::vector<Network::Switch>& switches = network_.switches_;
    for (const Network::Switch& start : switches) {
        std::size_t steps = 0;
        for (int up = start.parent; up >= 0; up = switches[static_cast<std::size_t>(up)].parent) {
            if (++steps > switches.size()) fail(start.line, "switch " + start.name + " is below itself");
        }
    }
}

Network Network::from_text(std::string_view text, std::string_view file) {
    return NetworkParser(file).parse(text);
}

Network Network::from_file(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream) throw FileError(path, 0, "cannot be opened");
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) throw FileError(path, 0, "is a directory");
    const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    if (stream.bad()) throw FileError(path, 0, "cannot be read");
    return from_text(text, path);
}

std::vector<std::uint32_t> Network::path_of(std::string_view host) const {
    auto found = leaf_of_.find(host);
    if (found == leaf_of_.end()) found = leaf_of_.find(host.substr(0, host.find('.')));
    std::vector<std::uint32_t> path;
    if (found == leaf_of_.end()) return path;
    for (int id = found->second; id >= 0; id = switches_[static_cast<std::size_t>(id)].parent) {
        path.push_back(static_cast<std::uint32_t>(id));
    }
    std::reverse(path.begin(), path.end());
    return path;
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

}  // namespace strata::topology
