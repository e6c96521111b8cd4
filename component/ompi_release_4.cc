// What Open MPI 4.1 does in its own way; its like is ompi_release_5.cc.
#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "ompi_compat.h"

namespace strata::component::compat {

bool publish(const char* key, std::span<const std::byte> bytes) {
    int rc = OPAL_SUCCESS;
    OPAL_MODEX_SEND_STRING(rc, OPAL_PMIX_GLOBAL, const_cast<char*>(key), const_cast<std::byte*>(bytes.data()),
                           bytes.size());
    return rc == OPAL_SUCCESS;
}

namespace {

using Value = std::unique_ptr<opal_value_t, void (*)(opal_value_t*)>;

/// What is known of a process under `key`, asked with one directive. Throws std::bad_alloc, where Open MPI's
/// own macros would go on without memory.
Value ask(const opal_process_name_t& process, const char* key, const char* directive, int& rc) {
    opal_list_t directives;
    OBJ_CONSTRUCT(&directives, opal_list_t);
    Value one(OBJ_NEW(opal_value_t), [](opal_value_t* value) { OBJ_RELEASE(value); });
    if (one == nullptr || (one->key = strdup(directive)) == nullptr) {
        OBJ_DESTRUCT(&directives);
        throw std::bad_alloc();
    }
    one->type = OPAL_BOOL;
    one->data.flag = true;
    opal_list_append(&directives, &one.release()->super);
    opal_value_t* value = nullptr;
    rc = opal_pmix.get(&process, key, &directives, &value);
    OPAL_LIST_DESTRUCT(&directives);
    return {value, one.get_deleter()};
}

}  // namespace

std::string node_of(const opal_process_name_t& process) {
    int rc = OPAL_SUCCESS;
    const Value value = ask(process, OPAL_PMIX_HOSTNAME, OPAL_PMIX_OPTIONAL, rc);
    const bool known = rc == OPAL_SUCCESS && value != nullptr && value->type == OPAL_STRING;
    return known && value->data.string != nullptr ? value->data.string : "";
}

Lookup lookup(const opal_process_name_t& process, const char* key, std::vector<std::byte>& bytes) {
    // "Immediate" asks this node's server, which has everything since the fence, and nobody else. "Optional"
    // would look in this process alone; whether that sees the others depends on its storage (PMIX_MCA_gds).
    int rc = OPAL_SUCCESS;
    const Value value = ask(process, key, OPAL_PMIX_IMMEDIATE, rc);
    if (rc == OPAL_SUCCESS && value != nullptr && value->type == OPAL_BYTE_OBJECT) {
        const auto* first = reinterpret_cast<const std::byte*>(value->data.bo.bytes);
        bytes.assign(first, first + value->data.bo.size);
        return Lookup::found;
    }
    // Not the same as absent: the others may well see it.
    return rc == OPAL_ERR_NOT_FOUND ? Lookup::missing : Lookup::failed;
}

/// Open MPI has taken it by now (known_topology()).
bool launcher_shares_topology() { return false; }

bool supports_gpu_buffers() { return opal_cuda_support; }

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

int bare_communicator(ompi_communicator_t* parent, std::span<int> ranks, ompi_communicator_t** made) {
    return ompi_comm_set(made, parent, static_cast<int>(ranks.size()), ranks.data(), 0, nullptr, nullptr,
                         parent->error_handler, false, nullptr, nullptr);
}

std::uint64_t creation_number(ompi_communicator_t* comm) { return comm->c_contextid; }

std::uint32_t release_number(const ompi_communicator_t* comm) { return comm->c_contextid; }

}  // namespace strata::component::compat
