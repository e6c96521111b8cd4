#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "line_reader.h"
#include "strata/mapping/traffic_matrix.h"

/// One reader per format; each throws topology::FileError.
namespace strata::mapping {

inline constexpr int most_ranks = 4000000;
/// Of a dense matrix, which is 8 GB of text then, if it is all zeros.
inline constexpr int most_dense_ranks_read = 65536;

/// `counts`: a dense matrix of the messages; empty: not known.
TrafficMatrix read_dense(LineReader& sizes, const std::string& counts);
TrafficMatrix read_sparse(LineReader& reader);
TrafficMatrix read_matrix_market(LineReader& reader);
/// PREFIX.0.prof, PREFIX.1.prof, ... of Open MPI.
TrafficMatrix read_monitoring(const std::string& prefix);
/// PREFIX.0.prof, PREFIX.1.prof, ... of MPI_M_flush().
TrafficMatrix read_rows(const std::string& prefix);

/// Whether Open MPI's files have lines that begin so.
bool is_monitored_kind(std::string_view kind);
/// The comment that stands above the numbers of MPI_M_flush().
inline constexpr std::string_view rows_comment = "# peer messages bytes";

/// Appends what the file of one rank says, of so many.
using ReadProfile = void (*)(const std::string& path, int rank, int ranks, std::vector<Flow>& flows);
/// All files PREFIX.RANK.prof.
TrafficMatrix read_profiles(const std::string& prefix, ReadProfile read);
/// PREFIX.RANK.prof.
std::string profile_of(const std::string& prefix, int rank);
/// How many files PREFIX.RANK.prof there are, counted from 0; 0 where there is none. Throws where one below
/// the highest is missing.
int monitored_ranks(const std::string& prefix);
/// NAME_sizes.RANK.prof; empty where there is none. Throws where there are several.
std::string session_file(const std::string& name);

}  // namespace strata::mapping
