#include "private_copy.h"

#include <cstdio>

#include "module.h"

namespace strata::component {
namespace {

/// Of a collective, so that no receive of the program's takes its messages, from any source or with any tag.
constexpr int tag = MCA_COLL_BASE_TAG_ALLREDUCE;

}  // namespace

PrivateCopy::PrivateCopy(ompi_communicator_t* original) noexcept {
    ompi_communicator_t* made = nullptr;
    if (compat::bare_communicator(original, &made) != OMPI_SUCCESS) {
        return;
    }
    std::snprintf(made->c_name, sizeof made->c_name, "coll/strata's copy of %.32s", original->c_name);
    // As MPI_Comm_create_group does, but for attributes.
    if (ompi_comm_nextcid(made, original, nullptr, &tag, nullptr, false, OMPI_COMM_CID_GROUP) != OMPI_SUCCESS ||
        ompi_comm_activate(&made, original, nullptr, &tag, nullptr, false, OMPI_COMM_CID_GROUP) != OMPI_SUCCESS) {
        if (made != nullptr) {  // else it is released already
            OBJ_RELEASE(made);
        }
        return;
    }
    copy_ = made;
    if (Module* const module = module_of(copy_); module != nullptr) {
        without_plugin_.emplace(*copy_->c_coll, module->saved);
    }
}

PrivateCopy::~PrivateCopy() {
    without_plugin_.reset();
    if (copy_ != nullptr) {
        ompi_comm_free(&copy_);
    }
}

}  // namespace strata::component
