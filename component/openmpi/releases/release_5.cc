// Functions of ompi_compat.h for Open MPI 5.0; for 4.1 see release_4.cc.
#include <cstdlib>
#include <string>
#include <vector>

#include "component/openmpi/ompi_compat.h"

namespace strata::component::compat {

/// Reads the list itself: Open MPI hides keys that it does not know as internal ones.
std::vector<InfoEntry> info_entries(ompi_communicator_t* comm) {
    std::vector<InfoEntry> entries;
    if (comm->super.s_info == nullptr) return entries;
    opal_info_entry_t* entry = nullptr;
    OPAL_LIST_FOREACH(entry, &comm->super.s_info->super, opal_info_entry_t) {
        entries.push_back({entry->ie_key->string, entry->ie_value != nullptr ? entry->ie_value->string : ""});
    }
    return entries;
}

bool has_info(ompi_communicator_t* comm, std::string_view key) noexcept {
    opal_info_entry_t* entry = nullptr;
    if (comm->super.s_info != nullptr) {
        OPAL_LIST_FOREACH(entry, &comm->super.s_info->super, opal_info_entry_t) {
            if (key == entry->ie_key->string) {
                return true;
            }
        }
    }
    return false;
}

int bare_communicator(ompi_communicator_t* parent, std::span<int> ranks, ompi_communicator_t** made) {
    return ompi_comm_set(made, parent, static_cast<int>(ranks.size()), ranks.data(), 0, nullptr, nullptr,
                         parent->error_handler, nullptr, nullptr, 0);
}

std::uint64_t creation_number(const ompi_communicator_t* comm) {
    return comm->c_contextid.cid_base * 0x9E3779B97F4A7C15U ^ comm->c_contextid.cid_sub.u64;
}

bool launcher_shares_topology() {
    opal_process_name_t job = opal_process_info.my_name;
    job.vpid = OPAL_VPID_WILDCARD;
    char* file = nullptr;
    int rc = OPAL_SUCCESS;
    OPAL_MODEX_RECV_VALUE_OPTIONAL(rc, PMIX_HWLOC_SHMEM_FILE, &job, &file, PMIX_STRING);
    const bool shares = rc == OPAL_SUCCESS && file != nullptr;
    std::free(file);
    return shares;
}

bool supports_gpu_buffers() {
    constexpr std::string_view none = "null";
    return opal_accelerator_base_selected_component.base_version.mca_component_name != none;
}

std::uint32_t release_number(const ompi_communicator_t* comm) { return comm->c_index; }

bool is_numbered_alike(const ompi_communicator_t* comm) { return OMPI_COMM_IS_GLOBAL_INDEX(comm); }

}  // namespace strata::component::compat
