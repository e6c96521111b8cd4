#include "component/agreement/election_settings.h"

#include "topology/leaders.h"

namespace strata::component {

topology::Election election_settings_of(ompi_communicator_t* comm, const Settings& job,
                                        const CommunicatorSettings& settings) {
    topology::Election election;
    election.use = compat::uses_ip() ? topology::NicUse::ip : topology::NicUse::fabric;
    election.nic_local = job.nic_local;
    election.spread = !settings.reproducible;
    const unsigned tie_break = topology::tie_break_of(compat::creation_number(comm));
    std::uint64_t seed = topology::stable_hash(std::to_string(tie_break));
    for (int rank = 0; rank < ompi_comm_size(comm); ++rank) {
        const auto member = ompi_group_get_proc_name(comm->c_local_group, rank);
        seed = (seed ^ member.vpid) * 0x100000001b3ULL;
    }
    election.seed = seed;
    return election;
}

}  // namespace strata::component
