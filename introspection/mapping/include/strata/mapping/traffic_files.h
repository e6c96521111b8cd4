#pragma once
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "strata/mapping/traffic_matrix.h"

namespace strata::mapping {

/// File formats of a matrix. Except in MatrixMarket, blank lines and lines that begin with '#' are
/// comments.
enum class TrafficFormat {
    dense,          ///< N lines of N numbers, bytes by receiver; blanks, tabs or commas between them
    sparse,         ///< "ranks N", then "FROM TO BYTES [MESSAGES]" per line; pairs may repeat and are added
    matrix_market,  ///< %%MatrixMarket matrix coordinate, general or symmetric; counts ranks from 1
    monitoring,     ///< PREFIX.RANK.prof per rank, as Open MPI's pml_monitoring_filename writes them
    rows,           ///< PREFIX.RANK.prof per rank, as MPI_M_flush() writes them
};

/// Parses "dense", "sparse", "matrix-market", "monitoring", "rows"; empty for anything else.
std::optional<TrafficFormat> parse_traffic_format(std::string_view name);
/// Returns "dense, sparse, ..." for messages.
std::string known_traffic_formats();

/// Reads a matrix, line by line. `path` is a file; or NAME of NAME_sizes.RANK.prof and
/// NAME_counts.RANK.prof (bytes and messages of a monitoring session); or PREFIX of one file per rank.
/// Without `format` the first line determines it; a pipe is allowed, too. In Open MPI's files the lines
/// of messages (E, I) and of one-sided traffic count (S; R in the opposite direction: a Get is a request
/// of 0 bytes and the target's data, as in monitoring sessions); those of collectives are ignored,
/// because they repeat E and I. Throws topology::FileError for anything else.
TrafficMatrix read_traffic(const std::string& path, std::optional<TrafficFormat> format = {});

/// Reads one number per line, as strata-reorder writes them. Throws topology::FileError.
std::vector<int> read_permutation(const std::string& path);

/// Limit on dense output: a larger matrix takes gigabytes.
inline constexpr int most_dense_ranks = 16384;

/// Write what read_traffic() reads. write_dense() omits the messages, and throws std::invalid_argument
/// above most_dense_ranks.
void write_sparse(std::ostream& out, const TrafficMatrix& traffic);
void write_dense(std::ostream& out, const TrafficMatrix& traffic);

}  // namespace strata::mapping
