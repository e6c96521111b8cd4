// Measures the overhead that the plugin adds to a call that it passes through, and the part of its
// counters. Start it with the plugin on two ranks under mpirun (the agreement reads what each
// published); rank 0 measures, and no message is sent. On a busy machine compare the least CPU times of
// many repetitions: --benchmark_repetitions=20 --benchmark_enable_random_interleaving=true
#include "component/module/call.h"  // Open MPI's internal headers have to precede mpi.h

#include <benchmark/benchmark.h>
#include <mpi.h>
#include <unistd.h>

namespace {

using namespace strata::component;

/// Replaces the underlying component's function.
int nothing(void*, int, ompi_datatype_t*, int, ompi_communicator_t*, mca_coll_base_module_t* module) {
    benchmark::DoNotOptimize(module);
    return OMPI_SUCCESS;
}

/// Communicator whose slot holds `nothing` with our module, already set up, above it. Both ranks create
/// it.
struct Bench {
    Bench(ompi_communicator_t* original, Settings own) : settings(std::move(own)), comm(original) {
        settings.setup_after = 0;
        saved_function = comm->c_coll->coll_bcast;
        comm->c_coll->coll_bcast = nothing;
        int priority = 0;
        module = query_module(comm, &priority, settings, Surroundings{}, Failure::none);
        module->coll_module_enable(module, comm);
        int value = 0;
        module->coll_bcast(&value, 1, &ompi_mpi_int.dt, 0, comm, module);
    }
    Bench(const Bench&) = delete;
    Bench& operator=(const Bench&) = delete;
    ~Bench() {
        OBJ_RELEASE(module);
        comm->c_coll->coll_bcast = saved_function;
    }
    Settings settings;
    ompi_communicator_t* comm;
    decltype(mca_coll_base_comm_coll_t::coll_bcast) saved_function;
    mca_coll_base_module_t* module = nullptr;
};

/// `through` is the module that is called; null calls the underlying component's function.
void call(benchmark::State& state, const Bench* through) {
    ompi_communicator_t* comm = MPI_COMM_WORLD;
    int value = 0;
    mca_coll_base_module_t* const module = through != nullptr ? through->module : nullptr;
    auto* const function = through != nullptr ? module->coll_bcast : nothing;
    auto* const volatile pinned = function;
    for (auto _ : state) {
        const int rc = pinned(&value, 1, &ompi_mpi_int.dt, 0, comm, module);
        if (rc != OMPI_SUCCESS) {
            state.SkipWithError("the call failed");
            break;
        }
    }
    const auto& reasons = counters().of(Collective::bcast).forwarded_because;
    for (int reason = 0; through != nullptr && reason < forward_reason_count; ++reason) {
        state.counters[name_of(static_cast<ForwardReason>(reason))] =
            static_cast<double>(reasons[reason].get());
    }
}

/// Measures the counters of a call that is passed through.
void count_call(benchmark::State& state, const Bench* bench) {
    CommunicatorState& own = *reinterpret_cast<Module*>(bench->module)->state;
    for (auto _ : state) {
        count_forward(Collective::bcast, own, ForwardReason::model);
        benchmark::ClobberMemory();
    }
}

/// Measures the counters of a message, which PmlTransport increments once it knows the level.
void count_message(benchmark::State& state, const Bench* bench) {
    CommunicatorCounters& own = reinterpret_cast<Module*>(bench->module)->state->own_counters();
    for (auto _ : state) {
        counters().messages[0].add();
        counters().bytes[0].add(8);
        own.messages[0].add();
        own.bytes[0].add(8);
        benchmark::ClobberMemory();
    }
}

Settings forced_forward() {
    Settings settings;
    settings.overrides[static_cast<int>(Collective::bcast)].engine = strata::algorithms::Engine::forward;
    return settings;
}

/// "as_planned" is a communicator without hierarchy or, with ranks on different packages of a machine, a
/// plan that is looked up and chooses forward; "switched_off" uses the parameter.
void measure(int argc, char** argv, const Bench& planned, const Bench& off) {
    const Bench* const none = nullptr;
    benchmark::RegisterBenchmark("direct", call, none);
    benchmark::RegisterBenchmark("as_planned", call, &planned);
    benchmark::RegisterBenchmark("switched_off", call, &off);
    benchmark::RegisterBenchmark("count_call", count_call, &planned);
    benchmark::RegisterBenchmark("count_message", count_message, &planned);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0, size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0 && size < 2) {
        std::fprintf(stderr, "forward_overhead: start it with mpirun on two ranks\n");
    } else if (size >= 2) {
        const Bench planned(MPI_COMM_WORLD, Settings{});
        const Bench off(MPI_COMM_WORLD, forced_forward());
        if (rank == 0) measure(argc, argv, planned, off);
        MPI_Request done;
        MPI_Ibarrier(MPI_COMM_WORLD, &done);
        for (int finished = 0; finished == 0;) {
            MPI_Test(&done, &finished, MPI_STATUS_IGNORE);
            if (finished == 0) usleep(10000);  // leaves the core to rank 0
        }
    }
    MPI_Finalize();
    return size < 2 ? 1 : 0;
}
