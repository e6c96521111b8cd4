// Tests which sends are synchronous: long streams that meet in opposite directions and exceed a window wait
// for their receives between nodes and only there, for any groups of ranks between the nodes and the top.
//
//   send_modes --per-node N [--each N]   of an Allgather and an Allreduce of N ints a rank (25000); node =
//   rank / N
//              [--short 1]               the streams are not so long: none are
#include "component/openmpi/ompi_compat.h"  // before mpi.h

#include <cstddef>
#include <vector>

#include "check.h"

using namespace strata::testing;

namespace {

struct Sends {
    int synchronous = 0;
    int standard = 0;
};

std::vector<Sends> sends;  // by receiver
mca_pml_base_module_isend_fn_t isend_of_pml = nullptr;

int counting_isend(const void* data, std::size_t count, ompi_datatype_t* datatype, int receiver, int tag,
                   mca_pml_base_send_mode_t mode, ompi_communicator_t* comm, ompi_request_t** request) {
    Sends& to = sends[static_cast<std::size_t>(receiver)];
    ++(mode == MCA_PML_BASE_SEND_SYNCHRONOUS ? to.synchronous : to.standard);
    return isend_of_pml(data, count, datatype, receiver, tag, mode, comm, request);
}

void call(std::vector<int>& numbers) {
    const int each = static_cast<int>(numbers.size() / sends.size());
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, numbers.data(), each, MPI_INT, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_INT, MPI_MAX,
                  MPI_COMM_WORLD);
}

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv);
    const auto per_node = static_cast<int>(session.number("--per-node", 1));
    const auto each = static_cast<std::size_t>(session.number("--each", 25000));
    const bool is_short = session.number("--short", 0) != 0;
    session.reject_other_arguments();
    sends.resize(static_cast<std::size_t>(session.size()));
    std::vector<int> numbers(sends.size() * each);
    call(numbers);  // sets up
    isend_of_pml = mca_pml.pml_isend;
    mca_pml.pml_isend = counting_isend;
    call(numbers);
    mca_pml.pml_isend = isend_of_pml;
    std::uint64_t between = 0;
    for (int peer = 0; peer < session.size(); ++peer) {
        const Sends& to = sends[static_cast<std::size_t>(peer)];
        const bool leaves = peer / per_node != session.rank() / per_node;
        const bool waits = leaves && !is_short;
        between += leaves ? static_cast<std::uint64_t>(to.synchronous + to.standard) : 0;
        if ((waits ? to.standard : to.synchronous) > 0) {
            session.fail("to rank %d, %s node: %d synchronous and %d other sends", peer,
                         leaves ? "on another" : "on this", to.synchronous, to.standard);
        }
    }
    session.expect(session.total(between) > 0, "nothing was sent between nodes");
    return session.finish();
}
