/* Checks the results that MPIX_Reorder.h guarantees: C99.
 *
 *   reorder_results NODES [--sabotage]    ranks are on so many synthetic nodes, as many consecutive ones on
 * each;
 *                                         --sabotage: one expectation is wrong */
#include <MPIX_Hardware.h>
#include <MPIX_Reorder.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 16, LARGE = 1 << 18 };

static int failures, rank, size, nodes, sabotage;

static void expect(int condition, const char* what) {
    if (condition) return;
    ++failures;
    printf("rank %d: FAILED: %s\n", rank, what);
}

static int is_permutation(const int* k) {
    int seen[MOST_RANKS] = {0}, i;
    for (i = 0; i < size; ++i) {
        if (k[i] < 0 || k[i] >= size || seen[k[i]]++) return 0;
    }
    return 1;
}

static int is_identity(const int* k) {
    int i;
    for (i = 0; i < size; ++i) {
        if (k[i] != i) return 0;
    }
    return 1;
}

static int same_on_all(MPI_Comm comm, const int* k) {
    int first[MOST_RANKS], same;
    memcpy(first, k, (size_t)size * sizeof *k);
    MPI_Bcast(first, size, MPI_INT, 0, comm);
    same = memcmp(first, k, (size_t)size * sizeof *k) == 0;
    MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_MIN, comm);
    return same;
}

/* Bytes from each rank to the one `distance` further. */
static void fill(unsigned long* matrix, int distance, unsigned long bytes) {
    int i;
    memset(matrix, 0, (size_t)(size * size) * sizeof *matrix);
    for (i = 0; i < size; ++i) matrix[i * size + (i + distance) % size] = bytes;
}

/* Bytes that cross nodes when process i has rank k[i]. */
static unsigned long between_nodes(const unsigned long* matrix, const int* k) {
    unsigned long sum = 0;
    int a, b;
    for (a = 0; a < size; ++a) {
        for (b = 0; b < size; ++b) {
            if (a * nodes / size != b * nodes / size) sum += matrix[k[a] * size + k[b]];
        }
    }
    return sum;
}

/* By rows and as a whole: the same returned k, and a communicator in that order. */
static void reorder(const unsigned long* sizes, const unsigned long* counts, MPI_Info info, int* k) {
    const unsigned long* own_counts = counts != NULL ? counts + rank * size : NULL;
    const int at_root = rank == size - 1;
    int whole[MOST_RANKS], now, members, result;
    MPI_Comm made, also, part;
    expect(MPIX_Comm_reorder(MPI_COMM_WORLD, sizes + rank * size, own_counts, info, &made, k) == MPI_SUCCESS,
           "reorder fails");
    expect(MPIX_Comm_reorder_matrix(MPI_COMM_WORLD, size - 1, at_root ? sizes : NULL, at_root ? counts : NULL,
                                    info, &also, whole) == MPI_SUCCESS,
           "reorder_matrix fails");
    expect(is_permutation(k), "k is no permutation");
    expect(same_on_all(MPI_COMM_WORLD, k), "k is not the same on all");
    expect(memcmp(k, whole, (size_t)size * sizeof *k) == 0, "rows and the whole matrix give other orders");
    MPI_Comm_rank(made, &now);
    MPI_Comm_size(made, &members);
    expect(now == k[rank] && members == size, "the new communicator is not in the order k");
    MPI_Comm_compare(made, also, &result);
    expect(result == MPI_CONGRUENT, "rows and the whole matrix give other communicators");
    expect(MPIX_Comm_hsplit(made, MPI_INFO_NULL, &part) == MPI_SUCCESS,
           "the new communicator cannot be split");
    if (part != MPI_COMM_NULL) MPI_Comm_free(&part);
    MPI_Comm_free(&also);
    MPI_Comm_free(&made);
}

static void check_orders(void) {
    static unsigned long sizes[MOST_RANKS * MOST_RANKS], counts[MOST_RANKS * MOST_RANKS];
    const int pays = nodes > 1 && size > nodes; /* partners that are far from each other can be together */
    int k[MOST_RANKS], i;
    MPI_Info info;
    MPI_Info_create(&info);

    fill(sizes, size / 2, 1000000);
    fill(counts, size / 2, 10);
    for (i = 0; i < 2; ++i) { /* with numbers of messages, and without */
        reorder(sizes, i == 0 ? counts : NULL, MPI_INFO_NULL, k);
        expect(is_identity(k) == (sabotage ? pays : !pays), "far partners: wrong decision whether ranks move");
        if (pays) expect(between_nodes(sizes, k) == 0, "far partners are still apart");
    }
    MPI_Info_set(info, "strata_margin", "0.999");
    reorder(sizes, NULL, info, k);
    expect(is_identity(k), "a rank moves for less than the margin");
    MPI_Info_set(info, "strata_costs", "cluster=1000000");
    reorder(sizes, NULL, info, k);
    expect(is_identity(k) == !pays, "costs of links are not heeded");

    MPI_Info_delete(info, "strata_costs");
    MPI_Info_set(info, "strata_margin", "1"); /* partners exchange messages at any place */
    reorder(sizes, NULL, info, k);
    expect(is_identity(k), "a rank moves though not all is saved");
    MPI_Info_delete(info, "strata_margin");

    /* Near partners send more bytes, far ones more messages. */
    fill(counts, size / 2, 1000);
    fill(sizes, size / 2, 10);
    for (i = 0; i < size; ++i) sizes[i * size + (i ^ 1) % size] += 100000;
    reorder(sizes, counts, info, k);
    expect(is_identity(k) == !pays, "messages do not count");
    MPI_Info_set(info, "strata_message_bytes", "0");
    reorder(sizes, counts, info, k);
    expect(is_identity(k), "the cost of a message is ignored");

    /* One of many pairs is apart: little is to be saved. */
    fill(sizes, size > 1 ? 1 : 0, 1000);
    for (i = 0; i < size; ++i) sizes[i * size + (i ^ 1) % size] += 1000000;
    reorder(sizes, NULL, MPI_INFO_NULL, k);
    expect(is_identity(k), "near partners move");
    fill(sizes, 0, 0);
    reorder(sizes, NULL, MPI_INFO_NULL, k);
    expect(is_identity(k), "a rank moves without traffic");
    fill(sizes, 0, 1000000);
    reorder(sizes, NULL, MPI_INFO_NULL, k);
    expect(is_identity(k), "a rank moves for messages to itself");
    MPI_Info_free(&info);
}

static int element(int process, int i) { return process * 1000003 + i * 7; }

static void contiguous(MPI_Comm comm, int own, const int* k, int count) {
    int *from = calloc(2 * (size_t)count + 1, sizeof *from), *to = from + count, i, wrong = 0;
    for (i = 0; i < count; ++i) from[i] = element(own, i);
    expect(MPIX_Redistribute(from, count, MPI_INT, to, count, MPI_INT, k, comm) == MPI_SUCCESS,
           "redistribute fails");
    for (i = 0; i < count; ++i) wrong += to[i] != element(k[own], i) || from[i] != element(own, i);
    expect(
        MPIX_Redistribute(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, from, count, MPI_INT, k, comm) == MPI_SUCCESS,
        "redistribute in place fails");
    for (i = 0; i < count; ++i) wrong += from[i] != element(k[own], i);
    expect(wrong == 0, "wrong elements");
    free(from);
}

/* Every third number; the others stay. */
static void derived(MPI_Comm comm, int own, const int* k) {
    enum { COUNT = 300 };
    int strided[3 * COUNT], dense[COUNT], i, wrong = 0;
    MPI_Datatype third;
    MPI_Type_vector(COUNT, 1, 3, MPI_INT, &third);
    MPI_Type_commit(&third);
    for (i = 0; i < 3 * COUNT; ++i) strided[i] = i % 3 == 0 ? element(own, i / 3) : -i;
    expect(MPIX_Redistribute(strided, 1, third, dense, COUNT, MPI_INT, k, comm) == MPI_SUCCESS,
           "strided to dense fails");
    for (i = 0; i < COUNT; ++i) wrong += dense[i] != element(k[own], i);
    expect(MPIX_Redistribute(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, strided, 1, third, k, comm) == MPI_SUCCESS,
           "strided in place fails");
    for (i = 0; i < 3 * COUNT; ++i) wrong += strided[i] != (i % 3 == 0 ? element(k[own], i / 3) : -i);
    for (i = 0; i < COUNT; ++i) dense[i] = element(own, i);
    expect(MPIX_Redistribute(dense, COUNT, MPI_INT, strided, 1, third, k, comm) == MPI_SUCCESS,
           "dense to strided fails");
    for (i = 0; i < 3 * COUNT; ++i) wrong += strided[i] != (i % 3 == 0 ? element(k[own], i / 3) : -i);
    expect(wrong == 0, "wrong elements of a derived type");
    MPI_Type_free(&third);
}

/* Each process has other amounts; one has none. */
static void uneven(MPI_Comm comm, int own, const int* k) {
    int from[MOST_RANKS], to[MOST_RANKS], i, wrong = 0;
    for (i = 0; i < own; ++i) from[i] = element(own, i);
    expect(MPIX_Redistribute(own > 0 ? from : NULL, own, MPI_INT, k[own] > 0 ? to : NULL, k[own], MPI_INT, k,
                             comm) == MPI_SUCCESS,
           "uneven amounts fail");
    for (i = 0; i < k[own]; ++i) wrong += to[i] != element(k[own], i);
    expect(wrong == 0, "wrong elements of uneven amounts");
}

/* A wildcard receive of the program must not receive redistributed data. */
static void beside_others(MPI_Comm comm, int own, const int* k) {
    int got = -1, sent = -5 - own;
    MPI_Request request;
    MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request);
    contiguous(comm, own, k, 1);
    MPI_Send(&sent, 1, MPI_INT, (own + 1) % size, 0, comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect(got == -5 - (own + size - 1) % size, "a receive took another operation's message");
}

static void check_redistribution(MPI_Comm comm) {
    int k[4][MOST_RANKS], own, i, which;
    MPI_Comm_rank(comm, &own);
    for (i = 0; i < size; ++i) {
        k[0][i] = i;
        k[1][i] = (i + 1) % size;
        k[2][i] = size - 1 - i;
        k[3][i] = size % 2 == 0 ? (i / 2 + i % 2 * (size / 2)) : i; /* cyclically */
    }
    for (which = 0; which < 4; ++which) {
        contiguous(comm, own, k[which], 0);
        contiguous(comm, own, k[which], 1000);
        contiguous(comm, own, k[which], LARGE);
        derived(comm, own, k[which]);
        uneven(comm, own, k[which]);
        beside_others(comm, own, k[which]);
    }
}

int main(int argc, char** argv) {
    int sum = 0;
    MPI_Comm reversed;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    nodes = argc > 1 ? atoi(argv[1]) : 0;
    sabotage = argc > 2 && strcmp(argv[2], "--sabotage") == 0;
    if (nodes < 1 || size > MOST_RANKS) {
        printf("reorder_results: expected NODES [--sabotage], and at most %d processes\n", MOST_RANKS);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    check_orders();
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &reversed);
    check_redistribution(MPI_COMM_WORLD);
    check_redistribution(reversed);
    MPI_Comm_free(&reversed);
    fflush(stdout);
    MPI_Allreduce(&failures, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("reorder_results: %d failures\n", sum);
    MPI_Finalize();
    return sum != 0;
}
