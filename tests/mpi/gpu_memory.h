#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace strata::testing {

/// Where the buffers lie that calls get.
enum class BufferPlace { host, gpu, mixed };

/// Memory of the first GPU, by CUDA's driver, which is loaded when it is asked for: no part of the build.
class GpuMemory {
public:
    /// Why no buffers can lie there: no driver, no GPU, or an Open MPI that knows nothing of it. Empty where
    /// they can; the GPU's context is this thread's from then on.
    static std::string missing();

    /// Of a machine where nothing is missing(). Ends the program when the GPU has no memory left.
    explicit GpuMemory(std::size_t bytes);
    ~GpuMemory();
    GpuMemory(const GpuMemory&) = delete;
    GpuMemory& operator=(const GpuMemory&) = delete;

    /// For MPI; the processor cannot read or write there.
    std::uint8_t* address() const;
    /// All of it, from and to the processor's memory.
    void write(const void* from);
    void read(void* to) const;

private:
    std::uint64_t address_ = 0;
    std::size_t bytes_ = 0;
};

}  // namespace strata::testing
