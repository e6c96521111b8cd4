#include <algorithm>
#include <memory>
#include <vector>

#include "MPIX_Hardware.h"
#include "communicator_facts.h"
#include "level_names.h"
#include "returned.h"
#include "split.h"
#include "strata/topology/hierarchy.h"

// The C interface: contracts are in MPIX_Hardware.h. No exception leaves it.
namespace {

using namespace strata::introspection;

/// What C programs can free.
MPI_Comm* array_of(const std::vector<Step>& steps, MPI_Comm Step::*member) {
    auto made = std::make_unique<MPI_Comm[]>(steps.size());
    std::transform(steps.begin(), steps.end(), made.get(), [&](const Step& step) { return step.*member; });
    return made.release();
}

void free_all(int count, MPI_Comm** communicators) {
    if (communicators == nullptr || *communicators == nullptr) return;
    const std::unique_ptr<MPI_Comm[]> owned(*communicators);
    *communicators = nullptr;
    for (int i = count; i-- > 0;) {
        if (owned[static_cast<std::size_t>(i)] != MPI_COMM_NULL) {
            require(MPI_Comm_free(&owned[static_cast<std::size_t>(i)]));
        }
    }
}

const char* lowest_shared_type(MPI_Comm comm, const std::vector<int>& ranks) {
    int own = 0;
    int size = 0;
    require(MPI_Comm_rank(comm, &own));
    require(MPI_Comm_size(comm, &size));
    const auto records = records_of(comm);
    Records listed;
    for (const int rank : ranks) {
        if (rank < 0 || rank >= size) throw MpiError{MPI_ERR_RANK};
        listed.push_back((*records)[static_cast<std::size_t>(rank)]);
    }
    if (std::find(ranks.begin(), ranks.end(), own) == ranks.end()) return MPIX_HLEVEL_UNKNOWN;
    return type_name(strata::topology::build_hierarchy(listed).groups.front().level);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int MPIX_Comm_hsplit(MPI_Comm oldcomm, MPI_Info info, MPI_Comm* newcomm) {
    return returned(oldcomm, [&] {
        require_communicator(oldcomm);
        require_argument(newcomm);
        *newcomm = MPI_COMM_NULL;
        *newcomm = split(oldcomm, wishes_of(info, false)).child;
    });
}

int MPIX_Comm_hsplit_with_roots(MPI_Comm oldcomm, MPI_Info info, MPI_Comm* newcomm, MPI_Comm* rootscomm) {
    return returned(oldcomm, [&] {
        require_communicator(oldcomm);
        require_argument(newcomm);
        require_argument(rootscomm);
        *newcomm = *rootscomm = MPI_COMM_NULL;
        const Step step = split(oldcomm, wishes_of(info, true));
        *newcomm = step.child;
        *rootscomm = step.roots;
    });
}

int MPIX_Comm_hierarchy(MPI_Comm comm, MPI_Info info, int* nlevels, MPI_Comm** newcomms,
                        MPI_Comm** rootscomms) {
    return returned(comm, [&] {
        require_communicator(comm);
        require_argument(nlevels);
        const std::vector<Step> steps = split_all(comm, wishes_of(info, rootscomms != nullptr));
        *nlevels = static_cast<int>(steps.size());
        if (newcomms != nullptr) *newcomms = array_of(steps, &Step::child);
        if (rootscomms != nullptr) *rootscomms = array_of(steps, &Step::roots);
    });
}

int MPIX_Comm_hierarchy_free(int nlevels, MPI_Comm** newcomms, MPI_Comm** rootscomms) {
    return returned(MPI_COMM_NULL, [&] {
        free_all(nlevels, rootscomms);
        free_all(nlevels, newcomms);
    });
}

int MPIX_Comm_get_hlevel_info(MPI_Comm comm, int* num_comms, int* index, char** type) {
    return returned(comm, [&] {
        if (comm == MPI_COMM_NULL) throw MpiError{MPI_ERR_COMM};
        const LevelFacts* facts = level_of(comm);
        if (facts == nullptr) throw MpiError{MPI_ERR_COMM};
        if (num_comms != nullptr) *num_comms = facts->siblings;
        if (index != nullptr) *index = facts->index;
        if (type != nullptr) *type = const_cast<char*>(facts->type);
    });
}

int MPIX_Comm_get_min_hlevel(MPI_Comm comm, int nranks, const int ranks[], char** type) {
    return returned(comm, [&] {
        require_argument(type);
        *type = const_cast<char*>(MPIX_HLEVEL_UNKNOWN);
        if (comm == MPI_COMM_NULL) return;
        require_communicator(comm);
        if (nranks < 0 || (nranks > 0 && ranks == nullptr)) throw MpiError{MPI_ERR_ARG};
        *type = const_cast<char*>(lowest_shared_type(comm, std::vector<int>(ranks, ranks + nranks)));
    });
}

int MPIX_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm) {
    if (split_type != MPIX_COMM_TYPE_HW_UNGUIDED && split_type != MPIX_COMM_TYPE_HW_GUIDED) {
        return MPI_Comm_split_type(comm, split_type, key, info, newcomm);
    }
    return returned(comm, [&] {
        require_communicator(comm);
        require_argument(newcomm);
        *newcomm = MPI_COMM_NULL;
        *newcomm = split_type == MPIX_COMM_TYPE_HW_GUIDED
                       ? split_by_type(comm, key, info_value(info, "mpi_hw_resource_type"))
                       : split(comm, wishes_of(info, false)).child;
    });
}

}  // extern "C"
#pragma GCC visibility pop
