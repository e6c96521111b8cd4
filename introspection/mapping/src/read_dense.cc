#include "line_reader.h"
#include "traffic_reading.h"

namespace strata::mapping {
namespace {

/// Calls cell(row, column, value) for every number but 0; returns the number of rows.
template <class Cell>
int read_square(LineReader& reader, Cell cell) {
    std::string_view line;
    std::vector<std::string_view> words;
    std::size_t columns = 0;
    std::uint64_t total = 0;
    int row = 0;
    while (reader.next(line)) {
        words_of(line, words, ',');
        if (row == 0) columns = words.size();
        if (columns > static_cast<std::size_t>(most_dense_ranks_read)) {
            reader.fail("a dense matrix has at most " + std::to_string(most_dense_ranks_read) +
                        " ranks; use the sparse format");
        }
        if (words.size() != columns) {
            reader.fail(std::to_string(words.size()) + " numbers, but the first row has " +
                        std::to_string(columns));
        }
        if (static_cast<std::size_t>(row) == columns) {
            reader.fail("more rows than the " + std::to_string(columns) + " numbers of a row");
        }
        for (std::size_t column = 0; column < columns; ++column) {
            const std::uint64_t value = reader.whole(words[column]);
            total = reader.sum(total, value);
            if (value != 0) cell(row, static_cast<int>(column), value);
        }
        ++row;
    }
    if (row == 0) reader.fail_whole("contains no numbers");
    if (static_cast<std::size_t>(row) != columns) {
        reader.fail_whole(std::to_string(row) + " rows of " + std::to_string(columns) +
                          " numbers: a matrix has as many rows as columns");
    }
    return row;
}

}  // namespace

TrafficMatrix read_dense(LineReader& sizes, const std::string& counts) {
    std::vector<Flow> flows;
    const int ranks = read_square(sizes, [&](int row, int column, std::uint64_t bytes) {
        flows.push_back({row, column, bytes, 0});
    });
    if (counts.empty()) return TrafficMatrix(ranks, std::move(flows));
    LineReader messages_of(counts);
    const int same = read_square(messages_of, [&](int row, int column, std::uint64_t messages) {
        if (row < ranks && column < ranks) flows.push_back({row, column, 0, messages});
    });
    if (same != ranks) {
        messages_of.fail_whole(std::to_string(same) + " rows, but " + sizes.path() + " has " +
                               std::to_string(ranks));
    }
    return TrafficMatrix(ranks, std::move(flows));
}

}  // namespace strata::mapping
