#pragma once
#include "component/openmpi/set_up.h"

namespace strata::component {

/// `co_await Creation(...)`: gives a bare communicator its number and its collectives. Returns Open MPI's
/// error code. After an error Open MPI may have released `comm`, and then has overwritten it.
class Creation : public algorithms::Awaitable<Creation> {
public:
    Creation(SetUp& set_up, ompi_communicator_t*& comm, ompi_communicator_t* parent)
        : set_up_(set_up), comm_(comm), parent_(parent), tag_(compat::creation_tag(parent)) {}

    int poll() {
        int rc = OMPI_SUCCESS;
        if (request_ == nullptr) {
            rc = ompi_comm_nextcid_nb(comm_, parent_, nullptr, &tag_, nullptr, false, OMPI_COMM_CID_GROUP,
                                      &request_);
        }
        if (rc == OMPI_SUCCESS) rc = set_up_.test(request_);
        if (rc != OMPI_SUCCESS || activates_) return rc;
        activates_ = true;
        rc = ompi_comm_activate_nb(&comm_, parent_, nullptr, &tag_, nullptr, false, OMPI_COMM_CID_GROUP,
                                   &request_);
        return rc == OMPI_SUCCESS ? set_up_.test(request_) : rc;
    }

private:
    SetUp& set_up_;
    ompi_communicator_t*& comm_;
    ompi_communicator_t* parent_;
    int tag_;
    ompi_request_t* request_ = nullptr;
    bool activates_ = false;
};

}  // namespace strata::component
