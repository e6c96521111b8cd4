#include "withdrawn_counters.h"

#include <dlfcn.h>
#include <mpi.h>

#include <mutex>
#include <string_view>

namespace strata::introspection {
namespace {

/// Returns the library that all monitoring components of the 4.1 series share, and pins it: Open MPI
/// accesses the variables again after it has closed the components.
void* monitoring_library() {
    return dlopen("libmca_common_monitoring.so.50", RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
}

bool is_the_release_that_withdraws() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    return MPI_Get_library_version(text, &length) == MPI_SUCCESS &&
           std::string_view(text).starts_with("Open MPI v4.1.");
}

}  // namespace

bool restore_withdrawn_counters() {
    static std::once_flag once;
    static bool done = false;
    std::call_once(once, [] {
        if (!is_the_release_that_withdraws()) return;
        // Registers parameters and counters; 4.1 ignores its argument.
        using Register = void (*)(void*);
        constexpr const char* name = "mca_common_monitoring_register";
        // The symbol is in the process itself if Open MPI was built without plugins.
        void* function = dlsym(RTLD_DEFAULT, name);
        if (void* const library = function == nullptr ? monitoring_library() : nullptr; library != nullptr) {
            function = dlsym(library, name);
        }
        const auto again = reinterpret_cast<Register>(function);
        if (again == nullptr) return;
        again(nullptr);
        done = true;
    });
    return done;
}

}  // namespace strata::introspection
