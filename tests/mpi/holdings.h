#pragma once
#include <array>
#include <cstdint>

// Resources that this process holds now; a leak would make them grow.
namespace strata::testing {

enum class Holding : int {
    memory,         ///< resident, bytes that no file has
    allocated,      ///< allocated bytes not yet freed; 0 if the C library does not report them
    communicators,  ///< communicators in Open MPI's table
    context,        ///< the highest context id in use
    requests,       ///< point-to-point requests outside Open MPI's free lists
    files,          ///< open file descriptors
    segments,       ///< shared-memory segments: mapped here, and the job's in /dev/shm
    count
};
inline constexpr int holding_count = static_cast<int>(Holding::count);

using Holdings = std::array<std::int64_t, holding_count>;

const char* name_of(Holding what);

/// No thread may be in an MPI call meanwhile.
Holdings held_now();

/// Maps a small segment that is never unmapped. It has no name any more.
void lose_segment(int number);

/// Reads Open MPI's tables: see open_mpi_tables.cc. All are 0 without its internal headers.
struct OpenMpiTables {
    std::int64_t communicators = 0;
    std::int64_t highest_context = 0;
    std::int64_t requests = 0;
};
OpenMpiTables open_mpi_tables();

}  // namespace strata::testing
