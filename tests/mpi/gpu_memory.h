#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace strata::testing {

/// Where the buffers of calls are.
enum class BufferPlace { host, gpu, mixed };

/// Memory of the first GPU through the CUDA driver, loaded on demand: not a build dependency.
class GpuMemory {
public:
    /// Returns why buffers cannot be there: no driver, no GPU, or an Open MPI without GPU support. Empty if
    /// they can; the GPU's context is then current in this thread.
    static std::string missing();

    /// Requires an empty missing(). Ends the program when the GPU has no free memory.
    explicit GpuMemory(std::size_t bytes);
    ~GpuMemory();
    GpuMemory(const GpuMemory&) = delete;
    GpuMemory& operator=(const GpuMemory&) = delete;

    /// Address for MPI; the processor cannot read or write there.
    std::uint8_t* address() const;
    /// Copies all of it from and to the processor's memory.
    void write(const void* from);
    void read(void* to) const;

private:
    std::uint64_t address_ = 0;
    std::size_t bytes_ = 0;
};

}  // namespace strata::testing
