// How Open MPI 5.0 brings what a process publishes to the others; release 4.1's way is in ompi_release_4.cc.
//
// A fence at start-up makes every process's data final, but does not bring them to others, and PMIx 5.0.7 has
// no one request that is right: "optional" and "immediate" miss what other nodes have, a plain one waits
// forever for a process without the plugin. Asking this node's server at once, and if it has nothing the
// process's own server (PMIX_GET_REFRESH_CACHE), answers alike everywhere and waits for nobody, under PRRTE
// and under Slurm.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "last_resort.h"
#include "ompi_compat.h"
#include "process_wide.h"
#include "published_data.h"
#include "strata/topology/text.h"

namespace strata::component::compat {
namespace {

using Bytes = std::vector<std::byte>;
using Process = std::uint32_t;

constexpr const char* of_node = ".node";
constexpr const char* of_job = ".job";
constexpr const char* openings_name = "COLL_STRATA_OPENED";
// For what a process of this node is about to publish. Far beyond what that took; then everybody is asked by
// itself.
constexpr std::chrono::seconds longest_wait{10};
constexpr std::chrono::microseconds shortest_pause{200};
constexpr std::chrono::microseconds longest_pause{20'000};

std::string own_process() { return std::to_string(getpid()) + ":"; }

/// How often this process has opened the component.
int openings() {
    const char* known = std::getenv(openings_name);
    const std::string process = own_process();
    return known != nullptr && std::string_view(known).starts_with(process)
               ? std::atoi(known + process.size())
               : 0;
}

std::string key_of_opening(const char* key) { return std::string(key) + "." + std::to_string(openings()); }

pmix_proc_t proc_of(Process process) {
    opal_process_name_t name = own_name();
    name.vpid = process;
    pmix_proc_t proc;
    OPAL_PMIX_CONVERT_NAME(&proc, &name);
    return proc;
}

/// What one request brings.
struct Answer {
    Lookup status = Lookup::failed;
    Bytes bytes;
};

/// Asks with one directive.
Answer ask(Process process, const std::string& key, const char* directive) {
    const pmix_proc_t proc = proc_of(process);
    pmix_info_t info;
    const bool yes = true;
    PMIX_INFO_LOAD(&info, directive, &yes, PMIX_BOOL);
    pmix_value_t* value = nullptr;
    const pmix_status_t status = PMIx_Get(&proc, key.c_str(), &info, 1, &value);
    PMIX_INFO_DESTRUCT(&info);
    Answer answer;
    if (status == PMIX_ERR_NOT_FOUND) {
        answer.status = Lookup::missing;
    } else if (status == PMIX_SUCCESS && value != nullptr && value->type == PMIX_BYTE_OBJECT) {
        const auto* first = reinterpret_cast<const std::byte*>(value->data.bo.bytes);
        answer = {Lookup::found, {first, first + value->data.bo.size}};
    }
    if (value != nullptr) PMIX_VALUE_RELEASE(value);
    return answer;
}

/// What the process has published by now.
Answer ask(Process process, const std::string& key) {
    Answer here = ask(process, key, PMIX_IMMEDIATE);
    return here.status == Lookup::missing ? ask(process, key, PMIX_GET_REFRESH_CACHE) : here;
}

/// Waits for what a process of this node is about to publish; messages move on meanwhile.
Answer await(Process process, const std::string& key) {
    const auto end = std::chrono::steady_clock::now() + longest_wait;
    for (auto pause = shortest_pause;; pause = std::min(2 * pause, longest_pause)) {
        Answer answer = ask(process, key, PMIX_IMMEDIATE);
        if (answer.status != Lookup::missing || std::chrono::steady_clock::now() > end) return answer;
        opal_progress();
        std::this_thread::sleep_for(pause);
    }
}

bool put(const std::string& key, std::span<const std::byte> bytes, pmix_scope_t scope = PMIX_GLOBAL) {
    pmix_value_t value;
    PMIX_VALUE_CONSTRUCT(&value);
    value.type = PMIX_BYTE_OBJECT;
    value.data.bo = {const_cast<char*>(reinterpret_cast<const char*>(bytes.data())), bytes.size()};
    return PMIx_Put(scope, key.c_str(), &value) == PMIX_SUCCESS;  // copies
}

/// The processes of this one's node, in ascending order; none where the launcher does not tell.
std::vector<Process> own_node_processes() {
    pmix_proc_t job = proc_of(own_name().vpid);
    job.rank = PMIX_RANK_WILDCARD;
    pmix_value_t* value = nullptr;
    std::vector<Process> processes;
    if (PMIx_Get(&job, PMIX_LOCAL_PEERS, nullptr, 0, &value) == PMIX_SUCCESS && value != nullptr &&
        value->type == PMIX_STRING) {
        for (const std::string_view process : topology::split(value->data.string, ',')) {
            processes.push_back(static_cast<Process>(std::stoul(std::string(process))));
        }
        std::sort(processes.begin(), processes.end());
    }
    if (value != nullptr) PMIX_VALUE_RELEASE(value);
    return processes;
}

/// The lowest process of every node of the job, in ascending order; none where the launcher does not tell.
std::vector<Process> lowest_of_nodes() {
    std::vector<Process> lowest;
    std::unordered_set<std::uint32_t> nodes;
    for (Process process = 0; process < own_job_size(); ++process) {
        const pmix_proc_t proc = proc_of(process);
        pmix_info_t info;
        const bool yes = true;
        PMIX_INFO_LOAD(&info, PMIX_OPTIONAL, &yes, PMIX_BOOL);
        pmix_value_t* value = nullptr;
        const pmix_status_t status = PMIx_Get(&proc, PMIX_NODEID, &info, 1, &value);
        PMIX_INFO_DESTRUCT(&info);
        const bool known = status == PMIX_SUCCESS && value != nullptr && value->type == PMIX_UINT32;
        if (known && nodes.insert(value->data.uint32).second) lowest.push_back(process);
        if (value != nullptr) PMIX_VALUE_RELEASE(value);
        if (!known) return {};
    }
    return lowest;
}

void publish_all(const std::string& key, const PublishedData& data, pmix_scope_t scope) {
    if (put(key, data.message(), scope)) PMIx_Commit();
}

/// What the nodes' lowest processes have told of their nodes; for the other processes of this node, too.
PublishedData received_by_nodes(const std::string& key) {
    PublishedData known;
    const std::vector<Process> own = own_node_processes();
    if (own.empty()) return known;
    const Process self = own_name().vpid;
    if (own.front() != self) {
        // Who has told of its node is about to tell its node of the others.
        if (ask(own.front(), key + of_node, PMIX_IMMEDIATE).status == Lookup::found) {
            known.add(await(own.front(), key + of_job).bytes);
        }
        return known;
    }
    const std::vector<Process> leaders = lowest_of_nodes();
    const auto place = std::find(leaders.begin(), leaders.end(), self);
    const auto first = static_cast<std::size_t>(place - leaders.begin());
    for (std::size_t i = 0; i < leaders.size(); ++i) {  // not all nodes ask the same one first
        const Process leader = leaders[(first + i) % leaders.size()];
        known.add(ask(leader, key + of_node).bytes);
    }
    if (own.size() > 1) publish_all(key + of_job, known, PMIX_LOCAL);
    return known;
}

/// What is known here by key.
struct Cache {
    std::mutex mutex;
    std::unordered_map<std::string, PublishedData> by_key;
};

Cache& cache() {
    static ProcessWide<Cache> all;
    return all.get();
}

}  // namespace

// MPI sessions may open it again, and what the library knew is gone with it; servers keep what was published
// before. The environment stays.
void count_opening() { setenv(openings_name, (own_process() + std::to_string(openings() + 1)).c_str(), 1); }

bool publish(const char* key, std::span<const std::byte> bytes) { return put(key_of_opening(key), bytes); }

void tell_of_node(const char* key) {
    const std::string full = key_of_opening(key);
    const std::vector<Process> own = own_node_processes();
    if (own.empty() || own.front() != own_name().vpid) return;
    PublishedData known;
    for (const Process process : own) {
        Answer answer = ask(process, full, PMIX_IMMEDIATE);
        if (answer.status == Lookup::found) {
            known.set(process, std::move(answer.bytes));
        } else if (answer.status == Lookup::missing) {
            known.set(process, {});
        }  // else it is to be asked when it is needed
    }
    publish_all(full + of_node, known, PMIX_GLOBAL);
}

void receive_of_nodes(const char* key) {
    const std::string full = key_of_opening(key);
    PublishedData known;
    try {
        known = received_by_nodes(full);
    } catch (...) {
        reserve().give_back();
        publish_all(full + of_job, {}, PMIX_LOCAL);  // the processes of this node wait for it
        throw;
    }
    const std::lock_guard<std::mutex> lock(cache().mutex);
    cache().by_key[full] = std::move(known);
}

Lookup lookup(const opal_process_name_t& process, const char* key, std::vector<std::byte>& bytes) {
    const std::string full = key_of_opening(key);
    {
        const std::lock_guard<std::mutex> lock(cache().mutex);
        if (const auto* known = cache().by_key[full].find(process.vpid)) {
            if (!*known) return Lookup::missing;
            bytes = **known;
            return Lookup::found;
        }
    }
    Answer answer = ask(process.vpid, full);
    if (answer.status == Lookup::found) bytes = std::move(answer.bytes);
    return answer.status;
}

}  // namespace strata::component::compat
