#pragma once
// The steps of a process that is out of memory.
#include <cstddef>
#include <memory>
#include <mutex>

#include "component/openmpi/ompi_compat.h"

namespace strata::component {

/// Memory that is allocated when the component opens, for steps that a process must not skip.
class Reserve {
public:
    static constexpr std::size_t bytes = std::size_t{256} << 10;

    void set_aside();
    /// Frees the memory for the next allocation.
    void give_back() noexcept;

private:
    std::mutex mutex_;
    std::unique_ptr<std::byte[]> memory_;
};
Reserve& reserve();

/// Ends the job by MPI_Abort and logs `why` this process of `comm` cannot go on. Only where other ranks would
/// wait for it forever and it cannot notify them.
[[noreturn]] void end_job(ompi_communicator_t* comm, const char* why) noexcept;

}  // namespace strata::component
