#include "gpu_memory.h"

#include <dlfcn.h>
#include <mpi.h>

#include <cstdio>

#include "check.h"

namespace strata::testing {

namespace {

// The part of CUDA's driver interface used here, declared as in its documentation.
struct Driver {
    int (*init)(unsigned flags) = nullptr;
    int (*get_device)(int* device, int number) = nullptr;
    int (*retain_context)(void** context, int device) = nullptr;
    int (*set_context)(void* context) = nullptr;
    int (*synchronize)() = nullptr;
    int (*allocate)(std::uint64_t* address, std::size_t bytes) = nullptr;
    int (*free)(std::uint64_t address) = nullptr;
    int (*write)(std::uint64_t to, const void* from, std::size_t bytes) = nullptr;
    int (*read)(void* to, std::uint64_t from, std::size_t bytes) = nullptr;
};

template <class Function>
bool find(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
}

bool open(Driver& driver) {
    void* const library = dlopen("libcuda.so.1", RTLD_NOW);
    return library != nullptr && find(library, "cuInit", driver.init) &&
           find(library, "cuDeviceGet", driver.get_device) &&
           find(library, "cuDevicePrimaryCtxRetain", driver.retain_context) &&
           find(library, "cuCtxSetCurrent", driver.set_context) &&
           find(library, "cuCtxSynchronize", driver.synchronize) &&
           find(library, "cuMemAlloc_v2", driver.allocate) && find(library, "cuMemFree_v2", driver.free) &&
           find(library, "cuMemcpyHtoD_v2", driver.write) && find(library, "cuMemcpyDtoH_v2", driver.read);
}

Driver& driver() {
    static Driver loaded;
    return loaded;
}

void check(int error, const char* what) {
    if (error != 0) {
        std::fprintf(stderr, "%s: CUDA's error %d\n", what, error);
        MPI_Abort(MPI_COMM_WORLD, exit_failed);
    }
}

// MPIX_Query_cuda_support(), which some builds of Open MPI lack.
bool mpi_takes_it() {
    const auto supported = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support"));
    return supported != nullptr && supported() != 0;
}

}  // namespace

std::string GpuMemory::missing() {
    if (!open(driver())) {
        return "no CUDA driver";
    }
    int device = 0;
    void* context = nullptr;
    if (driver().init(0) != 0 || driver().get_device(&device, 0) != 0 ||
        driver().retain_context(&context, device) != 0 || driver().set_context(context) != 0) {
        return "no GPU that the CUDA driver can use";
    }
    return mpi_takes_it() ? "" : "an Open MPI that does not take buffers in a GPU's memory";
}

GpuMemory::GpuMemory(std::size_t bytes) : bytes_(bytes) {
    check(driver().allocate(&address_, bytes_), "memory of the GPU");
}

GpuMemory::~GpuMemory() { driver().free(address_); }

std::uint8_t* GpuMemory::address() const { return reinterpret_cast<std::uint8_t*>(address_); }

// Open MPI copies in its own stream: synchronise this one first, or it may read old data.
void GpuMemory::write(const void* from) {
    check(driver().write(address_, from, bytes_), "writing to the GPU");
    check(driver().synchronize(), "writing to the GPU");
}

void GpuMemory::read(void* to) const { check(driver().read(to, address_, bytes_), "reading from the GPU"); }

}  // namespace strata::testing
