#pragma once
#include <array>
#include <cstdint>

// What this process holds at the moment, and would hold more and more of if something were never given back.
namespace strata::testing {

enum class Holding : int {
    memory,         ///< resident, bytes that no file has
    allocated,      ///< bytes that were allocated and not freed; 0 where the C library does not tell
    communicators,  ///< in Open MPI's table
    context,        ///< the highest context id in use
    requests,       ///< of point-to-point messages that are not back in Open MPI's free lists
    files,          ///< open descriptors
    segments,       ///< of shared memory: mapped here, and the job's in /dev/shm
    count
};
inline constexpr int holding_count = static_cast<int>(Holding::count);

using Holdings = std::array<std::int64_t, holding_count>;

const char* name_of(Holding what);

/// Nobody may be in a call of MPI meanwhile.
Holdings held_now();

/// Maps a small one that nobody will unmap. It has no name any more.
void lose_segment(int number);

/// Of Open MPI's tables: see open_mpi_tables.cc. Without its internal headers all are 0.
struct OpenMpiTables {
    std::int64_t communicators = 0;
    std::int64_t highest_context = 0;
    std::int64_t requests = 0;
};
OpenMpiTables open_mpi_tables();

}  // namespace strata::testing
