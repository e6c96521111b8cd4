#include "level_gathers.h"

namespace strata::simulation {

LevelGathers::LevelGathers(MPI_Comm comm, const topology::Hierarchy& hierarchy) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    std::vector<int> group_at(static_cast<std::size_t>(hierarchy.depth()), MPI_UNDEFINED);
    int group = hierarchy.stop[static_cast<std::size_t>(rank)];
    for (bool leads = true; leads && group >= 0;) {
        const topology::Group& here = hierarchy.groups[static_cast<std::size_t>(group)];
        group_at[static_cast<std::size_t>(here.depth)] = group;
        leads = here.members.front() == rank;
        group = here.parent;
    }
    for (const int color : group_at) MPI_Comm_split(comm, color, rank, &comms_.emplace_back(MPI_COMM_NULL));
}

LevelGathers::~LevelGathers() {
    for (MPI_Comm& comm : comms_)
        if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
}

int LevelGathers::reduce(std::span<double> vector, const Combine& combine) const {
    const auto count = static_cast<int>(vector.size());
    for (auto comm = comms_.rbegin(); comm != comms_.rend(); ++comm) {
        int rank = 0, size = 1;
        if (*comm == MPI_COMM_NULL) continue;
        MPI_Comm_rank(*comm, &rank);
        MPI_Comm_size(*comm, &size);
        if (size < 2) continue;
        std::vector<double> all(rank == 0 ? vector.size() * static_cast<std::size_t>(size) : 0);
        const int code =
            MPI_Gather(vector.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, 0, *comm);
        if (code != MPI_SUCCESS) return code;
        if (rank != 0) return code;
        for (int member = 1; member < size; ++member)
            combine(all.data() + static_cast<std::size_t>(member) * vector.size(), vector.data(),
                    vector.size_bytes());
    }
    return MPI_SUCCESS;
}

}  // namespace strata::simulation
