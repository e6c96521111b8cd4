#include <cmath>

#include "line_reader.h"
#include "topology/text.h"
#include "traffic_reading.h"

namespace strata::mapping {
namespace {

int number_of_ranks(const LineReader& reader, std::string_view text) {
    const std::uint64_t ranks = reader.whole(text, most_ranks);
    if (ranks == 0) reader.fail("a matrix has at least 1 rank");
    return static_cast<int>(ranks);
}

/// Parses a value of MatrixMarket, which may be "1.5e+06" if it is whole.
std::uint64_t value_in(const LineReader& reader, std::string_view text) {
    if (const auto whole = topology::whole_number<std::uint64_t>(text)) return *whole;
    const double value = topology::real_number(text).value_or(-1);
    constexpr double exact = 9007199254740992.0;  // above it some whole numbers are no doubles
    if (!(value >= 0 && value <= exact) || value != std::floor(value)) {
        reader.fail("'" + std::string(text.substr(0, 40)) + "' is no whole number from 0 to 2^53");
    }
    return static_cast<std::uint64_t>(value);
}

/// The first line of MatrixMarket.
struct Banner {
    bool symmetric = false;
    bool pattern = false;  ///< no values: all are 1
};

Banner banner_in(const LineReader& reader, std::string_view line) {
    std::vector<std::string_view> words;
    words_of(line, words);
    std::vector<std::string> lower;
    for (const std::string_view word : words) lower.push_back(topology::lower_case(word));
    if (lower.size() != 5 || lower[0] != "%%matrixmarket" || lower[1] != "matrix" ||
        lower[2] != "coordinate" || (lower[3] != "integer" && lower[3] != "real" && lower[3] != "pattern") ||
        (lower[4] != "general" && lower[4] != "symmetric")) {
        reader.fail(
            "expected a first line '%%MatrixMarket matrix coordinate integer|real|pattern "
            "general|symmetric'");
    }
    return {lower[4] == "symmetric", lower[3] == "pattern"};
}

}  // namespace

TrafficMatrix read_sparse(LineReader& reader) {
    std::string_view line;
    std::vector<std::string_view> words;
    if (!reader.next(line)) reader.fail_whole("there is no line 'ranks N'");
    words_of(line, words);
    if (words.size() != 2 || words[0] != "ranks") reader.fail("expected a first line 'ranks N'");
    const int ranks = number_of_ranks(reader, words[1]);
    std::vector<Flow> flows;
    std::uint64_t bytes = 0, messages = 0;
    while (reader.next(line)) {
        words_of(line, words);
        if (words.size() != 3 && words.size() != 4) reader.fail("expected a line 'FROM TO BYTES [MESSAGES]'");
        Flow flow{reader.rank(words[0], ranks), reader.rank(words[1], ranks), reader.whole(words[2]), 0};
        if (words.size() == 4) flow.messages = reader.whole(words[3]);
        bytes = reader.sum(bytes, flow.bytes);
        messages = reader.sum(messages, flow.messages);
        flows.push_back(flow);
    }
    return TrafficMatrix(ranks, std::move(flows));
}

TrafficMatrix read_matrix_market(LineReader& reader) {
    std::string_view line;
    std::vector<std::string_view> words;
    if (!reader.next(line, '\0')) reader.fail_whole("is empty");
    const Banner banner = banner_in(reader, line);
    if (!reader.next(line, '%')) reader.fail_whole("there is no line 'ROWS COLUMNS ENTRIES'");
    words_of(line, words);
    if (words.size() != 3) reader.fail("expected a line 'ROWS COLUMNS ENTRIES'");
    const int ranks = number_of_ranks(reader, words[0]);
    if (number_of_ranks(reader, words[1]) != ranks) reader.fail("a matrix has as many rows as columns");
    const std::uint64_t entries = reader.whole(words[2]);
    std::vector<Flow> flows;
    std::uint64_t bytes = 0, found = 0;
    for (; reader.next(line, '%'); ++found) {
        words_of(line, words);
        if (words.size() != (banner.pattern ? 2U : 3U)) {
            reader.fail(std::string("expected a line 'ROW COLUMN") + (banner.pattern ? "'" : " VALUE'"));
        }
        if (found == entries) reader.fail("more than the " + std::to_string(entries) + " entries announced");
        const auto index = [&](std::string_view text) {
            const std::uint64_t from_one = reader.whole(text, static_cast<std::uint64_t>(ranks));
            if (from_one == 0) reader.fail("rows and columns are counted from 1");
            return static_cast<int>(from_one - 1);
        };
        const Flow flow{index(words[0]), index(words[1]), banner.pattern ? 1 : value_in(reader, words[2]), 0};
        bytes = reader.sum(bytes, flow.bytes);
        flows.push_back(flow);
        if (banner.symmetric && flow.from != flow.to) {
            bytes = reader.sum(bytes, flow.bytes);
            flows.push_back({flow.to, flow.from, flow.bytes, 0});
        }
    }
    if (found != entries) {
        reader.fail_whole(std::to_string(entries) + " entries announced, but there are " +
                          std::to_string(found));
    }
    return TrafficMatrix(ranks, std::move(flows));
}

}  // namespace strata::mapping
