#include "report.h"

#include <algorithm>

namespace strata::tool {
namespace {

std::string counted(std::size_t count, const std::string& noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

/// Splits "n07" into "n", "07".
std::pair<std::string, std::string> split_number(const std::string& name) {
    const std::size_t last = name.find_last_not_of("0123456789");
    const std::size_t begin = last == std::string::npos ? 0 : last + 1;
    return {name.substr(0, begin), name.substr(begin)};
}

bool follows(const std::string& before, const std::string& after) {
    const auto [prefix, number] = split_number(before);
    const auto [next_prefix, next_number] = split_number(after);
    if (prefix != next_prefix || number.empty() || next_number.empty() || number.size() > 9) return false;
    const std::string expected = std::to_string(std::stoul(number) + 1);
    const std::size_t width = number.size();
    return next_number ==
           (expected.size() < width ? std::string(width - expected.size(), '0') + expected : expected);
}

/// n0 n1 n2 gpu5 -> "n[0-2],gpu5".
std::string host_list(const std::vector<std::string>& names) {
    std::string list;
    for (std::size_t i = 0; i < names.size();) {
        std::size_t end = i + 1;
        while (end < names.size() && follows(names[end - 1], names[end])) ++end;
        const auto [prefix, number] = split_number(names[i]);
        if (!list.empty()) list += ",";
        list +=
            end - i == 1 ? names[i] : prefix + "[" + number + "-" + split_number(names[end - 1]).second + "]";
        i = end;
    }
    return list;
}

}  // namespace

std::string report(const Job& job, const topology::Hierarchy& hierarchy) {
    struct Alike {
        std::vector<std::string> names;
        const std::vector<std::string>* lines;
    };
    std::vector<Alike> kinds;
    for (const NodeFacts& node : job.nodes) {
        auto known = std::find_if(kinds.begin(), kinds.end(),
                                  [&](const Alike& kind) { return *kind.lines == node.lines; });
        if (known == kinds.end()) known = kinds.insert(kinds.end(), {{}, &node.lines});
        known->names.push_back(node.name);
    }
    std::string text = counted(job.records.size(), "rank") + " on " + counted(job.nodes.size(), "node") +
                       ", " + topology::level_summary(hierarchy) + "\n";
    for (const Alike& kind : kinds) {
        text += "\n" + host_list(kind.names) + "\n";
        for (const std::string& line : *kind.lines) text += "  " + line + "\n";
    }
    return text;
}

}  // namespace strata::tool
