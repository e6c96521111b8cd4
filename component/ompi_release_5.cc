// What Open MPI 5.0 does in its own way; its like is ompi_release_4.cc.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "ompi_compat.h"

namespace strata::component::compat {
namespace {

/// PRRTE's directory is one process, which compares every key asked for with every key there is, for each
/// process that asks: for more than these its answer is not worth the wait.
constexpr std::uint32_t most_processes = 512;
// Far beyond what any answer took; an error then, as the others may have theirs.
constexpr std::chrono::minutes longest_wait{2};

std::atomic<bool>& no_directory() {
    static std::atomic<bool> none{false};
    return none;
}

constexpr const char* openings_name = "COLL_STRATA_OPENED";

std::string own_process() { return std::to_string(getpid()) + ":"; }

/// How often this process has opened the component.
int openings() {
    const char* known = std::getenv(openings_name);
    const std::string process = own_process();
    return known != nullptr && std::string_view(known).starts_with(process)
               ? std::atoi(known + process.size())
               : 0;
}

/// Our name in the job's directory of published data.
std::string directory_key(const std::string& key, int opening, std::uint32_t process) {
    return key + "." + std::to_string(opening) + "." + std::to_string(process);
}

std::optional<std::vector<std::byte>> bytes_of(const pmix_value_t& value) {
    if (value.type != PMIX_BYTE_OBJECT) return {};
    const auto* first = reinterpret_cast<const std::byte*>(value.data.bo.bytes);
    return std::vector<std::byte>(first, first + value.data.bo.size);
}

pmix_status_t publish_for_job(const std::string& key, std::span<const std::byte> bytes) {
    pmix_info_t info[2];
    pmix_byte_object_t object{const_cast<char*>(reinterpret_cast<const char*>(bytes.data())), bytes.size()};
    pmix_data_range_t range = PMIX_RANGE_NAMESPACE;
    PMIX_INFO_LOAD(&info[0], key.c_str(), &object, PMIX_BYTE_OBJECT);
    PMIX_INFO_LOAD(&info[1], PMIX_RANGE, &range, PMIX_DATA_RANGE);
    const pmix_status_t status = PMIx_Publish(info, 2);
    PMIX_INFO_DESTRUCT(&info[0]);
    PMIX_INFO_DESTRUCT(&info[1]);
    return status;
}

/// What the processes of this job have published under one key.
class Directory {
public:
    /// Asks for all processes at once.
    void read(const std::string& key) { usable_ = read(key, 0, own_job_size()); }

    Lookup find(std::uint32_t process, std::vector<std::byte>& bytes) const {
        const auto place = known_.find(process);
        if (place == known_.end()) return usable_ ? Lookup::missing : Lookup::failed;
        bytes = place->second;
        return Lookup::found;
    }

private:
    /// Of processes `first` to `end`, without. An answer of which a part is missing comes without the rest
    /// (PMIx 5.0.7): then of each half by itself. False when the launcher keeps no such directory.
    bool read(const std::string& key, std::uint32_t first, std::uint32_t end) {
        switch (look_up(key, first, end)) {
            case PMIX_SUCCESS:
            case PMIX_ERR_NOT_FOUND: return true;
            case PMIX_ERR_PARTIAL_SUCCESS:
            case PMIX_QUERY_PARTIAL_SUCCESS: break;
            default: return false;
        }
        if (end - first < 2) return true;
        const std::uint32_t middle = first + (end - first) / 2;
        return read(key, first, middle) && read(key, middle, end);
    }

    /// PMIx_Lookup() of 5.0.7 loses the memory of its keys; so this is the one that does not wait, and waits.
    pmix_status_t look_up(const std::string& key, std::uint32_t first, std::uint32_t end) {
        std::vector<std::string> names;
        for (std::uint32_t process = first; process < end; ++process)
            names.push_back(directory_key(key, openings(), process));
        std::vector<char*> keys;
        for (std::string& name : names) keys.push_back(name.data());
        keys.push_back(nullptr);
        pmix_info_t info;
        pmix_data_range_t range = PMIX_RANGE_NAMESPACE;
        PMIX_INFO_LOAD(&info, PMIX_RANGE, &range, PMIX_DATA_RANGE);
        auto* answer = new std::shared_ptr<Answer>(std::make_shared<Answer>());  // the callback's
        const std::shared_ptr<Answer> own = *answer;
        pmix_status_t status = PMIx_Lookup_nb(keys.data(), &info, 1, take, answer);
        if (status != PMIX_SUCCESS) {
            delete answer;
        } else if (auto said = own->status.get_future();
                   said.wait_for(longest_wait) == std::future_status::ready) {
            status = said.get();
        } else {
            status = PMIX_ERR_TIMEOUT;
        }
        PMIX_INFO_DESTRUCT(&info);
        // PRRTE 3.0.8 says so of some errors, too.
        if (status == PMIX_SUCCESS && own->values.size() != names.size()) status = PMIX_ERROR;
        if (status != PMIX_SUCCESS) return status;
        for (std::uint32_t process = first; process < end; ++process) {
            known_.try_emplace(process, std::move(own->values.at(names[process - first])));
        }
        return status;
    }

    struct Answer {
        std::promise<pmix_status_t> status;
        std::unordered_map<std::string, std::vector<std::byte>> values;
    };

    /// Called by PMIx's own thread.
    static void take(pmix_status_t status, pmix_pdata_t data[], std::size_t count, void* to) {
        const std::unique_ptr<std::shared_ptr<Answer>> keeper(static_cast<std::shared_ptr<Answer>*>(to));
        const std::shared_ptr<Answer> answer = *keeper;
        try {
            for (std::size_t i = 0; i < count; ++i) {
                if (auto bytes = bytes_of(data[i].value)) answer->values[data[i].key] = std::move(*bytes);
            }
        } catch (...) {
            status = PMIX_ERR_NOMEM;
        }
        answer->status.set_value(status);
    }

    std::unordered_map<std::uint32_t, std::vector<std::byte>> known_;
    bool usable_ = false;
};

}  // namespace

// MPI sessions may open it again, and what the library knew is gone with it; directories keep what was
// published before, and PRRTE's does not replace it. The environment stays.
void count_opening() { setenv(openings_name, (own_process() + std::to_string(openings() + 1)).c_str(), 1); }

bool directory_serves_all() { return own_job_size() <= most_processes && !no_directory(); }

bool publish(const char* key, std::span<const std::byte> bytes) {
    const pmix_status_t status = publish_for_job(directory_key(key, openings(), own_name().vpid), bytes);
    if (status == PMIX_ERR_NOT_SUPPORTED) no_directory() = true;  // so say launchers, to all their processes
    return status == PMIX_SUCCESS;
}

Lookup lookup(const opal_process_name_t& process, const char* key, std::vector<std::byte>& bytes) {
    if (!directory_serves_all()) return Lookup::missing;
    static std::mutex mutex;
    static std::unordered_map<std::string, Directory> directories;
    const std::lock_guard<std::mutex> lock(mutex);
    auto [place, isnew] = directories.try_emplace(key);
    if (isnew) place->second.read(key);
    return place->second.find(process.vpid, bytes);
}

/// Keys that no part of Open MPI asked for are kept as internal ones.
std::vector<InfoEntry> info_entries(ompi_communicator_t* comm) {
    std::vector<InfoEntry> entries;
    if (comm->super.s_info == nullptr) return entries;
    opal_info_entry_t* entry = nullptr;
    OPAL_LIST_FOREACH(entry, &comm->super.s_info->super, opal_info_entry_t) {
        entries.push_back({entry->ie_key->string, entry->ie_value != nullptr ? entry->ie_value->string : ""});
    }
    return entries;
}

std::uint64_t creation_number(ompi_communicator_t* comm) {
    return comm->c_contextid.cid_base * 0x9E3779B97F4A7C15U ^ comm->c_contextid.cid_sub.u64;
}

std::uint32_t release_number(const ompi_communicator_t* comm) { return comm->c_index; }

}  // namespace strata::component::compat
