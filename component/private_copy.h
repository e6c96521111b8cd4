#pragma once
#include <optional>

#include "ompi_compat.h"
#include "slot.h"

namespace strata::component {

/// A copy of a communicator that the program knows nothing of, from which communicators may be made within a call.
/// Not from the program's: it may have begun to make others of that (MPI_Comm_idup), and Open MPI (4.1.4, 5.0.7)
/// comes to no end where the steps of two that are made of the same communicator are taken in another order on
/// every rank. The copy itself is made by messages of its own, as MPI_Comm_create_group makes one; unlike what that
/// makes in Open MPI it has no attributes, so that no function of the program's is called to copy or to delete them.
class PrivateCopy {
public:
    /// Collective over `original`.
    explicit PrivateCopy(ompi_communicator_t* original) noexcept;
    PrivateCopy(const PrivateCopy&) = delete;
    PrivateCopy& operator=(const PrivateCopy&) = delete;
    ~PrivateCopy();

    /// Null where Open MPI could not make it. Its collectives are those of the previous components.
    ompi_communicator_t* get() const { return copy_; }

private:
    ompi_communicator_t* copy_ = nullptr;
    std::optional<AllSlotsGuard> without_plugin_;
};

}  // namespace strata::component
