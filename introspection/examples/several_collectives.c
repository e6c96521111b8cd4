/* several_collectives [OPTIONS]: a loop with several collective calls, each monitored by its own session, which shows how
 * much each call sends, and how far. Requires Open MPI's monitoring:
 *
 *   strata-monitor mpirun -n 16 ./several_collectives --bytes 65536
 *
 *   --bytes N           size of a process's vector, or of its data for each other process (1024)
 *   --calls N           calls of each collective (3)
 *   --flush PREFIX      also writes PREFIX.SESSION_counts.0.prof and PREFIX.SESSION_sizes.0.prof
 *
 * Rank 0 prints for each session its messages and bytes, in total and by the narrowest hardware level that sender and
 * receiver share: "Machine" is traffic between sockets (or the next level inside) of one machine. Sessions of several
 * calls overlap with those of single calls, and with each other: each must have counted the sum of its calls, row by
 * row; exit status 1 otherwise, 77 if monitoring is off.
 *
 * Source: the paper on introspection monitoring, section 4.5: Open MPI sums all messages; sessions separate them. */
#include <MPIX_Hardware.h>
#include <MPI_Monitoring.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SKIPPED = 77, MOST_LEVELS = 32, NAME = 40, CALLS = 6, SESSIONS = 9 };

struct data {
    int bytes, rank, size;
    char *sent, *received; /* a block for each process */
};

static void first_bcast(const struct data *d) { MPI_Bcast(d->received, d->bytes, MPI_BYTE, 0, MPI_COMM_WORLD); }
static void last_bcast(const struct data *d) { MPI_Bcast(d->received, d->bytes, MPI_BYTE, d->size - 1, MPI_COMM_WORLD); }
static void reduce(const struct data *d) { MPI_Reduce(d->sent, d->received, d->bytes, MPI_BYTE, MPI_BOR, 0, MPI_COMM_WORLD); }
static void allgather(const struct data *d) {
    MPI_Allgather(d->sent, d->bytes, MPI_BYTE, d->received, d->bytes, MPI_BYTE, MPI_COMM_WORLD);
}
static void alltoall(const struct data *d) {
    MPI_Alltoall(d->sent, d->bytes, MPI_BYTE, d->received, d->bytes, MPI_BYTE, MPI_COMM_WORLD);
}
static void barrier(const struct data *d) {
    (void)d;
    MPI_Barrier(MPI_COMM_WORLD);
}

static void (*const calls[CALLS])(const struct data *) = {first_bcast, last_bcast, reduce, allgather, alltoall, barrier};

/* A session monitors the calls from `first` to `last`. */
static const struct watched {
    const char *name;
    int first, last;
} watched[SESSIONS] = {{"first_bcast", 0, 0}, {"last_bcast", 1, 1}, {"reduce", 2, 2},
                       {"allgather", 3, 3},   {"alltoall", 4, 4},   {"barrier", 5, 5},
                       {"with_a_root", 0, 2}, {"with_data", 1, 4},  {"all", 0, 5}};

/* The traffic that a process sent, by level. */
struct levels {
    int count;
    struct level {
        char name[NAME];
        int depth; /* 0: the widest */
        unsigned long messages, bytes;
    } level[MOST_LEVELS];
};

static struct level *level_named(struct levels *levels, const char *name, int depth) {
    int i;
    for (i = 0; i < levels->count; ++i) {
        if (strcmp(levels->level[i].name, name) == 0) return &levels->level[i];
    }
    if (levels->count == MOST_LEVELS) MPI_Abort(MPI_COMM_WORLD, 1);
    for (; i > 0 && levels->level[i - 1].depth > depth; --i) levels->level[i] = levels->level[i - 1];
    memset(&levels->level[i], 0, sizeof levels->level[i]);
    snprintf(levels->level[i].name, NAME, "%s", name);
    levels->level[i].depth = depth;
    ++levels->count;
    return &levels->level[i];
}

/* Finds for each peer the number of levels that it shares with the caller, and the name of the narrowest. */
static void find_shared(const struct data *data, int *depth, const char **name) {
    int count, level, rank, *everyone = malloc((size_t)data->size * sizeof *everyone), *inside;
    char *type;
    MPI_Comm *inner = NULL;
    MPI_Group all, group;
    for (rank = 0; rank < data->size; ++rank) everyone[rank] = rank;
    inside = malloc((size_t)data->size * sizeof *inside);
    MPIX_Comm_get_min_hlevel(MPI_COMM_WORLD, data->size, everyone, &type);
    for (rank = 0; rank < data->size; ++rank) {
        depth[rank] = 0;
        name[rank] = type;
    }
    MPIX_Comm_hierarchy(MPI_COMM_WORLD, MPI_INFO_NULL, &count, &inner, NULL);
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    for (level = 0; level < count; ++level) {
        if (inner[level] == MPI_COMM_NULL) continue;
        MPIX_Comm_get_hlevel_info(inner[level], NULL, NULL, &type);
        MPI_Comm_group(inner[level], &group);
        MPI_Group_translate_ranks(all, data->size, everyone, group, inside);
        MPI_Group_free(&group);
        for (rank = 0; rank < data->size; ++rank) {
            if (inside[rank] == MPI_UNDEFINED) continue;
            depth[rank] = level + 1;
            name[rank] = type;
        }
    }
    MPI_Group_free(&all);
    MPIX_Comm_hierarchy_free(count, &inner, NULL);
    free(inside);
    free(everyone);
}

static void watch(const struct data *data, int repetitions, MPI_M_msid *sessions) {
    int call, one;
    for (one = 0; one < SESSIONS; ++one) {
        MPI_M_start(MPI_COMM_WORLD, &sessions[one]);
        MPI_M_suspend(sessions[one]);
    }
    while (repetitions-- > 0) {
        for (call = 0; call < CALLS; ++call) {
            for (one = 0; one < SESSIONS; ++one) {
                if (watched[one].first == call) MPI_M_continue(sessions[one]);
            }
            calls[call](data);
            for (one = 0; one < SESSIONS; ++one) {
                if (watched[one].last == call) MPI_M_suspend(sessions[one]);
            }
        }
    }
}

/* Prints the traffic of all processes on rank 0. */
static void print(const char *name, const struct levels *own, const struct data *data) {
    struct levels all = {0}, *each = data->rank == 0 ? malloc((size_t)data->size * sizeof *each) : NULL;
    unsigned long messages = 0, bytes = 0;
    int rank, i;
    MPI_Gather(own, (int)sizeof *own, MPI_BYTE, each, (int)sizeof *own, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (data->rank != 0) return;
    for (rank = 0; rank < data->size; ++rank) {
        for (i = 0; i < each[rank].count; ++i) {
            const struct level *from = &each[rank].level[i];
            struct level *to = level_named(&all, from->name, from->depth);
            to->messages += from->messages;
            to->bytes += from->bytes;
            messages += from->messages;
            bytes += from->bytes;
        }
    }
    printf("%s: %lu messages, %lu bytes\n", name, messages, bytes);
    for (i = 0; i < all.count; ++i) {
        if (all.level[i].messages > 0) {
            printf("    %s: %lu messages, %lu bytes\n", all.level[i].name, all.level[i].messages, all.level[i].bytes);
        }
    }
    free(each);
}

/* Prints all sessions; returns the number of entries that differ from the sum over the monitored calls. */
static int report(const struct data *data, const MPI_M_msid *sessions, const char *prefix) {
    const size_t size = (size_t)data->size;
    unsigned long *rows = calloc(2 * SESSIONS * size, sizeof *rows); /* counts and sizes, by session */
    int *depth = malloc(size * sizeof *depth), one, call, wrong = 0;
    const char **name = malloc(size * sizeof *name);
    size_t i;
    find_shared(data, depth, name);
    for (one = 0; one < SESSIONS; ++one) {
        unsigned long *counts = rows + 2 * (size_t)one * size, *sizes = counts + size;
        struct levels levels = {0};
        if (MPI_M_get_data(sessions[one], counts, sizes, MPI_M_P2P_ONLY) != MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 1);
        for (i = 0; i < size; ++i) {
            struct level *level = level_named(&levels, name[i], depth[i]);
            level->messages += counts[i];
            level->bytes += sizes[i];
        }
        print(watched[one].name, &levels, data);
        for (i = 0; i < 2 * size; ++i) {
            unsigned long sum = 0;
            for (call = watched[one].first; call <= watched[one].last; ++call) sum += rows[2 * (size_t)call * size + i];
            wrong += counts[i] != sum;
        }
        if (prefix != NULL) {
            char file[4096];
            snprintf(file, sizeof file, "%s.%s", prefix, watched[one].name);
            if (MPI_M_rootflush(sessions[one], 0, file, MPI_M_P2P_ONLY) != MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (data->rank == 0) printf("%d wrong sums\n", wrong);
    free(name);
    free(depth);
    free(rows);
    return wrong;
}

static void usage(int rank) {
    if (rank != 0) MPI_Barrier(MPI_COMM_WORLD); /* until rank 0 aborts, after its message */
    fprintf(stderr, "several_collectives: options are --bytes, --calls and --flush, each with a value\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
}

int main(int argc, char **argv) {
    struct data data = {1024, 0, 0, NULL, NULL};
    int repetitions = 3, wrong, i;
    const char *prefix = NULL;
    MPI_M_msid sessions[SESSIONS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &data.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &data.size);
    for (i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--bytes") == 0) data.bytes = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--calls") == 0) repetitions = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--flush") == 0) prefix = argv[i + 1];
        else break;
    }
    if (i < argc || data.bytes < 1 || repetitions < 1) usage(data.rank);
    data.sent = calloc(2 * (size_t)data.size, (size_t)data.bytes);
    data.received = data.sent + (size_t)data.size * (size_t)data.bytes;
    if (MPI_M_init() != MPI_SUCCESS) {
        MPI_Finalize();
        return SKIPPED;
    }
    watch(&data, repetitions, sessions);
    wrong = report(&data, sessions, prefix);
    for (i = 0; i < SESSIONS; ++i) MPI_M_free(sessions[i]);
    MPI_M_finalize();
    free(data.sent);
    MPI_Finalize();
    return wrong != 0;
}
