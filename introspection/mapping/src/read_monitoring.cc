#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "line_reader.h"
#include "topology/text.h"
#include "topology/text_file.h"
#include "traffic_reading.h"

namespace strata::mapping {
namespace {

constexpr std::string_view ending = ".prof";

/// Returns the numbers N of all files START.N.prof.
std::set<int> numbers_of(const std::string& start) {
    const std::filesystem::path path(start + ".");
    const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
    const std::string name = path.filename().string();
    std::set<int> numbers;
    std::error_code error;
    for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string file = entry->path().filename().string();
        if (!file.starts_with(name) || !file.ends_with(ending) ||
            file.size() <= name.size() + ending.size()) {
            continue;
        }
        const std::string digits = file.substr(name.size(), file.size() - name.size() - ending.size());
        const auto number = topology::whole_number<int>(digits);
        if (number && *number >= 0 && std::to_string(*number) == digits) numbers.insert(*number);
    }
    return numbers;
}

/// Parses "1024 bytes" as 1024.
std::uint64_t amount(const LineReader& reader, std::string_view field, std::string_view unit) {
    if (!field.ends_with(unit))
        reader.fail("'" + std::string(field) + "' is not 'N" + std::string(unit) + "'");
    return reader.whole(field.substr(0, field.size() - unit.size()));
}

/// Returns true for lines of data that this rank fetched. The request is among S, as a message of 0
/// bytes.
bool is_fetch(std::string_view kind) { return kind == "R"; }

bool is_message(std::string_view kind) { return kind == "E" || kind == "I" || kind == "S" || is_fetch(kind); }

/// Returns true for lines that repeat the point-to-point lines, by collective operation.
bool is_collective(std::string_view kind) {
    return kind == "C" || kind == "D" || kind == "O2A" || kind == "A2O" || kind == "A2A";
}

void read_rank(const std::string& path, int rank, int ranks, std::vector<Flow>& flows) {
    LineReader reader(path);
    std::string_view line;
    while (reader.next(line)) {
        const std::vector<std::string_view> fields = topology::split(line, '\t');
        if (is_collective(fields[0])) continue;
        if (!is_message(fields[0])) {
            reader.fail("unknown kind of line '" + std::string(fields[0].substr(0, 40)) +
                        "'; known: E, I, S, R, C, D, O2A, A2O, A2A");
        }
        if (fields.size() < 5) {
            reader.fail("expected a line '" + std::string(fields[0]) + " FROM TO N bytes N msgs sent'");
        }
        const int own = reader.rank(fields[1], ranks);
        if (own != rank)
            reader.fail("is about rank " + std::to_string(own) + ", not " + std::to_string(rank));
        Flow flow{own, reader.rank(fields[2], ranks), amount(reader, fields[3], " bytes"),
                  amount(reader, fields[4], " msgs sent")};
        if (is_fetch(fields[0])) std::swap(flow.from, flow.to);
        flows.push_back(flow);
    }
}

}  // namespace

std::string profile_of(const std::string& prefix, int rank) {
    return prefix + "." + std::to_string(rank) + std::string(ending);
}

bool is_monitored_kind(std::string_view kind) { return is_message(kind) || is_collective(kind); }

int monitored_ranks(const std::string& prefix) {
    const std::set<int> numbers = numbers_of(prefix);
    if (numbers.empty()) return 0;
    const int ranks = *numbers.rbegin() + 1;
    if (static_cast<std::size_t>(ranks) != numbers.size()) {
        int missing = 0;
        while (numbers.contains(missing)) ++missing;
        throw topology::FileError(profile_of(prefix, missing), 0,
                                  "is missing although there is " + profile_of(prefix, ranks - 1) +
                                      ": one file per rank is needed");
    }
    return ranks;
}

std::string session_file(const std::string& name) {
    const std::set<int> numbers = numbers_of(name + "_sizes");
    if (numbers.size() > 1) {
        throw topology::FileError(name, 0,
                                  "there are several matrices of that name; pass one of them: " +
                                      profile_of(name + "_sizes", *numbers.begin()));
    }
    return numbers.empty() ? "" : profile_of(name + "_sizes", *numbers.begin());
}

TrafficMatrix read_profiles(const std::string& prefix, ReadProfile read) {
    const int ranks = monitored_ranks(prefix);
    if (ranks == 0) throw topology::FileError(prefix, 0, "there is no " + profile_of(prefix, 0));
    std::vector<Flow> flows;
    for (int rank = 0; rank < ranks; ++rank) read(profile_of(prefix, rank), rank, ranks, flows);
    try {
        return TrafficMatrix(ranks, std::move(flows));
    } catch (const std::overflow_error& error) {
        throw topology::FileError(prefix, 0, error.what());
    }
}

TrafficMatrix read_monitoring(const std::string& prefix) { return read_profiles(prefix, read_rank); }

}  // namespace strata::mapping
