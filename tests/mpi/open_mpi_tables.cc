// Reads Open MPI's internal tables, if its internal headers are available.
#include "holdings.h"

#ifndef STRATA_OPEN_MPI_INTERNALS

strata::testing::OpenMpiTables strata::testing::open_mpi_tables() { return {}; }

#else

#include "component/openmpi/ompi_compat.h"

#include "ompi/mca/pml/base/pml_base_request.h"

namespace strata::testing {
namespace {

/// Counts items taken from a free list and not returned. No thread may take items meanwhile.
std::int64_t taken(const opal_free_list_t& list) {
    std::int64_t free = 0;
    const volatile opal_list_item_t* const end = &list.super.opal_lifo_ghost;
    // Open MPI 5.0 stores it as a number.
    auto* item = reinterpret_cast<const volatile opal_list_item_t*>(list.super.opal_lifo_head.data.item);
    for (; item != nullptr && item != end; ++free) item = item->opal_list_next;
    return static_cast<std::int64_t>(list.fl_num_allocated) - free;
}

}  // namespace

OpenMpiTables open_mpi_tables() {
    OpenMpiTables found;
    for (int i = 0; i < ompi_mpi_communicators.size; ++i) {
        if (ompi_mpi_communicators.addr[i] != nullptr) {
            ++found.communicators;
            found.highest_context = i;
        }
    }
    found.requests = taken(mca_pml_base_send_requests) + taken(mca_pml_base_recv_requests);
    return found;
}

}  // namespace strata::testing

#endif
