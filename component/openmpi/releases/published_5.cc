// Published data under Open MPI 5.0; for 4.1 see release_4.cc.
//
// The start-up fence makes every process's data final, but does not transfer it, and no single request of
// PMIx 5.0.7 is right: "optional" and "immediate" miss data of other nodes, and a plain request waits forever
// for a process without the plugin. Two requests are: "immediate" to this node's server, then
// PMIX_GET_REFRESH_CACHE to the server of the process asked for. They answer alike on all processes and wait
// for no process, under PRRTE and under Slurm.
#include <unistd.h>
#include <array>
#include <cstdlib>

#include "component/openmpi/ompi_compat.h"

namespace strata::component::compat {
namespace {

using Bytes = std::vector<std::byte>;

constexpr const char* openings_name = "COLL_STRATA_OPENED";
constexpr int longest_wait = 10;  // seconds; a server answers these requests at once

std::string own_process() { return std::to_string(getpid()) + ":"; }

/// Returns how often this process has opened the component.
int openings() {
    const char* known = std::getenv(openings_name);
    const std::string process = own_process();
    return known != nullptr && std::string_view(known).starts_with(process)
               ? std::atoi(known + process.size())
               : 0;
}

std::string key_of_opening(const char* key) { return std::string(key) + "." + std::to_string(openings()); }

pmix_proc_t proc_of(opal_process_name_t name) {
    pmix_proc_t proc;
    OPAL_PMIX_CONVERT_NAME(&proc, &name);
    return proc;
}

/// A PMIx request with one directive and a time limit.
class Request {
public:
    /// `node`: the node to ask about, if not empty.
    Request(const pmix_proc_t& proc, const char* key, const char* directive, const std::string& node = {}) {
        std::array<pmix_info_t, 4> infos;
        const bool yes = true;
        PMIX_INFO_LOAD(&infos[0], directive, &yes, PMIX_BOOL);
        PMIX_INFO_LOAD(&infos[1], PMIX_TIMEOUT, &longest_wait, PMIX_INT);
        PMIX_INFO_LOAD(&infos[2], PMIX_NODE_INFO, &yes, PMIX_BOOL);
        PMIX_INFO_LOAD(&infos[3], PMIX_HOSTNAME, node.c_str(), PMIX_STRING);
        status_ = PMIx_Get(&proc, key, infos.data(), node.empty() ? 2 : infos.size(), &value_);
        for (pmix_info_t& info : infos) PMIX_INFO_DESTRUCT(&info);
    }
    Request(const Request&) = delete;
    Request& operator=(const Request&) = delete;
    ~Request() {
        if (value_ != nullptr) PMIX_VALUE_RELEASE(value_);
    }
    /// Returns the result for a value of this type.
    Lookup answer(pmix_data_type_t type, int* status) const {
        if (status != nullptr) *status = status_;
        if (status_ == PMIX_ERR_NOT_FOUND) return Lookup::missing;
        return status_ == PMIX_SUCCESS && value_ != nullptr && value_->type == type ? Lookup::found
                                                                                    : Lookup::failed;
    }
    const pmix_value_t* operator->() const { return value_; }

private:
    pmix_value_t* value_ = nullptr;
    pmix_status_t status_;
};

Lookup ask(const pmix_proc_t& proc, const std::string& key, const char* directive, Bytes& bytes,
           int* status) {
    const Request request(proc, key.c_str(), directive);
    const Lookup answer = request.answer(PMIX_BYTE_OBJECT, status);
    if (answer == Lookup::found) {
        const auto* first = reinterpret_cast<const std::byte*>(request->data.bo.bytes);
        bytes.assign(first, first + request->data.bo.size);
    }
    return answer;
}

/// Reads from this process's own memory.
Lookup ask_text(const pmix_proc_t& proc, const char* key, const std::string& node, std::string& text,
                int& status) {
    const Request request(proc, key, PMIX_OPTIONAL, node);
    const Lookup answer = request.answer(PMIX_STRING, &status);
    if (answer == Lookup::found) text = request->data.string != nullptr ? request->data.string : "";
    return answer;
}

pmix_proc_t no_process(pmix_rank_t rank) {
    pmix_proc_t proc = proc_of(own_name());
    proc.rank = rank;
    return proc;
}

}  // namespace

// Each opening uses new keys, because servers keep the data of earlier openings. MPI sessions may reload the
// plugin, which loses its variables, so the number of openings is in the environment.
void count_opening() { setenv(openings_name, (own_process() + std::to_string(openings() + 1)).c_str(), 1); }

bool publish(const char* key, std::span<const std::byte> bytes) {
    pmix_value_t value;
    PMIX_VALUE_CONSTRUCT(&value);
    value.type = PMIX_BYTE_OBJECT;
    value.data.bo = {const_cast<char*>(reinterpret_cast<const char*>(bytes.data())), bytes.size()};
    return PMIx_Put(PMIX_GLOBAL, key_of_opening(key).c_str(), &value) == PMIX_SUCCESS;  // copies
}

/// All processes pass a fence before the first communicator, also when data is transferred on demand.
const char* obstacle_to_lookup() {
    if (!opal_pmix_base_async_modex || opal_pmix_collect_all_data || !ompi_async_mpi_init) return nullptr;
    return "with async_mpi_init 1 processes that get data on demand";
}

Lookup lookup(const opal_process_name_t& process, const char* key, std::vector<std::byte>& bytes,
              int* status) {
    const std::string full = key_of_opening(key);
    const pmix_proc_t proc = proc_of(process);
    const Lookup here = ask(proc, full, PMIX_IMMEDIATE, bytes, status);
    return here == Lookup::missing ? ask(proc, full, PMIX_GET_REFRESH_CACHE, bytes, status) : here;
}

Lookup node_name(const opal_process_name_t& process, std::string& node, int& status) {
    return ask_text(proc_of(process), PMIX_HOSTNAME, {}, node, status);
}

Lookup job_nodes(std::string& names, int& status) {
    return ask_text(no_process(PMIX_RANK_WILDCARD), PMIX_NODE_LIST, {}, names, status);
}

Lookup node_processes(const std::string& node, std::string& processes, int& status) {
    return ask_text(no_process(node.empty() ? PMIX_RANK_WILDCARD : PMIX_RANK_UNDEF), PMIX_LOCAL_PEERS, node,
                    processes, status);
}

}  // namespace strata::component::compat
