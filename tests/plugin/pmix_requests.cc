// Preloaded: counts the plugin's PMIx requests, and makes requests fail.
//
// STRATA_PMIX_FAIL=KIND:TIMES: the first TIMES requests of this kind, or all ("lasting"), end with a status
// unknown to the plugin. Kinds: here (data of a process on this node's server), remote (data on another
// process's server), peers (the processes on a node), node (the node list, and this node).
// STRATA_PMIX_OLD=unknown|own: for the processes of a node by its name, PMIx answers like a release 2.2
// (not found) or 2.1 (the processes of its own node).
// (not found) or 2.1 (with those of the own node).
#include <dlfcn.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "component/openmpi/ompi_compat.h"

namespace {

constexpr std::array<const char*, 4> kinds{"here", "remote", "peers", "node"};
constexpr int status = -147;
std::array<std::atomic<unsigned>, kinds.size()> counted;

bool is_plugin(const void* caller) {
    Dl_info info{};
    return dladdr(caller, &info) != 0 && info.dli_fname != nullptr &&
           std::string_view(info.dli_fname).find("mca_coll_strata") != std::string_view::npos;
}

std::size_t kind_of(std::string_view key, bool refreshes) {
    if (key == "pmix.lpeers") return 2;
    if (key == "pmix.nlist" || key == "pmix.hname") return 3;
    return refreshes ? 1 : 0;
}

/// Counts a request; returns true if it must fail.
bool note(std::size_t kind) {
    const unsigned before = counted[kind]++;
    const char* fail = std::getenv("STRATA_PMIX_FAIL");
    const char* times = fail != nullptr ? std::strchr(fail, ':') : nullptr;
    if (times == nullptr || std::string_view(fail, static_cast<std::size_t>(times - fail)) != kinds[kind]) {
        return false;
    }
    return std::strcmp(times + 1, "lasting") == 0 || before < std::strtoul(times + 1, nullptr, 10);
}

__attribute__((destructor)) void tell() {
    const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
    if (rank == nullptr || std::getenv("STRATA_PMIX_COUNT") == nullptr) return;
    unsigned all = 0;
    for (const auto& one : counted) all += one;
    if (all == 0) return;
    std::fprintf(stderr, "requests %s here %u remote %u peers %u node %u\n", rank, counted[0].load(),
                 counted[1].load(), counted[2].load(), counted[3].load());
}

}  // namespace

#if OMPI_MAJOR_VERSION == 4
namespace {
using Get = decltype(opal_pmix.get);
Get real_get = nullptr;

int counting_get(const opal_process_name_t* process, const char* key, opal_list_t* directives,
                 opal_value_t** value) {
    if (!is_plugin(__builtin_return_address(0))) return real_get(process, key, directives, value);
    const std::size_t kind = kind_of(key, false);
    if (note(kind)) return status;
    const char* old = std::getenv("STRATA_PMIX_OLD");
    if (old == nullptr || kind != 2 || process->vpid != OPAL_VPID_INVALID) {
        return real_get(process, key, directives, value);
    }
    if (std::strcmp(old, "unknown") == 0) return OPAL_ERR_NOT_FOUND;
    const opal_process_name_t own_node{process->jobid, OPAL_VPID_WILDCARD};
    return real_get(&own_node, key, nullptr, value);
}
}  // namespace

// The plugin calls this first when it opens.
extern "C" int PMPI_Get_library_version(char* version, int* length) {
    if (real_get == nullptr) {
        real_get = opal_pmix.get;
        opal_pmix.get = counting_get;
    }
    using Function = int (*)(char*, int*);
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, "PMPI_Get_library_version"))(version, length);
}
#else
extern "C" pmix_status_t PMIx_Get(const pmix_proc_t* proc, const char key[], const pmix_info_t info[],
                                  size_t count, pmix_value_t** value) {
    static const auto real = reinterpret_cast<decltype(&PMIx_Get)>(dlsym(RTLD_NEXT, "PMIx_Get"));
    const bool refreshes = count > 0 && std::string_view(info[0].key) == PMIX_GET_REFRESH_CACHE;
    if (is_plugin(__builtin_return_address(0)) && note(kind_of(key, refreshes))) return status;
    return real(proc, key, info, count, value);
}
#endif
