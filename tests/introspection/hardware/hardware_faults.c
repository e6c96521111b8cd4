/* hardware_faults CASE [COUNT]: tests how MPIX_Hardware.h reports faults below it. Functions of MPI and
 * of the system are defined here, before the real ones, and fail or count. Cases are below, by name. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "expect.h"

static int made = 0;         /* communicators by MPI_Comm_split that are not freed */
static int splits_left = -1; /* number of calls that succeed; -1: all */
static int host = -1;        /* that many letters of the name are 'b' instead of 'a'; -1: the real one */
static int host_fails = 0;

int MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm *result) {
    const int code = PMPI_Comm_split(comm, colour, key, result);
    if (splits_left == 0) { /* on all: as MPI does it */
        if (*result != MPI_COMM_NULL) PMPI_Comm_free(result);
        PMPI_Comm_call_errhandler(comm, MPI_ERR_OTHER);
        return MPI_ERR_OTHER;
    }
    if (splits_left > 0) --splits_left;
    if (*result != MPI_COMM_NULL) ++made;
    return code;
}

int MPI_Comm_free(MPI_Comm *comm) {
    --made;
    return PMPI_Comm_free(comm);
}

/* As glibc: nothing for names that do not fit with their end. */
int gethostname(char *name, size_t size) {
    char whole[65];
    if (host < 0 && confstr(_CS_PATH, NULL, 0) > 0) { /* before the test itself */
        strncpy(name, "host", size);
        return 0;
    }
    if (host_fails || size < sizeof whole) {
        errno = host_fails ? EFAULT : ENAMETOOLONG;
        return -1;
    }
    memset(whole, 'a', sizeof whole - 1);
    memset(whole, 'b', (size_t)host);
    whole[sizeof whole - 1] = '\0';
    memcpy(name, whole, sizeof whole);
    return 0;
}

/* Names of the longest allowed length distinguish nodes. */
static void check_long_names(void) {
    MPI_Comm node;
    int size = 0, siblings = 0;
    char *type = "";
    host = rank % 2; /* so that each node has two packages */
    expect(MPIX_Comm_hsplit(MPI_COMM_WORLD, MPI_INFO_NULL, &node) == MPI_SUCCESS, "hsplit fails");
    if (node != MPI_COMM_NULL) {
        MPI_Comm_size(node, &size);
        MPIX_Comm_get_hlevel_info(node, &siblings, NULL, &type);
    }
    expect(size == 2 && siblings == 2 && strcmp(type, "Machine") == 0, "nodes are not distinguished");
}

static void check_no_name(void) {
    MPI_Comm node;
    host = 0;
    host_fails = rank == 1;
    expect(class_of(MPIX_Comm_hsplit(MPI_COMM_WORLD, MPI_INFO_NULL, &node)) == MPI_ERR_OTHER,
           "rank 1 has no name, and no error");
    expect(node == MPI_COMM_NULL, "a communicator in spite of an error");
}

/* Unwanted objects, and those created before an error, are freed; COUNT: how often. */
static void check_freed(int count) {
    MPI_Comm *some;
    int levels = 0, i;
    for (i = 0; i < count && failures == 0; ++i) {
        expect(MPIX_Comm_hierarchy(MPI_COMM_WORLD, MPI_INFO_NULL, &levels, NULL, &some) == MPI_SUCCESS, "no more roots");
        MPIX_Comm_hierarchy_free(levels, NULL, &some);
        expect(MPIX_Comm_hierarchy(MPI_COMM_WORLD, MPI_INFO_NULL, &levels, NULL, NULL) == MPI_SUCCESS, "no more levels");
        expect(made == 0, "unwanted communicators are left");
    }
    expect(levels > 0, "nothing was split");
}

static int handler_calls = 0;
static void count_call(MPI_Comm *comm, int *code, ...) {
    (void)comm;
    (void)code;
    ++handler_calls;
}

/* The third communicator cannot be made: all are freed, and the handler is called once. */
static void check_failing_split(void) {
    MPI_Errhandler handler;
    MPI_Comm *children = NULL, *roots = NULL;
    int levels = 7, from;
    MPI_Comm_create_errhandler(count_call, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    for (from = 0; from < 3; ++from) {
        handler_calls = 0;
        splits_left = from;
        expect(class_of(MPIX_Comm_hierarchy(MPI_COMM_WORLD, MPI_INFO_NULL, &levels, &children, &roots)) == MPI_ERR_OTHER,
               "an error is not returned");
        expect(handler_calls == 1, "the handler is not called once");
        expect(levels == 0 && children == NULL && roots == NULL, "communicators in spite of an error");
        expect(made == 0, "communicators are left after an error");
    }
    splits_left = -1;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&handler);
}

/* MPI_COMM_WORLD's error handler is not there before MPI_Init, nor in programs that use sessions only. */
static int without_world(void) {
    MPI_Comm none = MPI_COMM_WORLD;
#if MPI_VERSION >= 4
    MPI_Session session;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
#endif
    expect(MPIX_Comm_hsplit(MPI_COMM_NULL, MPI_INFO_NULL, &none) != MPI_SUCCESS, "MPI_COMM_NULL is taken");
    expect(none == MPI_COMM_NULL, "a communicator of nothing");
#if MPI_VERSION >= 4
    MPI_Session_finalize(&session);
#endif
    printf("hardware_faults: %d failures\n", failures);
    return failures != 0;
}

int main(int argc, char **argv) {
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "without_world") == 0) return without_world();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (strcmp(name, "long_names") == 0) check_long_names();
    if (strcmp(name, "no_name") == 0) check_no_name();
    if (strcmp(name, "freed") == 0) check_freed(argc > 2 ? atoi(argv[2]) : 1);
    if (strcmp(name, "failing_split") == 0) check_failing_split();
    return conclude("hardware_faults");
}
