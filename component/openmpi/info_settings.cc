#include "component/openmpi/info_settings.h"

#include <mutex>
#include <set>

#include "component/base/process_wide.h"
#include "component/openmpi/messages.h"
#include "topology/default_arithmetic.h"

namespace strata::component {
namespace {

void complain(ompi_communicator_t* comm, const std::vector<std::string>& errors) {
    static std::mutex mutex;
    static ProcessWide<std::set<std::string>> reported_before;
    const std::lock_guard<std::mutex> lock(mutex);
    // Report each error once: programs create communicators in loops.
    std::vector<std::string> fresh;
    for (const std::string& error : errors) {
        if (reported_before.get().insert(error).second) {
            fresh.push_back(error);
        }
    }
    if (!fresh.empty()) {
        show_bad_info_keys(compat::name_of(comm), fresh);
    }
}

}  // namespace

std::unique_ptr<OwnSettings> settings_by_info(ompi_communicator_t* comm, const Settings& job,
                                              const Surroundings& surroundings) {
    if (!compat::may_have_info(comm)) {
        return nullptr;
    }
    std::vector<InfoKey> keys;
    for (auto& [key, value] : compat::info_entries(comm)) {
        if (!parameter_of(key).empty()) {
            keys.push_back({key, value});
        }
    }
    if (keys.empty()) {
        return nullptr;
    }
    const topology::DefaultArithmetic arithmetic;
    std::vector<std::string> errors;
    auto own = std::make_unique<OwnSettings>(
        own_settings(keys, job, surroundings, compat::coll_components(), errors));
    if (!errors.empty() && ompi_comm_rank(comm) == 0) {
        complain(comm, errors);
    }
    return own;
}

}  // namespace strata::component
