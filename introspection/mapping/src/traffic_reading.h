#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "line_reader.h"
#include "strata/mapping/traffic_matrix.h"

/// One reader per format; each throws topology::FileError.
namespace strata::mapping {

inline constexpr int most_ranks = 4000000;
/// Limit on a dense matrix: 8 GB of text if all entries are zero.
inline constexpr int most_dense_ranks_read = 65536;

/// `counts`: a dense matrix of the messages; empty: unknown.
TrafficMatrix read_dense(LineReader& sizes, const std::string& counts);
TrafficMatrix read_sparse(LineReader& reader);
TrafficMatrix read_matrix_market(LineReader& reader);
/// Reads PREFIX.0.prof, PREFIX.1.prof, ... of Open MPI.
TrafficMatrix read_monitoring(const std::string& prefix);
/// Reads PREFIX.0.prof, PREFIX.1.prof, ... of MPI_M_flush().
TrafficMatrix read_rows(const std::string& prefix);

/// Returns true if lines of Open MPI's files may begin with `kind`.
bool is_monitored_kind(std::string_view kind);
/// The comment above the numbers of MPI_M_flush().
inline constexpr std::string_view rows_comment = "# peer messages bytes";

/// Appends the flows in the file of one rank of `ranks`.
using ReadProfile = void (*)(const std::string& path, int rank, int ranks, std::vector<Flow>& flows);
/// Reads all files PREFIX.RANK.prof.
TrafficMatrix read_profiles(const std::string& prefix, ReadProfile read);
/// Returns PREFIX.RANK.prof.
std::string profile_of(const std::string& prefix, int rank);
/// Returns the number of files PREFIX.RANK.prof, counted from 0. Throws if one below the highest is
/// missing.
int monitored_ranks(const std::string& prefix);
/// Returns NAME_sizes.RANK.prof; empty without one. Throws if there are several.
std::string session_file(const std::string& name);

}  // namespace strata::mapping
