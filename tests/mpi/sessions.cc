// Tests MPI sessions, one after the other, without MPI_Init: each session creates a communicator of all
// processes, broadcasts from every rank, sums, and ends. Rank 0 prints "sessions: N passed on R ranks".
//
//   sessions [--cycles N] [--within]
//
// --within: another session is open from the first to the last. Without it Open MPI shuts down after every
// session and starts again.
//
// Exit status 77 where this MPI has no sessions.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

#ifndef MPI_SESSION_NULL

int main() {
    std::puts("skipped: this MPI has no sessions");
    return 77;
}

#else

namespace {

constexpr int sizes[] = {1, 1000, 100'000};

void require(bool right, const char* what) {
    if (!right) {
        std::fprintf(stderr, "sessions: %s\n", what);
        std::exit(1);
    }
}

void use(MPI_Comm comm) {
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    for (const int size : sizes) {
        for (int root = 0; root < ranks; ++root) {
            std::vector<int> wanted(static_cast<std::size_t>(size));
            std::iota(wanted.begin(), wanted.end(), root);
            std::vector<int> got = rank == root ? wanted : std::vector<int>(wanted.size(), -1);
            MPI_Bcast(got.data(), size, MPI_INT, root, comm);
            require(got == wanted, "a broadcast brought wrong data");
        }
        const std::vector<int> own(static_cast<std::size_t>(size), rank + 1);
        std::vector<int> sum(own.size());
        MPI_Allreduce(own.data(), sum.data(), size, MPI_INT, MPI_SUM, comm);
        require(sum == std::vector<int>(own.size(), ranks * (ranks + 1) / 2), "a sum is wrong");
    }
}

struct Options {
    int cycles = 1;
    bool within = false;
};

Options options_of(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const bool has_value = i + 1 < argc;
        if (std::strcmp(argv[i], "--within") == 0) {
            options.within = true;
        } else if (std::strcmp(argv[i], "--cycles") == 0 && has_value) {
            options.cycles = std::atoi(argv[++i]);
        } else {
            std::fprintf(stderr, "sessions: unknown argument '%s'\n", argv[i]);
            std::exit(2);
        }
    }
    return options;
}

/// Returns the number of participating ranks, on rank 0.
int one_session() {
    MPI_Session session = MPI_SESSION_NULL;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_create_from_group(group, "strata", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    use(comm);
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    MPI_Group_free(&group);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return rank == 0 ? ranks : 0;
}

}  // namespace

int main(int argc, char** argv) {
    const Options options = options_of(argc, argv);
    MPI_Session outer = MPI_SESSION_NULL;
    if (options.within) MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &outer);
    int ranks = 0;
    for (int cycle = 0; cycle < options.cycles; ++cycle) ranks = one_session();
    if (options.within) MPI_Session_finalize(&outer);
    if (ranks > 0) std::printf("sessions: %d passed on %d ranks\n", options.cycles, ranks);
    return 0;
}

#endif
