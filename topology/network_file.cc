#include <algorithm>
#include <utility>

#include "topology/network_builder.h"
#include "topology/switch_graph.h"
#include "topology/text.h"

namespace strata::topology {
namespace {

constexpr std::string_view blanks = " \t\r";
constexpr std::size_t longest_network = std::size_t{16} << 20;  // every rank reads it

/// A line of the file with its continuations, without comments.
struct LogicalLine {
    std::string text;
    int number = 0;  ///< number of its first physical line, from 1
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

/// Splits a line into KEY=VALUE words; blanks around '=' and double quotes around VALUE are allowed, as
/// in Slurm.
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
        if (text[begin] == '\'') throw FileError(file, line.number, "only double quotes are supported");
        words.emplace_back(key, text.substr(begin, end - begin));
        at = text.find_first_not_of(blanks, next);
    }
    return words;
}

/// The kind of a line: a switch, a block or a ring.
struct Kind {
    std::string_view keyword;
    std::string_view noun;
};
constexpr Kind kinds[] = {{"SwitchName", "switch"}, {"BlockName", "block"}, {"RingName", "ring"}};
constexpr std::string_view known_keywords =
    "SwitchName, Nodes, Switches, LinkSpeed, BlockName, BlockSizes, RingName, Include";

bool is_keyword(const std::string& word, std::string_view keyword) {
    return lower_case(word) == lower_case(keyword);
}

/// Returns PATH of "Include PATH", which is no KEY=VALUE; empty for any other line.
std::string included_path(const LogicalLine& line) {
    const std::string_view text = trimmed(line.text);
    const std::size_t end = std::min(text.find_first_of(blanks), text.size());
    if (!is_keyword(std::string(text.substr(0, end)), "Include")) return {};
    const std::string_view path = trimmed(text.substr(end));
    return path.starts_with('=') ? std::string() : std::string(path);
}

/// Returns true if the text begins like Slurm's topology.yaml.
bool is_yaml(std::string_view text) {
    const std::string_view word = trimmed(text);
    return word == "---" || word.starts_with("- topology:");
}

/// Parses in two passes, because a line may name a switch that a later line defines.
class FileParser {
public:
    /// `opens`: includes are allowed.
    FileParser(std::string_view file, bool opens) : opens_(opens) { files_.emplace_back(file); }

    Network parse(std::string_view text) {
        read(text);
        for (std::size_t id = 0; id < lines_.size(); ++id) {
            try {
                connect(static_cast<int>(id));
            } catch (const std::invalid_argument& error) {
                fail(lines_[id], error.what());
            }
        }
        try {
            return graph_.to_tree();
        } catch (const SwitchGraph::InvalidSwitch& found) {
            fail(lines_[static_cast<std::size_t>(found.id)], found.reason);
        }
    }

private:
    static constexpr std::size_t most_files = 1000;
    static constexpr std::size_t most_nested = 10;

    /// The line of one switch.
    struct Line {
        std::size_t file = 0;
        int number = 0;
        std::string nodes;
        std::string switches;
    };
    using Words = std::vector<std::pair<std::string, std::string>>;

    void read(std::string_view text);
    void include(const std::string& path, int line);
    void read_line(const LogicalLine& line);
    const Kind* kind_of(const Words& words, int line);
    void add_switch(const Kind& kind, const Words& words, int line);
    void connect(int id);
    [[noreturn]] void fail(int line, const std::string& message) const {
        throw FileError(files_[nested_.back()], line, message);
    }
    [[noreturn]] void fail(const Line& line, const std::string& message) const {
        throw FileError(files_[line.file], line.number, message);
    }

    bool opens_;
    std::vector<std::string> files_;
    std::vector<std::size_t> nested_{0};  ///< open files, as positions in files_
    std::size_t bytes_ = 0;
    const Kind* kind_ = nullptr;  ///< the kind of all lines so far
    HostLists lists_;
    SwitchGraph graph_;
    std::vector<Line> lines_;  // by switch id
    std::map<std::string, int> id_of_;
};

void FileParser::read(std::string_view text) {
    bytes_ += text.size();
    for (const LogicalLine& line : logical_lines(text)) {
        if (is_yaml(line.text)) {
            fail(line.number,
                 "topology.yaml is not supported: write its switches as lines "
                 "SwitchName=NAME Nodes=LIST and SwitchName=NAME Switches=LIST, its blocks as BlockName=NAME "
                 "Nodes=LIST");
        }
        if (const std::string path = included_path(line); !path.empty()) {
            include(path, line.number);
        } else {
            read_line(line);
        }
    }
}

/// As in Slurm, a relative path starts at the folder of the first file.
void FileParser::include(const std::string& path, int line) {
    if (!opens_) fail(line, "Include is supported in files only");
    if (nested_.size() >= most_nested || files_.size() >= most_files) {
        fail(line, "too many files include each other");
    }
    const std::size_t slash = files_.front().rfind('/');
    const bool is_absolute = path.starts_with('/') || slash == std::string::npos;
    const std::string whole = is_absolute ? path : files_.front().substr(0, slash + 1) + path;
    if (bytes_ >= longest_network) fail(line, "all files together are too long");
    std::string text;
    try {
        text = read_text_file(whole, longest_network - bytes_);
    } catch (const FileError& error) {
        fail(line, "Include: " + std::string(error.what()));
    }
    files_.push_back(whole);
    nested_.push_back(files_.size() - 1);
    read(text);
    nested_.pop_back();
}

void FileParser::read_line(const LogicalLine& line) {
    const Words words = split_words(line, files_[nested_.back()]);
    if (words.empty()) return;
    if (words.size() == 1 && is_keyword(words.front().first, "BlockSizes")) {
        // Groups of blocks that the scheduler fills together; SLURM_TOPOLOGY_ADDR omits them, too.
        if (words.front().second.find_first_not_of("0123456789,") != std::string::npos) {
            fail(line.number, "BlockSizes " + quoted_text(words.front().second) + " is no list of numbers");
        }
        return;
    }
    add_switch(*kind_of(words, line.number), words, line.number);
}

/// Returns the kind of a line. Throws if it has none, or another one than the lines before.
const Kind* FileParser::kind_of(const Words& words, int line) {
    const Kind* found = nullptr;
    for (const Kind& kind : kinds) {
        if (std::any_of(words.begin(), words.end(),
                        [&](const auto& word) { return is_keyword(word.first, kind.keyword); })) {
            found = &kind;
        }
    }
    if (found == nullptr) {
        for (const auto& [key, value] : words) {
            if (!is_keyword(key, "Nodes") && !is_keyword(key, "Switches") && !is_keyword(key, "LinkSpeed")) {
                fail(line, "unknown keyword " + quoted_text(key) + "; known: " + std::string(known_keywords));
            }
        }
        fail(line, "a line must name its switch: SwitchName=...");
    }
    if (kind_ != nullptr && kind_ != found) {
        fail(line, std::string(found->keyword) + " and " + std::string(kind_->keyword) +
                       " cannot be combined in one network");
    }
    return kind_ = found;
}

void FileParser::add_switch(const Kind& kind, const Words& words, int line) {
    std::string name;
    std::string speed;
    Line description{nested_.back(), line, "", ""};
    const bool is_switch = &kind == &kinds[0];
    const std::pair<std::string_view, std::string*> known[] = {{kind.keyword, &name},
                                                               {"Nodes", &description.nodes},
                                                               {"Switches", &description.switches},
                                                               {"LinkSpeed", &speed}};
    const auto end = is_switch ? std::end(known) : std::begin(known) + 2;
    for (const auto& [key, value] : words) {
        const auto found = std::find_if(std::begin(known), end, [&, &word = key](const auto& entry) {
            return is_keyword(word, entry.first);
        });
        if (found == end) {
            fail(line, "unknown keyword " + quoted_text(key) + "; known: " + std::string(known_keywords));
        }
        if (!found->second->empty()) fail(line, quoted_text(key) + " is given twice");
        *found->second = value;
    }
    const std::string noun(kind.noun);
    if (name.find_first_of("[],") != std::string::npos) {
        fail(line, std::string(kind.keyword) + " takes one name, not a list: " + quoted_text(name));
    }
    if (speed.find_first_not_of("0123456789") != std::string::npos) {
        fail(line, "LinkSpeed " + quoted_text(speed) + " is no number");
    }
    if (!description.nodes.empty() && !description.switches.empty()) {
        fail(line, noun + " " + quoted_text(name) +
                       " has both Nodes and Switches; one of them belongs on the line of another switch");
    }
    const auto [earlier, is_new] = id_of_.try_emplace(name, static_cast<int>(lines_.size()));
    if (!is_new) {
        const Line& before = lines_[static_cast<std::size_t>(earlier->second)];
        fail(line, noun + " " + quoted_text(name) + " is already defined in line " +
                       std::to_string(before.number) +
                       (before.file == description.file ? "" : " of " + files_[before.file]));
    }
    graph_.switches.push_back({name, {}});
    lines_.push_back(std::move(description));
}

/// A switch without nodes and switches is a leaf switch for future nodes.
void FileParser::connect(int id) {
    const Line& line = lines_[static_cast<std::size_t>(id)];
    if (!line.nodes.empty()) {
        for (const std::string& node : lists_.expand(line.nodes)) {
            std::vector<int>& leaves = graph_.leaves_of[lower_case(node)];
            if (leaves.empty() || leaves.back() != id) leaves.push_back(id);
        }
    }
    if (line.switches.empty()) return;
    for (const std::string& name : lists_.expand(line.switches)) {
        const auto child = id_of_.find(name);
        if (child == id_of_.end())
            throw std::invalid_argument("switch " + quoted_text(name) + " is not defined");
        graph_.switches[static_cast<std::size_t>(id)].children.push_back(child->second);
    }
}

}  // namespace

Network Network::from_text(std::string_view text, std::string_view file) {
    return FileParser(file, false).parse(text);
}

Network Network::from_file(const std::string& path) {
    return FileParser(path, true).parse(read_text_file(path, longest_network));
}

}  // namespace strata::topology
