#pragma once
#include <string>

#include "strata/mapping/traffic_matrix.h"

/// One reader per format; each throws topology::FileError.
namespace strata::mapping {

inline constexpr int most_ranks = 4000000;

/// `counts`: a dense matrix of the messages; empty: not known.
TrafficMatrix read_dense(const std::string& sizes, const std::string& counts);
TrafficMatrix read_sparse(const std::string& path);
TrafficMatrix read_matrix_market(const std::string& path);
/// PREFIX.0.prof, PREFIX.1.prof, ...
TrafficMatrix read_monitoring(const std::string& prefix);

/// How many files PREFIX.RANK.prof there are, counted from 0; 0 where there is none. Throws where one below
/// the highest is missing.
int monitored_ranks(const std::string& prefix);
/// NAME_sizes.RANK.prof; empty where there is none. Throws where there are several.
std::string session_file(const std::string& name);

}  // namespace strata::mapping
