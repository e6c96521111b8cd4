#include "conjugate_gradient.h"

#include <MPI_Monitoring.h>

#include <algorithm>
#include <bit>
#include <simgrid/s4u.hpp>
#include <smpi/smpi.h>
#include <stdexcept>

#include "hardware/own_place.h"
#include "simulated_job.h"
#include "simulated_program.h"

namespace {

using strata::simulation::ConjugateGradientStudy;
using strata::simulation::Ranks;

/// What a rank has sent in its session, by receiver in the job's communicator.
struct Watch {
    bool active = false;
    std::vector<unsigned long> counts;
    std::vector<unsigned long> sizes;
};

/// The job, for functions that the program calls.
struct Job {
    const ConjugateGradientStudy& study;
    const Ranks& ranks;
    std::vector<Watch> watches;  // by rank
    int finished = 0;
    int status = 0;
};
Job* job = nullptr;

std::size_t own_rank() { return std::stoul(simgrid::s4u::Actor::self()->get_property("rank")); }
Watch& own_watch() { return job->watches[own_rank()]; }

void run_rank() {
    std::vector<std::string> words{"conjugate_gradient"};
    words.insert(words.end(), job->study.arguments.begin(), job->study.arguments.end());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    const int count = static_cast<int>(arguments.size());
    arguments.push_back(nullptr);
    job->status = std::max(job->status, conjugate_gradient(count, arguments.data()));
    ++job->finished;
}

}  // namespace

namespace strata::introspection {

/// In place of own_place.cc: the simulated machine.
OwnPlace own_place() { return {job->ranks.records()[own_rank()], {}}; }

}  // namespace strata::introspection

extern "C" {

void simulated_work(double elements) { smpi_execute(elements * job->study.element_ns * 1e-9); }

int simulated_reorder(MPI_Comm comm, const unsigned long sizes[], const unsigned long counts[], MPI_Info info,
                      MPI_Comm* reordered, int k[]) {
    if (own_rank() == 0) smpi_execute(job->study.plan_us * 1e-6);
    return MPIX_Comm_reorder(comm, sizes, counts, info, reordered, k);
}

int simulated_sendrecv(const void* sent, int count, MPI_Datatype type, int to, int tag, void* received,
                       int capacity, MPI_Datatype received_type, int from, int received_tag, MPI_Comm comm,
                       MPI_Status* status) {
    if (Watch& watch = own_watch(); watch.active) {
        int bytes = 0;
        MPI_Type_size(type, &bytes);
        ++watch.counts[static_cast<std::size_t>(to)];
        watch.sizes[static_cast<std::size_t>(to)] +=
            static_cast<unsigned long>(count) * static_cast<unsigned long>(bytes);
    }
    return PMPI_Sendrecv(sent, count, type, to, tag, received, capacity, received_type, from, received_tag,
                         comm, status);
}

// Sessions, as far as the program uses them: one at a time, over the job's communicator.
int MPI_M_init() { return MPI_SUCCESS; }
int MPI_M_finalize() { return MPI_SUCCESS; }
int MPI_M_start(MPI_Comm, MPI_M_msid*) {
    const auto size = static_cast<std::size_t>(job->ranks.size());
    own_watch() = {true, std::vector<unsigned long>(size), std::vector<unsigned long>(size)};
    return MPI_SUCCESS;
}
int MPI_M_suspend(MPI_M_msid) {
    own_watch().active = false;
    return MPI_SUCCESS;
}
int MPI_M_get_data(MPI_M_msid, unsigned long* counts, unsigned long* sizes, int) {
    const Watch& watch = own_watch();
    std::copy(watch.counts.begin(), watch.counts.end(), counts);
    std::copy(watch.sizes.begin(), watch.sizes.end(), sizes);
    return MPI_SUCCESS;
}
int MPI_M_free(MPI_M_msid) { return MPI_SUCCESS; }

}  // extern "C"

namespace strata::simulation {

int simulate_conjugate_gradient(const ConjugateGradientStudy& study) {
    const Machine machine = read_machine(study.machine_file);
    const Ranks ranks(machine, study.job);
    if (!std::has_single_bit(static_cast<unsigned>(ranks.size())))
        throw std::invalid_argument("--hosts, --ppn: " + std::to_string(ranks.size()) +
                                    " ranks; the program needs a power of two");
    if (!(study.element_ns >= 0 && study.plan_us >= 0))
        throw std::invalid_argument("--element-ns, --plan-us: expected numbers from 0 on");
    Job all{study, ranks, std::vector<Watch>(static_cast<std::size_t>(ranks.size()))};
    job = &all;
    run_job(
        machine, ranks, "ompi", [] {}, [](int, MPI_Comm) { run_rank(); });
    if (all.finished < ranks.size()) throw std::runtime_error("the program gave up");
    return all.status;
}

}  // namespace strata::simulation
