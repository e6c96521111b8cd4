/* Tests MPIX_Hardware.h for calls whose arguments differ between processes, and for calls that only some
 * make. The job: 8 ranks on two synthetic nodes of two packages of two cores. A rank that waits forever
 * fails by the time limit. */
#include "expect.h"

static MPI_Info info_with(const char* key, const char* value) {
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, key, value);
    return info;
}

static int size_of(MPI_Comm comm) {
    int size = 0;
    if (comm != MPI_COMM_NULL) MPI_Comm_size(comm, &size);
    return size;
}

static void release(MPI_Comm* comm) {
    if (*comm != MPI_COMM_NULL) MPI_Comm_free(comm);
}

/* Communicators that the library created know the places of their members: calls of some are local. */
static void check_known_places(void) {
    const int pair[] = {0, 1};
    const int self = 0;
    MPI_Comm node, child, roots, fresh;
    MPI_Info info = info_with("mpi_hw_resource_type", "node");
    MPIX_Comm_split_type(MPI_COMM_WORLD, MPIX_COMM_TYPE_HW_GUIDED, 0, info, &node);
    if (rank % 4 < 2) expect_shared(node, 2, pair, "Package");
    MPIX_Comm_hsplit_with_roots(MPI_COMM_WORLD, MPI_INFO_NULL, &child, &roots);
    if (rank == 0) {
        expect_shared(roots, 1, &self, "Core");
        expect_shared(roots, 2, pair, MPIX_HLEVEL_CLUSTER);
    }
    MPI_Info_free(&info);
    release(&node);
    release(&child);
    release(&roots);
    MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &fresh); /* created by none of the library's functions */
    MPIX_Comm_split_type(fresh, MPI_COMM_TYPE_SHARED, -rank, MPI_INFO_NULL, &node);
    if (rank > 5) expect_shared(node, 2, pair, "Package"); /* ranks 7 and 6 */
    release(&node);
    release(&fresh);
}

/* Rank 0 takes no part. */
static void check_undefined(void) {
    MPI_Comm made;
    MPI_Info info = info_with("mpi_hw_resource_type", "node");
    const int of_node = rank == 0 ? 0 : rank < 4 ? 3 : 4;
    int count = 0;
    MPIX_Comm_split_type(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : MPIX_COMM_TYPE_HW_GUIDED, 0, info,
                         &made);
    expect(size_of(made) == of_node, "a guided split with a process that takes no part");
    release(&made);
    MPIX_Comm_split_type(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : MPIX_COMM_TYPE_HW_UNGUIDED, 0,
                         MPI_INFO_NULL, &made);
    expect(size_of(made) == of_node, "an unguided split with a process that takes no part");
    if (rank != 0) MPIX_Comm_get_hlevel_info(made, &count, NULL, NULL);
    expect(rank == 0 || count == 2, "its siblings");
    release(&made);
    MPIX_Comm_split_type(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL,
                         &made);
    expect(size_of(made) == (rank == 0 ? 0 : 7), "MPI's own split with a process that takes no part");
    release(&made);
    MPI_Info_set(info, "mpi_hw_resource_type", "mpi_shared_memory");
    MPIX_Comm_split_type(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : MPIX_COMM_TYPE_HW_GUIDED, 0, info,
                         &made);
    expect(size_of(made) == (rank == 0 ? 0 : 7), "shared memory with a process that takes no part");
    release(&made);
    MPIX_Comm_split_type(MPI_COMM_WORLD, MPI_UNDEFINED, 0, MPI_INFO_NULL, &made);
    expect(made == MPI_COMM_NULL, "no rank takes part");
    MPI_Info_free(&info);
}

/* Ranks of an unguided split are in the order of their keys, and the places of all are known. */
static void check_keys(void) {
    const int first[] = {0, 1};
    const int middle[] = {1, 2};
    MPI_Comm made;
    int own = -1;
    MPIX_Comm_split_type(MPI_COMM_WORLD, MPIX_COMM_TYPE_HW_UNGUIDED, rank == 0 ? 5 : 0, MPI_INFO_NULL, &made);
    MPI_Comm_rank(made, &own);
    expect(own == (rank < 4 ? (rank + 3) % 4 : rank - 4), "ranks are not by key");
    if (rank == 1) expect_shared(made, 2, first, "Machine");  /* with rank 2 */
    if (rank == 2) expect_shared(made, 2, middle, "Package"); /* with rank 3 */
    release(&made);
}

/* Only some request roots, or children. */
static void check_unwanted(void) {
    int levels = 0, i, single = rank == 1 || rank == 4;
    MPI_Comm *children = NULL, *roots = NULL;
    expect(MPIX_Comm_hierarchy(MPI_COMM_WORLD, MPI_INFO_NULL, &levels, &children, single ? NULL : &roots) ==
               MPI_SUCCESS,
           "not all request roots, and it fails");
    expect(levels == 3, "not all request roots: wrong levels");
    for (i = 0; i < levels; ++i) expect(size_of(children[i]) == 4 >> i, "not all request roots: wrong sizes");
    if (rank == 0)
        expect(size_of(roots[0]) == 2 && size_of(roots[2]) == 2, "not all request roots: wrong roots");
    MPIX_Comm_hierarchy_free(levels, &children, single ? NULL : &roots);
    expect(
        MPIX_Comm_hierarchy(MPI_COMM_WORLD, MPI_INFO_NULL, &levels, NULL, NULL) == MPI_SUCCESS && levels == 3,
        "no rank requests communicators");
}

static void check_hsplit_errors(void) {
    MPI_Comm made = MPI_COMM_WORLD, roots = MPI_COMM_WORLD;
    MPI_Info info = info_with("strata_roots", rank == 5 ? "anywhere" : "lowest");
    expect(class_of(MPIX_Comm_hsplit(MPI_COMM_WORLD, MPI_INFO_NULL, rank == 3 ? NULL : &made)) == MPI_ERR_ARG,
           "rank 3 has no place for the result");
    expect(rank == 3 || made == MPI_COMM_NULL, "a communicator in spite of an error");
    expect(class_of(MPIX_Comm_hsplit_with_roots(MPI_COMM_WORLD, info, &made, &roots)) == MPI_ERR_INFO_VALUE,
           "rank 5 has a wrong value");
    MPI_Info_set(info, "strata_roots", rank == 5 ? "nic_local" : "lowest");
    expect(class_of(MPIX_Comm_hsplit_with_roots(MPI_COMM_WORLD, info, &made, &roots)) == MPI_ERR_INFO_VALUE,
           "rank 5 has another value");
    MPI_Info_set(info, "strata_roots", "lowest");
    MPI_Info_set(info, "strata_levels", rank == 5 ? "node" : "network");
    expect(class_of(MPIX_Comm_hsplit_with_roots(MPI_COMM_WORLD, info, &made, &roots)) == MPI_ERR_INFO_VALUE,
           "rank 5 has other levels");
    MPI_Info_free(&info);
}

static void check_split_type_errors(void) {
    MPI_Comm made;
    MPI_Info info = info_with("mpi_hw_resource_type", rank == 6 ? "core" : "package");
    expect(class_of(MPIX_Comm_split_type(MPI_COMM_WORLD, MPIX_COMM_TYPE_HW_GUIDED, 0, info, &made)) ==
               MPI_ERR_INFO_VALUE,
           "rank 6 requests cores");
    expect(class_of(MPIX_Comm_split_type(MPI_COMM_WORLD,
                                         rank == 6 ? MPI_COMM_TYPE_SHARED : MPIX_COMM_TYPE_HW_UNGUIDED, 0,
                                         info, &made)) == MPI_ERR_ARG,
           "rank 6 requests another type");
    expect(made == MPI_COMM_NULL, "a communicator in spite of different types");
    MPI_Info_free(&info);
}

/* The first call on a communicator is collective even with other errors. */
static void check_first_calls(void) {
    const int everyone[] = {0, 1, 2, 3, 4, 5, 6, 7};
    MPI_Comm fresh;
    char* type = NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &fresh);
    MPI_Comm_set_errhandler(fresh, MPI_ERRORS_RETURN);
    if (rank == 2) {
        expect(class_of(MPIX_Comm_get_min_hlevel(fresh, -1, everyone, &type)) == MPI_ERR_ARG,
               "-1 ranks are taken");
        expect(type != NULL && strcmp(type, MPIX_HLEVEL_UNKNOWN) == 0, "a level in spite of an error");
    } else {
        expect_shared(fresh, 8, everyone, MPIX_HLEVEL_CLUSTER);
    }
    MPI_Comm_free(&fresh);
}

static MPI_Comm handled;
static int anywhere = 0;
static int handler_calls = 0;
static void count_call(MPI_Comm* comm, int* code, ...) {
    (void)code;
    ++handler_calls;
    expect(*comm == handled || anywhere, "the handler gets another communicator");
}

/* MPI reports errors of an info object to the handler of MPI_COMM_WORLD, or, from MPI 4 on, of
 * MPI_COMM_SELF: the library reports nothing there. */
static void check_rejected_info(void) {
    MPI_Comm made, made_roots, *children = NULL, *roots = NULL;
    MPI_Info bad = rank == 2 ? 0 : MPI_INFO_NULL;
    int levels = 0, i;
    const int type = MPIX_COMM_TYPE_HW_GUIDED;
    for (i = 0; i < 3; ++i) {
        handler_calls = 0;
        expect(class_of(i == 0   ? MPIX_Comm_hsplit_with_roots(handled, bad, &made, &made_roots)
                        : i == 1 ? MPIX_Comm_hierarchy(handled, bad, &levels, &children, &roots)
                                 : MPIX_Comm_split_type(handled, type, 0, bad, &made)) == MPI_ERR_INFO,
               "rank 2 has no info object, and no error");
        expect(handler_calls == 1, "a handler is not called once where MPI rejects an info object");
    }
}

static void check_handler(void) {
    MPI_Errhandler handler;
    MPI_Comm made;
    MPI_Comm_dup(MPI_COMM_WORLD, &handled);
    MPI_Comm_create_errhandler(count_call, &handler);
    MPI_Comm_set_errhandler(handled, handler);
    MPIX_Comm_hsplit(handled, MPI_INFO_NULL, rank == 3 ? NULL : &made);
    expect(handler_calls == 1, "the handler is not called once");
    MPIX_Comm_split_type(handled, rank == 1 ? MPI_COMM_TYPE_SHARED : MPIX_COMM_TYPE_HW_UNGUIDED, 0,
                         MPI_INFO_NULL, &made);
    expect(handler_calls == 2, "the handler is not called once for different types");
    anywhere = 1;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    check_rejected_info();
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&handler);
    MPI_Comm_free(&handled);
}

/* The job: 3 nodes, the first one below more switches than the others. From any rank, the top is
 * Switch2. */
static void check_switch_names(void) {
    const int everyone[] = {0, 1, 2};
    const int flat[] = {1, 2};
    const int both[] = {0, 1};
    MPI_Comm made;
    MPI_Info info = info_with("mpi_hw_resource_type", "Switch2");
    expect_shared(MPI_COMM_WORLD, 3, everyone, "Switch2");
    if (rank > 0) expect_shared(MPI_COMM_WORLD, 2, flat, "Switch2");
    MPIX_Comm_split_type(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : MPIX_COMM_TYPE_HW_GUIDED, 0, info,
                         &made);
    expect(size_of(made) == (rank == 0 ? 0 : 2), "not all below a requested switch");
    if (rank > 0 && made != MPI_COMM_NULL) expect_shared(made, 2, both, "Switch2");
    release(&made);
    MPI_Info_free(&info);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (argc > 1 && strcmp(argv[1], "switches") == 0) {
        check_switch_names();
        return conclude("hardware_together");
    }
    check_known_places();
    check_undefined();
    check_keys();
    check_unwanted();
    check_hsplit_errors();
    check_split_type_errors();
    check_first_calls();
    check_handler();
    return conclude("hardware_together");
}
