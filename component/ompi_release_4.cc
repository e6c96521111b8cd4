// What Open MPI 4.1 does in its own way; its like is ompi_release_5.cc.
#include <cstring>

#include "ompi_compat.h"

namespace strata::component::compat {

bool publish(const char* key, std::span<const std::byte> bytes) {
    int rc = OPAL_SUCCESS;
    OPAL_MODEX_SEND_STRING(rc, OPAL_PMIX_GLOBAL, const_cast<char*>(key), const_cast<std::byte*>(bytes.data()),
                           bytes.size());
    return rc == OPAL_SUCCESS;
}

Lookup lookup(const opal_process_name_t& process, const char* key, std::vector<std::byte>& bytes) {
    opal_list_t directives;
    OBJ_CONSTRUCT(&directives, opal_list_t);
    // "Immediate" asks this node's server, which has everything since the fence, and nobody else. "Optional"
    // would look in this process alone; whether that sees the others depends on its storage (PMIX_MCA_gds).
    auto* immediate = OBJ_NEW(opal_value_t);
    immediate->key = strdup(OPAL_PMIX_IMMEDIATE);
    immediate->type = OPAL_BOOL;
    immediate->data.flag = true;
    opal_list_append(&directives, &immediate->super);

    opal_value_t* value = nullptr;
    const int rc = opal_pmix.get(&process, key, &directives, &value);
    OPAL_LIST_DESTRUCT(&directives);

    Lookup answer = Lookup::missing;
    if (rc == OPAL_SUCCESS && value != nullptr && value->type == OPAL_BYTE_OBJECT) {
        const auto* first = reinterpret_cast<const std::byte*>(value->data.bo.bytes);
        bytes.assign(first, first + value->data.bo.size);
        answer = Lookup::found;
    } else if (rc != OPAL_ERR_NOT_FOUND) {
        // Not the same as absent: the others may well see it.
        answer = Lookup::failed;
    }
    if (value != nullptr) {
        OBJ_RELEASE(value);
    }
    return answer;
}

/// Open MPI has taken it by now (known_topology()).
bool launcher_shares_topology() { return false; }

void count_opening() {}

void tell_of_node(const char* /*key*/) {}

void receive_of_nodes(const char* /*key*/) {}

std::vector<InfoEntry> info_entries(ompi_communicator_t* comm) {
    std::vector<InfoEntry> entries;
    if (comm->super.s_info == nullptr) {
        return entries;
    }
    opal_info_entry_t* entry = nullptr;
    OPAL_LIST_FOREACH(entry, &comm->super.s_info->super, opal_info_entry_t) {
        entries.push_back({entry->ie_key, entry->ie_value != nullptr ? entry->ie_value : ""});
    }
    return entries;
}

bool has_info(ompi_communicator_t* comm, std::string_view key) noexcept {
    opal_info_entry_t* entry = nullptr;
    if (comm->super.s_info != nullptr) {
        OPAL_LIST_FOREACH(entry, &comm->super.s_info->super, opal_info_entry_t) {
            if (key == entry->ie_key) {
                return true;
            }
        }
    }
    return false;
}

std::uint64_t creation_number(ompi_communicator_t* comm) { return comm->c_contextid; }

std::uint32_t release_number(const ompi_communicator_t* comm) { return comm->c_contextid; }

}  // namespace strata::component::compat
