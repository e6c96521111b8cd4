// What the plugin adds to a call that it leaves to the previous component. Needs two ranks under mpirun with
// the plugin loaded (the agreement reads what it published); rank 0 measures, nothing is sent.
#include "module.h"  // Open MPI's internal headers want to come before mpi.h

#include <benchmark/benchmark.h>
#include <mpi.h>
#include <unistd.h>

namespace {

using namespace strata::component;

/// Stands where the previous component's function would.
int nothing(void*, int, ompi_datatype_t*, int, ompi_communicator_t*, mca_coll_base_module_t* module) {
    benchmark::DoNotOptimize(module);
    return OMPI_SUCCESS;
}

/// A communicator's table with `nothing` in the slot and our module above it.
struct Bench {
    Bench(ompi_communicator_t* original, Settings own) : settings(std::move(own)), comm(original) {
        saved_function = comm->c_coll->coll_bcast;
        comm->c_coll->coll_bcast = nothing;
        int priority = 0;
        module = query_module(comm, &priority, settings, Surroundings{}, Failure::none);
        module->coll_module_enable(module, comm);
    }
    ~Bench() {
        OBJ_RELEASE(module);
        comm->c_coll->coll_bcast = saved_function;
    }
    Settings settings;
    ompi_communicator_t* comm;
    decltype(mca_coll_base_comm_coll_t::coll_bcast) saved_function;
    mca_coll_base_module_t* module = nullptr;
};

void call(benchmark::State& state, bool through_us, Settings settings) {
    ompi_communicator_t* comm = MPI_COMM_WORLD;
    Bench bench(comm, std::move(settings));
    int value = 0;
    auto* const function = through_us ? bench.module->coll_bcast : nothing;
    auto* const volatile pinned = function;
    for (auto _ : state) {
        const int rc = pinned(&value, 1, &ompi_mpi_int.dt, 0, comm, bench.module);
        if (rc != OMPI_SUCCESS) {
            state.SkipWithError("the call failed");
            break;
        }
    }
    const auto& reasons = counters().of(Collective::bcast).forwarded_because;
    for (int reason = 0; through_us && reason < forward_reason_count; ++reason) {
        state.counters[name_of(static_cast<ForwardReason>(reason))] =
            static_cast<double>(reasons[reason].get());
    }
}

Settings forced_forward() {
    Settings settings;
    settings.overrides[static_cast<int>(Collective::bcast)].engine = strata::algorithms::Engine::forward;
    return settings;
}

// "as_planned" is a communicator without hierarchy, or, with ranks on different packages of a machine, a plan
// that is looked up and says forward; "switched_off" is the parameter.
BENCHMARK_CAPTURE(call, direct, false, Settings{});
BENCHMARK_CAPTURE(call, as_planned, true, Settings{});
BENCHMARK_CAPTURE(call, switched_off, true, forced_forward());

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0 && size < 2) {
        std::fprintf(stderr, "forward_overhead: start it with mpirun on two ranks\n");
    } else if (rank == 0) {
        benchmark::Initialize(&argc, argv);
        benchmark::RunSpecifiedBenchmarks();
    }
    MPI_Request done;
    MPI_Ibarrier(MPI_COMM_WORLD, &done);
    for (int finished = 0; finished == 0;) {
        MPI_Test(&done, &finished, MPI_STATUS_IGNORE);
        if (finished == 0) usleep(10000);  // leaves the processor to rank 0
    }
    MPI_Finalize();
    return size < 2 ? 1 : 0;
}
