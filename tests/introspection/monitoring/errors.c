/* Every error of MPI_Monitoring.h from every state, by a table (errors.table): C99.
 *
 *   errors TABLE PREFIX       files that it writes begin with PREFIX
 */
#include <MPI_Monitoring.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static MPI_M_msid id;
static int processes;
static int is_open;
static const char *prefix;
static unsigned long *counts;
static unsigned long *sizes;

static const struct {
    const char *name;
    int code;
} codes[] = {{"SUCCESS", MPI_SUCCESS},
             {"INTERNAL_FAIL", MPI_M_INTERNAL_FAIL},
             {"MPIT_FAIL", MPI_M_MPIT_FAIL},
             {"MISSING_INIT", MPI_M_MISSING_INIT},
             {"SESSION_STILL_ACTIVE", MPI_M_SESSION_STILL_ACTIVE},
             {"SESSION_NOT_SUSPENDED", MPI_M_SESSION_NOT_SUSPENDED},
             {"INVALID_MSID", MPI_M_INVALID_MSID},
             {"SESSION_OVERFLOW", MPI_M_SESSION_OVERFLOW},
             {"MULTIPLE_CALL", MPI_M_MULTIPLE_CALL},
             {"INVALID_ROOT", MPI_M_INVALID_ROOT}};

static int is(const char *a, const char *b) { return strcmp(a, b) == 0; }

static int code_of(const char *name) {
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; ++i) {
        if (is(codes[i].name, name)) {
            return codes[i].code;
        }
    }
    return -1;
}

static void must(int code) {
    if (code != MPI_SUCCESS) {
        printf("errors: a call that prepares a state returned %d\n", code);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void free_all(void) {
    if (is_open) {
        must(MPI_M_suspend(MPI_M_ALL_MSID));
        must(MPI_M_free(MPI_M_ALL_MSID));
    }
}

static void leave(void) {
    free_all();
    if (is_open) {
        must(MPI_M_finalize());
        is_open = 0;
    }
}

/* MPI_M_init takes a fifth of a second: sessions stay open where possible. */
static void reach(const char *state) {
    id = 4711;
    if (is(state, "none")) {
        leave();
        return;
    }
    if (!is_open) {
        must(MPI_M_init());
        is_open = 1;
    }
    if (is(state, "open")) {
        return;
    }
    must(MPI_M_start(MPI_COMM_WORLD, &id));
    if (is(state, "active")) {
        return;
    }
    must(MPI_M_suspend(id));
    if (is(state, "full")) {
        for (int i = 1; i < MPI_M_MAX_SESSIONS; ++i) {
            MPI_M_msid other;
            must(MPI_M_start(MPI_COMM_WORLD, &other));
            must(MPI_M_suspend(other));
        }
    } else if (is(state, "freed") || is(state, "finalized")) {
        must(MPI_M_free(id));
        if (is(state, "finalized")) {
            must(MPI_M_finalize());
            is_open = 0;
        }
    }
}

static int call_for_data(const char *call, const char *argument, MPI_M_msid session) {
    int root = is(argument, "root_low") ? -1 : is(argument, "root_high") ? processes : processes - 1;
    int flags = is(argument, "flags_none") ? 0 : is(argument, "flags_more") ? 8 : MPI_M_COLL_ONLY;
    unsigned long *c = is(argument, "ignore") ? MPI_M_DATA_IGNORE : counts;
    unsigned long *s = is(argument, "ignore") ? MPI_M_DATA_IGNORE : sizes;
    const char *name = is(argument, "null") ? NULL : is(argument, "no_name") ? "" : prefix;
    if (is(call, "get_data")) {
        return MPI_M_get_data(session, c, s, flags);
    }
    if (is(call, "allgather")) {
        return MPI_M_allgather_data(session, c, s, flags);
    }
    if (is(call, "rootgather")) {
        return MPI_M_rootgather_data(session, root, c, s, flags);
    }
    if (is(call, "flush")) {
        return MPI_M_flush(session, name, flags);
    }
    return is(call, "rootflush") ? MPI_M_rootflush(session, root, name, flags) : -1;
}

static int call_it(const char *call, const char *argument) {
    MPI_M_msid session = is(argument, "all")       ? MPI_M_ALL_MSID
                         : is(argument, "zero")    ? 0
                         : is(argument, "foreign") ? id ^ 4096
                                                   : id;
    int provided = -1;
    int size = -1;
    int ignore = is(argument, "ignore");
    int code;
    if (is(call, "init")) {
        code = MPI_M_init();
        is_open = is_open || code == MPI_SUCCESS;
    } else if (is(call, "finalize")) {
        code = MPI_M_finalize();
        is_open = is_open && code != MPI_SUCCESS;
    } else if (is(call, "start")) {
        code = MPI_M_start(is(argument, "nowhere") ? MPI_COMM_NULL : MPI_COMM_WORLD,
                           is(argument, "null") ? NULL : &session);
    } else if (is(call, "suspend")) {
        code = MPI_M_suspend(session);
    } else if (is(call, "continue")) {
        code = MPI_M_continue(session);
    } else if (is(call, "reset")) {
        code = MPI_M_reset(session);
    } else if (is(call, "free")) {
        code = MPI_M_free(session);
    } else if (is(call, "get_info")) {
        code = MPI_M_get_info(session, ignore ? MPI_M_INT_IGNORE : &provided, ignore ? MPI_M_INT_IGNORE : &size);
        if (code == MPI_SUCCESS && !ignore && (size != processes || provided < MPI_THREAD_SINGLE)) {
            code = -1;
        }
    } else {
        code = call_for_data(call, argument, session);
    }
    return code;
}

int main(int argc, char **argv) {
    char line[256];
    int failures = 0;
    int calls = 0;
    int rank;
    FILE *table;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    table = argc == 3 ? fopen(argv[1], "r") : NULL;
    if (table == NULL) {
        printf("errors: expected TABLE PREFIX\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
        return 2;
    }
    prefix = argv[2];
    counts = calloc((size_t)processes * (size_t)processes, sizeof *counts);
    sizes = calloc((size_t)processes * (size_t)processes, sizeof *sizes);
    for (int number = 1; fgets(line, sizeof line, table) != NULL; ++number) {
        char state[32];
        char call[32];
        char argument[32];
        char expected[32];
        int code;
        if (line[0] == '#' || sscanf(line, "%31s %31s %31s %31s", state, call, argument, expected) != 4) {
            continue;
        }
        reach(state);
        code = call_it(call, argument);
        if (code != code_of(expected)) {
            printf("errors: line %d, rank %d: %s %s %s returned %d, expected %s\n", number, rank, state, call,
                   argument, code, expected);
            ++failures;
        }
        free_all();
        ++calls;
    }
    leave();
    fclose(table);
    free(counts);
    free(sizes);
    if (failures == 0) {
        printf("errors: rank %d made %d calls\n", rank, calls);
    }
    MPI_Finalize();
    return failures == 0 ? 0 : 1;
}
