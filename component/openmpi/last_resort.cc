#include "component/openmpi/last_resort.h"

#include <cstdlib>
#include <cstring>

#include "component/base/process_wide.h"

namespace strata::component {

void Reserve::set_aside() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (memory_ == nullptr) {
        memory_.reset(new std::byte[bytes]);
        std::memset(memory_.get(), 1, bytes);  // touch the pages: the kernel then backs them
    }
}

void Reserve::give_back() noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    memory_.reset();
}

Reserve& reserve() {
    static ProcessWide<Reserve> all;
    return all.get();
}

void end_job(ompi_communicator_t* comm, const char* why) noexcept {
    opal_output(0, "coll:strata: process %u on node %s cannot go on with communicator %s: %s",
                static_cast<unsigned>(ompi_process_info.my_name.vpid), ompi_process_info.nodename,
                compat::name_of(comm), why);
    ompi_mpi_abort(comm, OMPI_ERR_OUT_OF_RESOURCE);
    std::abort();
}

}  // namespace strata::component
