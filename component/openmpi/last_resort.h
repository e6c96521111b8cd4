#pragma once
// What is done where a process has no memory left.
#include <cstddef>
#include <memory>
#include <mutex>

#include "component/openmpi/ompi_compat.h"

namespace strata::component {

/// Memory that is set aside when the component opens, for steps that a process must not miss.
class Reserve {
public:
    static constexpr std::size_t bytes = std::size_t{256} << 10;

    void set_aside();
    /// Leaves it to whoever asks for memory next.
    void give_back() noexcept;

private:
    std::mutex mutex_;
    std::unique_ptr<std::byte[]> memory_;
};
Reserve& reserve();

/// Ends the job by MPI_Abort, saying that this process of `comm` cannot go on because of `why`: where others
/// would wait for it forever, and it cannot let them know.
[[noreturn]] void end_job(ompi_communicator_t* comm, const char* why) noexcept;

}  // namespace strata::component
