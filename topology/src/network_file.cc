#include <algorithm>
#include <utility>

#include "strata/topology/text.h"
#include "network_builder.h"
#include "switch_graph.h"

namespace strata::topology {
namespace {

constexpr std::string_view blanks = " \t\r";
constexpr std::size_t longest_network = std::size_t{16} << 20;  // every rank reads it

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
            throw FileError(file, line.number, "expected KEYWORD=VALUE at " + quoted_text(text.substr(at)));
        }
        std::size_t begin = text.find_first_not_of(blanks, equals + 1);
        if (begin == std::string::npos)
            throw FileError(file, line.number, quoted_text(key) + " has no value");
        std::size_t end = 0;
        std::size_t next = 0;
        if (text[begin] == '"') {
            end = text.find('"', ++begin);
            if (end == std::string::npos) throw FileError(file, line.number, "a quote is not closed");
            next = end + 1;
        } else {
            end = next = std::min(text.find_first_of(blanks, begin), text.size());
        }
        if (end == begin) throw FileError(file, line.number, quoted_text(key) + " has no value");
        if (text[begin] == '\'') throw FileError(file, line.number, "only double quotes are understood");
        words.emplace_back(key, text.substr(begin, end - begin));
        at = text.find_first_not_of(blanks, next);
    }
    return words;
}

/// Reads a file in two passes, because a switch may be named before its own line.
class FileParser {
public:
    explicit FileParser(std::string_view file) : file_(file) {}

    Network parse(std::string_view text) {
        for (const LogicalLine& line : logical_lines(text)) read_line(line);
        for (std::size_t id = 0; id < lines_.size(); ++id) {
            try {
                connect(static_cast<int>(id));
            } catch (const std::invalid_argument& error) {
                fail(lines_[id].number, error.what());
            }
        }
        try {
            return graph_.to_tree();
        } catch (const SwitchGraph::Misplaced& found) {
            fail(lines_[static_cast<std::size_t>(found.id)].number, found.reason);
        }
    }

private:
    /// The line of one switch.
    struct Line {
        int number = 0;
        std::string nodes;
        std::string switches;
    };

    void read_line(const LogicalLine& line);
    void connect(int id);
    [[noreturn]] void fail(int line, const std::string& message) const {
        throw FileError(file_, line, message);
    }

    std::string file_;
    HostLists lists_;
    SwitchGraph graph_;
    std::vector<Line> lines_;  // by switch id
    std::map<std::string, int> id_of_;
};

void FileParser::read_line(const LogicalLine& line) {
    std::string name;
    std::string speed;
    Line description{line.number, "", ""};
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
            fail(line.number,
                 "unknown keyword " + quoted_text(key) + "; known: SwitchName, Nodes, Switches, LinkSpeed");
        }
        if (!found->second->empty()) fail(line.number, quoted_text(key) + " is given twice");
        *found->second = value;
    }
    if (name.empty()) fail(line.number, "a line must name its switch: SwitchName=...");
    if (name.find_first_of("[],") != std::string::npos) {
        fail(line.number, "SwitchName takes one name, not a list: " + quoted_text(name));
    }
    if (speed.find_first_not_of("0123456789") != std::string::npos) {
        fail(line.number, "LinkSpeed " + quoted_text(speed) + " is no number");
    }
    if (description.nodes.empty() == description.switches.empty()) {
        fail(line.number, "switch " + quoted_text(name) + " needs either Nodes or Switches");
    }
    const auto [earlier, is_new] = id_of_.try_emplace(name, static_cast<int>(lines_.size()));
    if (!is_new) {
        fail(line.number, "switch " + quoted_text(name) + " is already defined in line " +
                              std::to_string(lines_[static_cast<std::size_t>(earlier->second)].number));
    }
    graph_.switches.push_back({name, {}});
    lines_.push_back(std::move(description));
}

void FileParser::connect(int id) {
    const Line& line = lines_[static_cast<std::size_t>(id)];
    if (!line.nodes.empty()) {
        for (const std::string& node : lists_.expand(line.nodes)) {
            std::vector<int>& leaves = graph_.leaves_of[node];
            if (leaves.empty() || leaves.back() != id) leaves.push_back(id);
        }
        return;
    }
    for (const std::string& name : lists_.expand(line.switches)) {
        const auto child = id_of_.find(name);
        if (child == id_of_.end())
            throw std::invalid_argument("switch " + quoted_text(name) + " is not defined");
        graph_.switches[static_cast<std::size_t>(id)].children.push_back(child->second);
    }
}

}  // namespace

Network Network::from_text(std::string_view text, std::string_view file) {
    return FileParser(file).parse(text);
}

Network Network::from_file(const std::string& path) {
    return from_text(read_text_file(path, longest_network), path);
}

}  // namespace strata::topology
