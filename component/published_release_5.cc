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
#include <utility>

#include "ompi_compat.h"
#include "published_data.h"

namespace strata::component::compat {
namespace {

using Bytes = std::vector<std::byte>;
using Process = std::uint32_t;

constexpr const char* of_node = ".node";
constexpr const char* of_job = ".job";
constexpr const char* openings_name = "COLL_STRATA_OPENED";
// Far beyond what any answer took; an error then, as the others may have theirs.
constexpr std::chrono::minutes longest_wait{2};
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

/// Waits for what the process is sure to publish.
Answer await(Process process, const std::string& key) {
    const auto end = std::chrono::steady_clock::now() + longest_wait;
    for (auto pause = shortest_pause;; pause = std::min(2 * pause, longest_pause)) {
        Answer answer = ask(process, key);
        if (answer.status != Lookup::missing) return answer;
        if (std::chrono::steady_clock::now() > end) return {};
        std::this_thread::sleep_for(pause);
    }
}

bool put(const std::string& key, std::span<const std::byte> bytes) {
    pmix_value_t value;
    PMIX_VALUE_CONSTRUCT(&value);
    value.type = PMIX_BYTE_OBJECT;
    value.data.bo = {const_cast<char*>(reinterpret_cast<const char*>(bytes.data())), bytes.size()};
    return PMIx_Put(PMIX_GLOBAL, key.c_str(), &value) == PMIX_SUCCESS;  // copies
}

/// The nodes of the job as its launcher tells: the processes of each, lowest first; none where it does not
/// tell.
std::vector<std::vector<Process>> nodes_of_job() {
    std::vector<std::vector<Process>> nodes;
    std::unordered_map<std::uint32_t, std::size_t> places;
    for (Process process = 0; process < own_job_size(); ++process) {
        const pmix_proc_t proc = proc_of(process);
        pmix_info_t info;
        const bool yes = true;
        PMIX_INFO_LOAD(&info, PMIX_OPTIONAL, &yes, PMIX_BOOL);
        pmix_value_t* value = nullptr;
        const pmix_status_t status = PMIx_Get(&proc, PMIX_NODEID, &info, 1, &value);
        PMIX_INFO_DESTRUCT(&info);
        if (status != PMIX_SUCCESS || value == nullptr || value->type != PMIX_UINT32) return {};
        const auto [place, isnew] = places.try_emplace(value->data.uint32, nodes.size());
        PMIX_VALUE_RELEASE(value);
        if (isnew) nodes.emplace_back();
        nodes[place->second].push_back(process);
    }
    return nodes;
}

/// One key's data, node by node: the lowest process of each tells the others' what its node has.
class NodeExchange {
public:
    NodeExchange(std::string key, PublishedData& known) : key_(std::move(key)), known_(known) {}

    void run() {
        const auto nodes = nodes_of_job();
        const auto own = std::find_if(nodes.begin(), nodes.end(), [](const auto& processes) {
            return std::find(processes.begin(), processes.end(), own_name().vpid) != processes.end();
        });
        if (own == nodes.end()) return;
        if (own->front() != own_name().vpid) {
            if (ask(own->front(), key_).status == Lookup::found) take(await(own->front(), key_ + of_job));
            return;
        }
        tell_others(*own);
        // Not all nodes ask the same one first.
        for (std::size_t i = 1; i < nodes.size(); ++i) {
            const auto& other = nodes[(static_cast<std::size_t>(own - nodes.begin()) + i) % nodes.size()];
            ask_leader(other.front());
        }
        if (own->size() > 1) publish_known(key_ + of_job);
    }

private:
    void tell_others(const std::vector<Process>& own) {
        for (const Process process : own) {
            Answer answer = ask(process, key_);
            if (answer.status == Lookup::failed) continue;  // to be asked when it is needed
            if (answer.status == Lookup::found) {
                known_.set(process, std::move(answer.bytes));
            } else {
                known_.set(process, {});
            }
        }
        publish_known(key_ + of_node);
    }

    void ask_leader(Process leader) {
        Answer answer = ask(leader, key_ + of_node);
        if (answer.status == Lookup::missing && ask(leader, key_).status == Lookup::found) {
            answer = await(leader, key_ + of_node);
        }
        take(answer);
    }

    void take(const Answer& answer) { known_.add(answer.bytes); }

    void publish_known(const std::string& key) {
        put(key, known_.message());
        PMIx_Commit();
    }

    std::string key_;
    PublishedData& known_;
};

/// What is known here by key.
struct Cache {
    std::mutex mutex;
    std::unordered_map<std::string, PublishedData> by_key;
};

Cache& cache() {
    static Cache all;
    return all;
}

}  // namespace

// MPI sessions may open it again, and what the library knew is gone with it; servers keep what was published
// before. The environment stays.
void count_opening() { setenv(openings_name, (own_process() + std::to_string(openings() + 1)).c_str(), 1); }

bool publish(const char* key, std::span<const std::byte> bytes) { return put(key_of_opening(key), bytes); }

void exchange_by_nodes(const char* key) {
    const std::lock_guard<std::mutex> lock(cache().mutex);
    const std::string full = key_of_opening(key);
    NodeExchange(full, cache().by_key[full]).run();
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
