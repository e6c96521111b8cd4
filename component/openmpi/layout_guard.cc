#include "component/openmpi/layout_guard.h"

#include <unistd.h>

#include <array>
#include <cstdlib>

#include "component/base/layout_epochs.h"
#include "component/openmpi/ompi_compat.h"

#if OMPI_MAJOR_VERSION == 4
#define STRATA_LAYOUT "component/openmpi/releases/layout_4.def"
#else
#define STRATA_LAYOUT "component/openmpi/releases/layout_5.def"
#endif

namespace strata::component::layout {
namespace {

constexpr Release built_for{OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION, OMPI_RELEASE_VERSION};

/// Returns the column of the table that this build must match; -1 if the table has none for its release or
/// configuration.
constexpr int built_column() {
#if defined(STRATA_OTHER_LAYOUT) || !defined(__x86_64__) || !defined(__LP64__) || OPAL_ENABLE_DEBUG || \
    OPAL_MAX_OBJECT_NAME != 64 || (defined(OPAL_CUDA_SUPPORT) && OPAL_CUDA_SUPPORT) ||                 \
    (OMPI_MAJOR_VERSION == 5 && !OPAL_ENABLE_FT_MPI)
    return -1;
#else
    int column = 0;
    for (const Epoch& epoch : epochs) {
        if (epoch_of(built_for) == &epoch) {
            return column;
        }
        column += epoch.first.major == built_for.major;
    }
    return -1;
#endif
}

template <class... Columns>
constexpr bool matches(std::size_t compiled, Columns... columns) {
    const std::size_t all[] = {static_cast<std::size_t>(columns)...};
    return built_column() < 0 || compiled == all[built_column()];
}

#define STRATA_MISMATCH \
    " is not where " STRATA_LAYOUT " has it; for headers that were changed define STRATA_OTHER_LAYOUT"
#define STRATA_CLASS(type, ...) static_assert(matches(sizeof(type), __VA_ARGS__), #type STRATA_MISMATCH);
#define STRATA_STRUCT(type, ...) STRATA_CLASS(type, __VA_ARGS__)
#define STRATA_MEMBER(type, member, ...) \
    static_assert(matches(offsetof(type, member), __VA_ARGS__), #type "::" #member STRATA_MISMATCH);
#include STRATA_LAYOUT
#undef STRATA_CLASS
#undef STRATA_STRUCT
#undef STRATA_MEMBER

auto class_sizes() {
#define STRATA_CLASS(type, ...) ClassSize{#type, sizeof(type), type##_class.cls_sizeof},
#define STRATA_STRUCT(...)
#define STRATA_MEMBER(...)
    return std::to_array<ClassSize>({
#include STRATA_LAYOUT
    });
#undef STRATA_CLASS
#undef STRATA_STRUCT
#undef STRATA_MEMBER
}

Finding find() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    if (PMPI_Get_library_version(text, &length) != MPI_SUCCESS) {
        text[0] = '\0';
    }
    const std::string version(text);
    Release built = built_for;
#ifdef STRATA_OTHER_LAYOUT
    built.patch = -1;  // in no epoch
#endif
    Verdict verdict = judge(built, parse_release(version), class_sizes());
    return {std::move(verdict.objection), name_of(built_for), version.substr(0, version.find(',')),
            verdict.is_listed};
}

}  // namespace

const Finding& finding() {
    static const Finding found = find();
    return found;
}

bool is_lowest_process() {
    // Set by mpirun, PMIx, PMI-1/2 and Slurm; a singleton has none.
    for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}) {
        if (const char* rank = std::getenv(name); rank != nullptr) {
            return std::atoi(rank) == 0;
        }
    }
    return true;
}

std::string host_name() {
    char name[256] = "";
    gethostname(name, sizeof name - 1);
    return name;
}

}  // namespace strata::component::layout
