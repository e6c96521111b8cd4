#pragma once
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "strata/mapping/traffic_matrix.h"

namespace strata::mapping {

/// How a matrix stands in a file. In all but MatrixMarket, blank lines and lines that begin with '#' are
/// comments.
enum class TrafficFormat {
    dense,          ///< N lines of N numbers, bytes by receiver; blanks, tabs or commas between them
    sparse,         ///< "ranks N", then "FROM TO BYTES [MESSAGES]" per line; pairs may repeat and are added
    matrix_market,  ///< %%MatrixMarket matrix coordinate, general or symmetric; ranks are counted from 1
                    ///< there
    monitoring,     ///< PREFIX.RANK.prof per rank, as Open MPI's pml_monitoring_filename writes them
    rows,           ///< PREFIX.RANK.prof per rank, as MPI_M_flush() writes them
};

/// "dense", "sparse", "matrix-market", "monitoring", "rows"; empty for anything else.
std::optional<TrafficFormat> parse_traffic_format(std::string_view name);
/// "dense, sparse, ..." for messages.
std::string known_traffic_formats();

/// Reads a matrix, line by line. `path` is a file, or what the names of several begin with: NAME for
/// NAME_sizes.RANK.prof and, beside it, NAME_counts.RANK.prof (bytes and messages of a monitoring session),
/// or PREFIX of one file per rank. Without `format` the first line tells it; a pipe will do, too. Of Open
/// MPI's files the lines of messages (E, I) and of one-sided traffic (S, and R the other way round: a Get is a
/// request of 0 bytes and what its target sends, as in monitoring sessions) count; those of collectives repeat
/// what E and I hold, and do not. Throws topology::FileError for what is no such matrix.
TrafficMatrix read_traffic(const std::string& path, std::optional<TrafficFormat> format = {});

/// One number per line: what strata-reorder writes. Throws topology::FileError.
std::vector<int> read_permutation(const std::string& path);

/// A dense matrix of more takes gigabytes.
inline constexpr int most_dense_ranks = 16384;

/// As read_traffic() takes them, number by number. Dense loses the messages; throws std::invalid_argument
/// above most_dense_ranks.
void write_sparse(std::ostream& out, const TrafficMatrix& traffic);
void write_dense(std::ostream& out, const TrafficMatrix& traffic);

}  // namespace strata::mapping
