#include "info_agreement.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <set>
#include <string_view>

#include "messages.h"

namespace strata::component {
namespace {

constexpr std::size_t longest_said = 1024;  // bytes of a message about it

void complain(ompi_communicator_t* comm, const std::vector<std::string>& errors) {
    static std::mutex mutex;
    static std::set<std::string> said;
    const std::lock_guard<std::mutex> lock(mutex);
    // Programs make communicators in loops.
    std::vector<std::string> fresh;
    for (const std::string& error : errors) {
        if (said.insert(error).second) {
            fresh.push_back(error);
        }
    }
    if (!fresh.empty()) {
        show_bad_info_keys(comm->c_name[0] != '\0' ? comm->c_name : "a communicator", fresh);
    }
}

/// Tells how the first rank that differs from rank 0 differs. Collective, like compare_info().
int report_difference(ompi_communicator_t* comm, const OwnSettings* own) {
    const int rank = ompi_comm_rank(comm);
    std::string_view said = "(none)";
    if (own != nullptr && !own->said.empty()) {
        said = own->said;
    }
    struct FromFirst {
        std::uint64_t hash;
        std::array<char, longest_said> said;
    } first{};
    first.hash = own != nullptr ? own->hash : 0;
    const std::uint64_t hash = first.hash;
    said.copy(first.said.data(), first.said.size() - 1);
    int rc = comm->c_coll->coll_bcast(&first, static_cast<int>(sizeof first), &ompi_mpi_byte.dt, 0, comm,
                                      comm->c_coll->coll_bcast_module);
    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    int candidate = hash != first.hash ? rank : ompi_comm_size(comm);
    int speaker = candidate;
    rc = comm->c_coll->coll_allreduce(&candidate, &speaker, 1, &ompi_mpi_int.dt, &ompi_mpi_op_min.op, comm,
                                      comm->c_coll->coll_allreduce_module);
    static std::atomic<bool> done{false};
    if (rc == OMPI_SUCCESS && speaker == rank && !done.exchange(true)) {
        try {
            show_other_info_keys(comm->c_name, rank, compat::own_node(), std::string(said),
                                 first.said.data());
        } catch (const std::exception& error) {
            opal_output(0, "coll:strata: a message could not be shown: %s", error.what());
        }
    }
    return rc;
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
    std::vector<std::string> errors;
    auto own = std::make_unique<OwnSettings>(
        own_settings(keys, job, surroundings, compat::coll_components(), errors));
    if (!errors.empty() && ompi_comm_rank(comm) == 0) {
        complain(comm, errors);
    }
    return own;
}

int compare_info(ompi_communicator_t* comm, const OwnSettings* own, bool& alike) {
    const std::uint64_t hash = own != nullptr ? own->hash : 0;
    // The least of a value and of its complement: all are equal when these two are complements.
    const std::array<std::uint64_t, 2> mine{hash, ~hash};
    std::array<std::uint64_t, 2> least{};
    const int rc =
        comm->c_coll->coll_allreduce(mine.data(), least.data(), 2, &ompi_mpi_uint64_t.dt, &ompi_mpi_op_min.op,
                                     comm, comm->c_coll->coll_allreduce_module);
    alike = least[0] == ~least[1];
    return rc != OMPI_SUCCESS || alike ? rc : report_difference(comm, own);
}

}  // namespace strata::component
