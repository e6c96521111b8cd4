#include "strata/mapping/traffic_files.h"

#include <filesystem>

#include "line_reader.h"
#include "strata/topology/text.h"
#include "strata/topology/text_file.h"
#include "traffic_reading.h"

namespace strata::mapping {
namespace {

struct Name {
    std::string_view name;
    TrafficFormat format;
};
constexpr Name names[] = {{"dense", TrafficFormat::dense},
                          {"sparse", TrafficFormat::sparse},
                          {"matrix-market", TrafficFormat::matrix_market},
                          {"monitoring", TrafficFormat::monitoring}};

bool is_there(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::exists(path, ignored) && !std::filesystem::is_directory(path, ignored);
}

/// "DIR/x.3.prof" -> "DIR/x", for any number; empty for other names.
std::string prefix_of(const std::string& path) {
    if (!path.ends_with(".prof")) return {};
    const std::string numbered = path.substr(0, path.size() - 5);
    const std::size_t dot = numbered.rfind('.');
    if (dot == std::string::npos || !topology::whole_number<unsigned>(numbered.substr(dot + 1))) return {};
    return numbered.substr(0, dot);
}

/// NAME_sizes.R.prof -> NAME_counts.R.prof, if that is there.
std::string counts_beside(const std::string& path) {
    const std::string prefix = prefix_of(path);
    constexpr std::string_view sizes = "_sizes";
    if (!prefix.ends_with(sizes)) return {};
    const std::string counts =
        prefix.substr(0, prefix.size() - sizes.size()) + "_counts" + path.substr(prefix.size());
    return is_there(counts) ? counts : std::string();
}

TrafficFormat format_of(const std::string& path) {
    LineReader reader(path);
    std::string_view line;
    if (!reader.next(line, '\0')) reader.fail_whole("is empty");
    if (topology::lower_case(line.substr(0, 14)) == "%%matrixmarket") return TrafficFormat::matrix_market;
    if (line.front() == '#' && !reader.next(line)) reader.fail_whole("there is nothing but comments in it");
    std::vector<std::string_view> words;
    words_of(line, words);
    if (words[0] == "ranks") return TrafficFormat::sparse;
    if (words[0] == "E" || words[0] == "I" || words[0] == "S" || words[0] == "D") {
        return TrafficFormat::monitoring;
    }
    return TrafficFormat::dense;
}

}  // namespace

std::optional<TrafficFormat> parse_traffic_format(std::string_view name) {
    for (const Name& known : names) {
        if (name == known.name) return known.format;
    }
    return std::nullopt;
}

std::string known_traffic_formats() {
    std::string text;
    for (const Name& known : names) text += (text.empty() ? "" : ", ") + std::string(known.name);
    return text;
}

TrafficMatrix read_traffic(const std::string& path, std::optional<TrafficFormat> format) {
    std::string file = path;
    if (!is_there(path)) {
        if (format.value_or(TrafficFormat::monitoring) == TrafficFormat::monitoring &&
            monitored_ranks(path) > 0) {
            return read_monitoring(path);
        }
        if (format.value_or(TrafficFormat::dense) == TrafficFormat::dense) file = session_file(path);
        if (file.empty()) {
            throw topology::FileError(
                path, 0,
                "there is neither this file nor " + path + ".0.prof nor " + path + "_sizes.RANK.prof");
        }
    }
    switch (format ? *format : format_of(file)) {
        case TrafficFormat::sparse: return read_sparse(file);
        case TrafficFormat::matrix_market: return read_matrix_market(file);
        case TrafficFormat::monitoring: {
            const std::string prefix = prefix_of(file);
            if (prefix.empty()) {
                throw topology::FileError(path, 0,
                                          "Open MPI's monitoring writes files PREFIX.RANK.prof; give PREFIX");
            }
            return read_monitoring(prefix);
        }
        case TrafficFormat::dense: break;
    }
    return read_dense(file, counts_beside(file));
}

std::vector<int> read_permutation(const std::string& path) {
    LineReader reader(path);
    std::string_view line;
    std::vector<int> numbers;
    while (reader.next(line)) {
        if (numbers.size() == static_cast<std::size_t>(most_ranks)) {
            reader.fail("at most " + std::to_string(most_ranks) + " ranks can be read");
        }
        numbers.push_back(static_cast<int>(reader.whole(line, most_ranks - 1)));
    }
    if (numbers.empty()) reader.fail_whole("there is no number in it");
    return numbers;
}

void write_sparse(std::ostream& out, const TrafficMatrix& traffic) {
    out << "ranks " << traffic.ranks() << "\n";
    for (const Flow& flow : traffic.flows()) {
        out << flow.from << ' ' << flow.to << ' ' << flow.bytes;
        if (flow.messages > 0) out << ' ' << flow.messages;
        out << '\n';
    }
}

void write_dense(std::ostream& out, const TrafficMatrix& traffic) {
    for (int from = 0; from < traffic.ranks(); ++from) {
        int column = 0;
        const auto zeros = [&](int until) {
            for (; column < until; ++column) out << (column > 0 ? " 0" : "0");
        };
        for (const Flow& flow : traffic.row(from)) {
            zeros(flow.to);
            out << (column > 0 ? " " : "") << flow.bytes;
            ++column;
        }
        zeros(traffic.ranks());
        out << '\n';
    }
}

}  // namespace strata::mapping
