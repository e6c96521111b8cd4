#include "huge_memory.h"

#include <mpi.h>
#include <sys/mman.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "check.h"

namespace strata::testing {

std::size_t available_bytes() {
    std::size_t available = std::numeric_limits<std::size_t>::max();
    std::ifstream info("/proc/meminfo");
    for (std::string word; info >> word;) {
        if (word == "MemAvailable:") {
            info >> available;
            available *= kib;
            break;
        }
    }
    std::size_t limit = 0;
    std::size_t used = 0;
    std::ifstream max("/sys/fs/cgroup/memory.max");
    std::ifstream current("/sys/fs/cgroup/memory.current");
    if (max >> limit && current >> used) {
        available = std::min(available, limit > used ? limit - used : 0);
    }
    return available;
}

void Unmap::operator()(std::uint8_t* memory) const { munmap(memory, bytes); }

namespace {

// Not a std::vector, which would write the memory once more.
HugeMemory map(std::size_t bytes, int advice) {
    const std::size_t rounded = (bytes + 2 * mib - 1) / (2 * mib) * (2 * mib);
    void* memory =
        mmap(nullptr, rounded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        MPI_Abort(MPI_COMM_WORLD, exit_failed);
    }
    madvise(memory, rounded, advice);
    return HugeMemory(static_cast<std::uint8_t*>(memory), Unmap{rounded});
}

}  // namespace

HugeMemory huge_memory(std::size_t bytes) { return map(bytes, MADV_HUGEPAGE); }

HugeMemory sparse_memory(std::size_t bytes) { return map(bytes, MADV_NOHUGEPAGE); }

}  // namespace strata::testing
