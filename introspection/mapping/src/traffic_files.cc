#include "strata/mapping/traffic_files.h"

#include <filesystem>
#include <stdexcept>

#include "line_reader.h"
#include "topology/text.h"
#include "topology/text_file.h"
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
                          {"monitoring", TrafficFormat::monitoring},
                          {"rows", TrafficFormat::rows}};

bool is_there(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::exists(path, ignored) && !std::filesystem::is_directory(path, ignored);
}

/// Returns "DIR/x" for "DIR/x.3.prof" with any number; empty for other names.
std::string prefix_of(const std::string& path) {
    if (!path.ends_with(".prof")) return {};
    const std::string numbered = path.substr(0, path.size() - 5);
    const std::size_t dot = numbered.rfind('.');
    if (dot == std::string::npos || !topology::whole_number<unsigned>(numbered.substr(dot + 1))) return {};
    return numbered.substr(0, dot);
}

/// Returns NAME_counts.R.prof for NAME_sizes.R.prof, if that file exists.
std::string counts_beside(const std::string& path) {
    const std::string prefix = prefix_of(path);
    constexpr std::string_view sizes = "_sizes";
    if (!prefix.ends_with(sizes)) return {};
    const std::string counts =
        prefix.substr(0, prefix.size() - sizes.size()) + "_counts" + path.substr(prefix.size());
    return is_there(counts) ? counts : std::string();
}

/// Determines the format from the first line that is no comment and the comments above it; puts that
/// line back.
TrafficFormat format_of(LineReader& reader) {
    std::string_view line;
    bool more = reader.next(line, '\0');
    if (!more) reader.fail_whole("is empty");
    const bool market = topology::lower_case(line.substr(0, 14)) == "%%matrixmarket";
    const bool monitored = line == "# POINT TO POINT";
    for (; more && line.front() == '#'; more = reader.next(line, '\0')) {
        if (line == rows_comment) return TrafficFormat::rows;
    }
    if (!more) {
        if (monitored) return TrafficFormat::monitoring;  // this rank sent nothing
        reader.fail_whole("contains only comments");
    }
    reader.put_back();
    if (market) return TrafficFormat::matrix_market;
    std::vector<std::string_view> words;
    words_of(line, words);
    if (words[0] == "ranks") return TrafficFormat::sparse;
    return is_monitored_kind(words[0]) ? TrafficFormat::monitoring : TrafficFormat::dense;
}

/// Returns true if MPI_M_flush() wrote the file; a file of Open MPI may be empty.
bool is_row(const std::string& path) {
    LineReader reader(path);
    std::string_view line;
    while (reader.next(line, '\0') && line.front() == '#') {
        if (line == rows_comment) return true;
    }
    return false;
}

/// Reads all files PREFIX.RANK.prof.
TrafficMatrix read_one_per_rank(const std::string& prefix, std::optional<TrafficFormat> format) {
    const bool rows = format ? *format == TrafficFormat::rows : is_row(profile_of(prefix, 0));
    return rows ? read_rows(prefix) : read_monitoring(prefix);
}

/// Rejects a single file of many.
[[noreturn]] void ask_for_prefix(const LineReader& reader, const std::string& whose) {
    const std::string prefix = prefix_of(reader.path());
    reader.fail_whole(whose + " files PREFIX.RANK.prof; pass " + (prefix.empty() ? "PREFIX" : prefix));
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
    const auto may_be = [&](TrafficFormat one) { return format.value_or(one) == one; };
    std::string file = path;
    if (!is_there(path)) {
        if ((may_be(TrafficFormat::monitoring) || may_be(TrafficFormat::rows)) && monitored_ranks(path) > 0) {
            return read_one_per_rank(path, format);
        }
        if (may_be(TrafficFormat::dense)) file = session_file(path);
        if (file.empty()) {
            throw topology::FileError(
                path, 0,
                "there is neither this file nor " + path + ".0.prof nor " + path + "_sizes.RANK.prof");
        }
    }
    LineReader reader(file);
    switch (format ? *format : format_of(reader)) {
        case TrafficFormat::sparse: return read_sparse(reader);
        case TrafficFormat::matrix_market: return read_matrix_market(reader);
        case TrafficFormat::rows:
            ask_for_prefix(reader, "contains the traffic of one rank: MPI_M_flush writes");
        case TrafficFormat::monitoring:
            if (prefix_of(file).empty()) ask_for_prefix(reader, "Open MPI's monitoring writes");
            return read_monitoring(prefix_of(file));
        case TrafficFormat::dense: break;
    }
    return read_dense(reader, counts_beside(file));
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
    if (numbers.empty()) reader.fail_whole("contains no numbers");
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
    if (traffic.ranks() > most_dense_ranks) {
        throw std::invalid_argument("a dense matrix has at most " + std::to_string(most_dense_ranks) +
                                    " ranks, this one " + std::to_string(traffic.ranks()) + "; use sparse");
    }
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
