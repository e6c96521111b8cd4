// Functions of ompi_compat.h for Open MPI 4.1; for 5.0 see release_5.cc.
#include <cstring>
#include <memory>
#include <new>
#include <string>

#include "component/openmpi/ompi_compat.h"

namespace strata::component::compat {

bool publish(const char* key, std::span<const std::byte> bytes) {
    int rc = OPAL_SUCCESS;
    OPAL_MODEX_SEND_STRING(rc, OPAL_PMIX_GLOBAL, const_cast<char*>(key), const_cast<std::byte*>(bytes.data()),
                           bytes.size());
    return rc == OPAL_SUCCESS;
}

namespace {

using Value = std::unique_ptr<opal_value_t, void (*)(opal_value_t*)>;
constexpr int longest_wait = 10;  // seconds; a server answers these requests at once

/// The directives of a PMIx request. Throws std::bad_alloc; Open MPI's own macros ignore a failed allocation.
class Directives {
public:
    Directives() { OBJ_CONSTRUCT(&list_, opal_list_t); }
    Directives(const Directives&) = delete;
    Directives& operator=(const Directives&) = delete;
    ~Directives() { OPAL_LIST_DESTRUCT(&list_); }

    void add(const char* key) { append(key, OPAL_BOOL)->data.flag = true; }
    void add(const char* key, int number) { append(key, OPAL_INT)->data.integer = number; }
    void add(const char* key, const std::string& text) {
        opal_value_t* value = append(key, OPAL_STRING);
        if ((value->data.string = strdup(text.c_str())) == nullptr) throw std::bad_alloc();
    }
    opal_list_t* list() { return &list_; }

private:
    opal_value_t* append(const char* key, opal_data_type_t type) {
        opal_value_t* value = OBJ_NEW(opal_value_t);
        if (value == nullptr) throw std::bad_alloc();
        opal_list_append(&list_, &value->super);
        value->type = type;
        if ((value->key = strdup(key)) == nullptr) throw std::bad_alloc();
        return value;
    }
    opal_list_t list_;
};

Value ask(const opal_process_name_t& process, const char* key, Directives& directives, int& rc) {
    opal_value_t* value = nullptr;
    rc = opal_pmix.get(&process, key, directives.list(), &value);
    return {value, [](opal_value_t* one) { OBJ_RELEASE(one); }};
}

Lookup answer_of(int rc, const Value& value, opal_data_type_t type, int* status) {
    if (status != nullptr) *status = rc;
    // Any other error is not "missing": other processes may find the data.
    if (rc == OPAL_ERR_NOT_FOUND) return Lookup::missing;
    return rc == OPAL_SUCCESS && value != nullptr && value->type == type ? Lookup::found : Lookup::failed;
}

/// Reads from this process's own memory.
Lookup ask_text(const opal_process_name_t& process, const char* key, const std::string& node,
                std::string& text, int& status) {
    Directives directives;
    directives.add(OPAL_PMIX_OPTIONAL);
    if (!node.empty()) {
        directives.add("pmix.node.info");  // PMIX_NODE_INFO
        directives.add(OPAL_PMIX_HOSTNAME, node);
    }
    int rc = OPAL_SUCCESS;
    const Value value = ask(process, key, directives, rc);
    const Lookup answer = answer_of(rc, value, OPAL_STRING, &status);
    if (answer == Lookup::found) text = value->data.string != nullptr ? value->data.string : "";
    return answer;
}

opal_process_name_t no_process(opal_vpid_t vpid) {
    opal_process_name_t job = own_name();
    job.vpid = vpid;
    return job;
}

}  // namespace

/// When data is transferred on demand, "immediate" (see lookup()) misses data of other nodes.
const char* obstacle_to_lookup() {
    if (opal_pmix_collect_all_data && !opal_pmix_base_async_modex) return nullptr;
    return "with pmix_base_collect_data 0 or pmix_base_async_modex 1 processes of Open MPI 4.1";
}

Lookup lookup(const opal_process_name_t& process, const char* key, std::vector<std::byte>& bytes,
              int* status) {
    // "Immediate" asks only this node's server, which has all data since the fence. "Optional" would look
    // only in this process, which sees other processes' data only with some storage (PMIX_MCA_gds).
    Directives directives;
    directives.add(OPAL_PMIX_IMMEDIATE);
    directives.add(OPAL_PMIX_TIMEOUT, longest_wait);
    int rc = OPAL_SUCCESS;
    const Value value = ask(process, key, directives, rc);
    const Lookup answer = answer_of(rc, value, OPAL_BYTE_OBJECT, status);
    if (answer == Lookup::found) {
        const auto* first = reinterpret_cast<const std::byte*>(value->data.bo.bytes);
        bytes.assign(first, first + value->data.bo.size);
    }
    return answer;
}

Lookup node_name(const opal_process_name_t& process, std::string& node, int& status) {
    return ask_text(process, OPAL_PMIX_HOSTNAME, {}, node, status);
}

Lookup node_processes(const std::string& node, std::string& processes, int& status) {
    return ask_text(no_process(node.empty() ? OPAL_VPID_WILDCARD : OPAL_VPID_INVALID), OPAL_PMIX_LOCAL_PEERS,
                    node, processes, status);
}

/// The components for PMI-1 and PMI-2, which have no "get_nb", do not know the node names.
Lookup job_nodes(std::string& names, int& status) {
    if (opal_pmix.get_nb == nullptr) return Lookup::missing;
    return ask_text(no_process(OPAL_VPID_WILDCARD), "pmix.nlist", {}, names, status);  // PMIX_NODE_LIST
}

/// False: Open MPI 4.1 has already read a shared topology (known_topology()).
bool launcher_shares_topology() { return false; }

bool supports_gpu_buffers() { return opal_cuda_support; }

void count_opening() {}

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

std::uint64_t creation_number(const ompi_communicator_t* comm) { return comm->c_contextid; }

std::uint32_t release_number(const ompi_communicator_t* comm) { return comm->c_contextid; }

bool is_numbered_alike(const ompi_communicator_t* /*comm*/) { return true; }

}  // namespace strata::component::compat
