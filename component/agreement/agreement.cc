#include "component/agreement/agreement.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <stdexcept>

#include "component/agreement/introduction.h"
#include "component/base/peer_table.h"
#include "component/base/process_wide.h"

namespace strata::component {
namespace {

// Not mca_base_component_to_string(): that key carries the version, and processes of different versions must
// find each other's record.
constexpr const char* record_key = "coll.strata.record";

/// The records of this job's processes, shared by all communicators.
struct Known {
    std::mutex mutex;
    std::vector<std::byte> own;            ///< what this process has published
    std::optional<ForwardReason> against;  ///< outcome of introduce_job()
    std::atomic<bool> job = false;         ///< `against` is valid; a thread beside MPI_Init may read it
    PeerTable peers;
    std::uint32_t version = 0;  ///< of all processes
    std::uint64_t settings = 0;
};

Known& known() {
    static ProcessWide<Known> all;
    return all.get();
}

algorithms::Task introduce(SetUp& set_up, ompi_communicator_t* comm,
                           std::optional<ForwardReason>& difference) {
    if (known().own.empty()) {
        difference = ForwardReason::missing;
        co_return OMPI_SUCCESS;
    }
    Introduction introduction(set_up, comm, record_key, known().own);
    co_return co_await introduction.run(known().peers, known().mutex, difference);
}

}  // namespace

void publish_record(const topology::LocalityRecord& record) {
    if (const char* obstacle = compat::obstacle_to_lookup(); obstacle != nullptr) {
        if (compat::own_name().vpid == 0) {
            opal_output(
                0,
                "coll:strata: all calls are passed through to the underlying component: %s cannot find "
                "out in time whether all processes have the plugin",
                obstacle);
        }
        return;
    }
    auto bytes = topology::encode(record);
    if (!compat::publish(record_key, bytes)) {
        throw std::runtime_error("PMIx does not take what this process publishes");
    }
    known().own = std::move(bytes);
    known().version = record.plugin_version;
    known().settings = record.settings_hash;
}

void introduce_job() {
    if (compat::own_job_size() > 1) {
        SetUps all;
        SetUp set_up(all);
        ompi_communicator_t* const world = &ompi_mpi_comm_world.comm;
        set_up.wait_with_pauses(introduce(set_up, world, known().against), world);
        known().job = true;
    }
}

algorithms::Task find_difference(SetUp& set_up, ompi_communicator_t* comm,
                                 std::optional<ForwardReason>& difference) {
    const int ranks = ompi_comm_size(comm);
    const auto first = ompi_group_get_proc_name(comm->c_local_group, 0);
    // Data of another job may have reached only some members, so such a communicator is never compared.
    bool several = first.jobid != compat::own_name().jobid;
    for (int rank = 1; rank < ranks && !several; ++rank) {
        several = ompi_group_get_proc_name(comm->c_local_group, rank).jobid != first.jobid;
    }
    if (!several && !known().job) return introduce(set_up, comm, difference);
    difference = several ? ForwardReason::several_jobs : known().against;
    return algorithms::Task(OMPI_SUCCESS);
}

std::uint64_t known_node_of(ompi_communicator_t* comm, int rank) {
    const std::lock_guard lock(known().mutex);
    return known().peers.node_id(ompi_group_get_proc_name(comm->c_local_group, rank).vpid);
}

std::vector<topology::LocalityRecord> records_of(ompi_communicator_t* comm) {
    const std::lock_guard lock(known().mutex);
    std::vector<topology::LocalityRecord> records;
    records.reserve(static_cast<std::size_t>(ompi_comm_size(comm)));
    for (int rank = 0; rank < ompi_comm_size(comm); ++rank) {
        const auto process = ompi_group_get_proc_name(comm->c_local_group, rank).vpid;
        records.push_back(known().peers.record(process));
        records.back().plugin_version = known().version;
        records.back().settings_hash = known().settings;
    }
    return records;
}

}  // namespace strata::component
