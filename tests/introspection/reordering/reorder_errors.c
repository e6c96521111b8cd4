/* Every error of MPIX_Reorder.h, by a table (errors.table): C99.
 *
 *   reorder_errors TABLE
 *
 * Each line twice: under MPI_ERRORS_RETURN, and with a handler that counts how often it is called. */
#include <MPIX_Reorder.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 16 };

static const struct {
    const char *name;
    int class;
} classes[] = {{"SUCCESS", MPI_SUCCESS},      {"ARG", MPI_ERR_ARG},
               {"BUFFER", MPI_ERR_BUFFER},    {"COMM", MPI_ERR_COMM},
               {"COUNT", MPI_ERR_COUNT},      {"INFO", MPI_ERR_INFO},
               {"ROOT", MPI_ERR_ROOT},        {"INFO_VALUE", MPI_ERR_INFO_VALUE},
               {"TYPE", MPI_ERR_TYPE},        {"TRUNCATE", MPI_ERR_TRUNCATE}};

static int rank, processes;
static MPI_Comm everyone, between_groups = MPI_COMM_NULL;
static MPI_Errhandler counting;
static MPI_Datatype uncommitted;
static int handled;

static int is(const char *a, const char *b) { return strcmp(a, b) == 0; }

static int begins(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

static int class_of_name(const char *name) {
    size_t i;
    for (i = 0; i < sizeof classes / sizeof classes[0]; ++i) {
        if (is(classes[i].name, name)) return classes[i].class;
    }
    return -1;
}

static int class_of(int code) {
    int class = 0;
    MPI_Error_class(code, &class);
    return class;
}

static void count_call(MPI_Comm *comm, int *code, ...) {
    (void)comm;
    (void)code;
    ++handled;
}

static MPI_Comm comm_of(const char *argument) {
    return is(argument, "nowhere") ? MPI_COMM_NULL : is(argument, "between") ? between_groups : everyone;
}

/* "margin=5%" becomes strata_margin; else no info, or none that MPI knows. */
static MPI_Info info_of(const char *argument) {
    const char *value = strchr(argument, '=');
    char key[32];
    MPI_Info info;
    if (is(argument, "no_info")) return 0;
    if (value == NULL) return MPI_INFO_NULL;
    snprintf(key, sizeof key, "strata_%.*s", (int)(value - argument), argument);
    MPI_Info_create(&info);
    MPI_Info_set(info, key, value + 1);
    return info;
}

/* A row, or the whole matrix. */
static void fill(unsigned long *cells, int rows, const char *argument) {
    const size_t count = (size_t)rows * (size_t)processes;
    size_t i;
    for (i = 0; i < count; ++i) cells[i] = 8 * (i % 5);
    if (is(argument, "huge") || is(argument, "largest")) memset(cells, 0, count * sizeof *cells);
    if (is(argument, "largest") && rank == 0) cells[0] = ULONG_MAX;
    if (is(argument, "huge")) { /* each number fits, their sum does not */
        for (i = 0; i < count; ++i) cells[i] = ULONG_MAX / 2 + 1;
    }
}

static int reorder(const char *argument, int whole) {
    unsigned long sizes[MOST_RANKS * MOST_RANKS], counts[MOST_RANKS * MOST_RANKS];
    int k[MOST_RANKS], root = whole ? processes - 1 : 0, code;
    int differs = is(argument, "root_differs") && rank > 0;
    MPI_Info info = info_of(argument);
    MPI_Comm made = MPI_COMM_SELF;
    MPI_Comm *out = is(argument, "no_result") ? NULL : &made;
    unsigned long *s = is(argument, "no_sizes") ? NULL : sizes;
    unsigned long *c = is(argument, "no_counts") ? NULL : counts;
    fill(sizes, whole ? processes : 1, argument);
    fill(counts, whole ? processes : 1, "");
    if (is(argument, "root_low")) root = -1;
    if (is(argument, "root_least")) root = INT_MIN;
    if (is(argument, "root_high")) root = processes;
    if (differs) root = 0;
    if (is(argument, "matrix_at_root") && rank != root) s = c = NULL;
    code = whole ? MPIX_Comm_reorder_matrix(comm_of(argument), root, s, c, info, out, is(argument, "no_k") ? NULL : k)
                 : MPIX_Comm_reorder(comm_of(argument), s, c, info, out, is(argument, "no_k") ? NULL : k);
    if (info != MPI_INFO_NULL && info != 0) MPI_Info_free(&info);
    if (out == NULL) return code;
    if ((code == MPI_SUCCESS) != (made != MPI_COMM_NULL) || made == MPI_COMM_SELF) return -1;
    if (made != MPI_COMM_NULL) MPI_Comm_free(&made);
    return code;
}

static int redistribute(const char *argument) {
    int from[2] = {rank, rank}, to[2] = {-1, -1}, k[MOST_RANKS], i;
    int sends = is(argument, "count_negative") ? -1 : is(argument, "too_much") ? 2 : begins(argument, "nothing") ? 0 : 1;
    int receives = is(argument, "receive_negative") ? -1 : begins(argument, "nothing") ? 0 : 1;
    const int in_place = begins(argument, "in_place");
    const void *sendbuf = in_place ? MPI_IN_PLACE : begins(argument, "nothing") || is(argument, "no_data") ? NULL : from;
    void *recvbuf = is(argument, "receive_in_place") ? MPI_IN_PLACE : is(argument, "nothing_nowhere") ? NULL : to;
    MPI_Datatype sendtype = in_place || is(argument, "no_type") ? MPI_DATATYPE_NULL : MPI_INT;
    MPI_Datatype recvtype = is(argument, "receive_no_type") || is(argument, "in_place_no_type") ? MPI_DATATYPE_NULL : MPI_INT;
    if (is(argument, "in_place_negative")) receives = -1;
    if (is(argument, "in_place")) sends = -1; /* ignored */
    for (i = 0; i < processes; ++i) k[i] = (i + 1) % processes;
    if (is(argument, "k_twice")) k[0] = k[1];
    if (is(argument, "k_low")) k[0] = -1;
    if (is(argument, "k_high")) k[0] = processes;
    if (is(argument, "uncommitted")) sendtype = uncommitted;
    return MPIX_Redistribute(sendbuf, sends, sendtype, recvbuf, receives, recvtype, is(argument, "no_k") ? NULL : k,
                             comm_of(argument));
}

static int call_it(const char *call, const char *argument) {
    return is(call, "redistribute") ? redistribute(argument) : reorder(argument, is(call, "reorder_matrix"));
}

static void handle_by(MPI_Errhandler handler) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler); /* of MPI_COMM_NULL, and of info objects */
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);  /* of these from MPI 4 on */
    MPI_Comm_set_errhandler(everyone, handler);
    if (between_groups != MPI_COMM_NULL) MPI_Comm_set_errhandler(between_groups, handler);
}

/* Returns how many of the two calls fail. */
static int check(const char *call, const char *argument, const char *expected) {
    int failures = 0, count, class;
    for (count = 0; count < 2; ++count) {
        const int wanted = count && class_of_name(expected) != MPI_SUCCESS;
        handle_by(count ? counting : MPI_ERRORS_RETURN);
        handled = 0;
        class = call_it(call, argument);
        class = class < 0 ? class : class_of(class);
        if (class != class_of_name(expected) || handled != wanted) {
            printf("reorder_errors: rank %d: %s %s returned class %d (%d calls of the handler), expected %s (%d)\n", rank, call,
                   argument, class, handled, expected, wanted);
            ++failures;
        }
        MPI_Barrier(everyone); /* one call's leftovers must not affect the next */
    }
    return failures;
}

static void make_between_groups(void) {
    MPI_Comm half;
    if (processes < 2) return;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &between_groups);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv) {
    char line[256], call[32], argument[64], who[16], expected[32];
    int failures = 0, calls = 0, least;
    FILE *table;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    table = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (table == NULL || processes > MOST_RANKS) {
        printf("reorder_errors: expected TABLE, and at most %d processes\n", MOST_RANKS);
        MPI_Abort(MPI_COMM_WORLD, 2);
        return 2;
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &everyone);
    MPI_Comm_create_errhandler(count_call, &counting);
    make_between_groups();
    MPI_Type_contiguous(1, MPI_INT, &uncommitted);
    while (fgets(line, sizeof line, table) != NULL) {
        if (line[0] == '#' || sscanf(line, "%31s %63s %15s %d %31s", call, argument, who, &least, expected) != 5) continue;
        if (least > processes) continue;
        failures += check(call, is(who, "all") || rank == processes - 1 ? argument : "right", expected);
        ++calls;
    }
    handle_by(MPI_ERRORS_RETURN);
    fclose(table);
    if (failures == 0) printf("reorder_errors: rank %d: %d lines hold\n", rank, calls);
    if (between_groups != MPI_COMM_NULL) MPI_Comm_free(&between_groups);
    MPI_Type_free(&uncommitted);
    MPI_Errhandler_free(&counting);
    MPI_Comm_free(&everyone);
    MPI_Finalize();
    return failures != 0;
}
