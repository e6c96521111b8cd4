#include "private_copy.h"

#include "module.h"

namespace strata::component {
namespace {

/// Of a collective, so that no receive of the program's takes its messages, from any source or with any tag.
constexpr int tag = MCA_COLL_BASE_TAG_ALLREDUCE;

}  // namespace

PrivateCopy::PrivateCopy(ompi_communicator_t* original) noexcept {
    if (ompi_comm_create_group(original, original->c_local_group, tag, &copy_) != OMPI_SUCCESS) {
        copy_ = nullptr;
        return;
    }
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
