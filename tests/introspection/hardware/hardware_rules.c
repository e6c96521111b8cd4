/* Rules of MPIX_Hardware.h that one program can check by itself, in C: errors, duplicates, names of shared
 * levels, calls by some ranks only. The job: 8 ranks on two synthetic nodes of two packages of two cores.
 * With the argument --sabotage one expectation is wrong. */
#include "expect.h"

static void check_shared_levels(const char* cluster) {
    const int everyone[] = {0, 1, 2, 3, 4, 5, 6, 7};
    const int pair[] = {0, 1};
    const int node[] = {3, 0, 2};
    const int far[] = {2, 7};
    char* type = NULL;
    expect_shared(MPI_COMM_WORLD, 8, everyone, cluster); /* collective: the first on this communicator */
    expect_shared(MPI_COMM_WORLD, 2, pair, rank < 2 ? "Package" : "Unknown");
    if (rank == 0 || rank == 2 || rank == 3) expect_shared(MPI_COMM_WORLD, 3, node, "Machine");
    if (rank == 2 || rank == 7) expect_shared(MPI_COMM_WORLD, 2, far, cluster);
    if (rank == 1) {
        expect_shared(MPI_COMM_WORLD, 1, &rank, "Core");
        expect_shared(MPI_COMM_WORLD, 0, NULL, "Unknown");
    }
    expect_shared(MPI_COMM_NULL, 1, pair, "Unknown");
    expect(class_of(MPIX_Comm_get_min_hlevel(MPI_COMM_WORLD, -1, pair, &type)) == MPI_ERR_ARG,
           "-1 ranks are taken");
    const int beyond = 8;
    expect(class_of(MPIX_Comm_get_min_hlevel(MPI_COMM_WORLD, 1, &beyond, &type)) == MPI_ERR_RANK,
           "rank 8 is taken");
    expect(class_of(MPIX_Comm_get_min_hlevel(MPI_COMM_WORLD, 1, pair, NULL)) == MPI_ERR_ARG,
           "no place for the name");
}

static void check_level_info(void) {
    MPI_Comm node, copy, roots, self;
    int count = 0, index = 0, size = 0, own = 0;
    char* type = NULL;
    expect(MPIX_Comm_hsplit_with_roots(MPI_COMM_WORLD, MPI_INFO_NULL, &node, &roots) == MPI_SUCCESS,
           "hsplit fails");
    MPI_Comm_dup(node, &copy);
    MPI_Comm_free(&node);
    expect(MPIX_Comm_get_hlevel_info(copy, &count, &index, &type) == MPI_SUCCESS, "no info in a duplicate");
    expect(count == 2 && index == rank / 4 && strcmp(type, "Machine") == 0, "wrong info in a duplicate");
    expect(MPIX_Comm_get_hlevel_info(copy, NULL, NULL, NULL) == MPI_SUCCESS,
           "nothing is wanted, and it fails");
    MPI_Comm_size(copy, &size);
    MPI_Comm_rank(copy, &own);
    expect(size == 4 && own == rank % 4, "ranks are not in their order");
    expect((roots != MPI_COMM_NULL) == (rank % 4 == 0), "wrong roots");
    const int others[] = {0, 3};
    if (own == 0 || own == 3) expect_shared(copy, 2, others, "Machine"); /* its parent's facts are known */
    if (roots != MPI_COMM_NULL) {
        expect(class_of(MPIX_Comm_get_hlevel_info(roots, &count, &index, &type)) == MPI_ERR_COMM,
               "roots have a level");
        MPI_Comm_free(&roots);
    }
    MPI_Comm_free(&copy);
    expect(class_of(MPIX_Comm_get_hlevel_info(MPI_COMM_WORLD, &count, &index, &type)) == MPI_ERR_COMM,
           "MPI_COMM_WORLD has a level");
    expect(MPIX_Comm_hsplit(MPI_COMM_SELF, MPI_INFO_NULL, &self) == MPI_SUCCESS && self == MPI_COMM_NULL,
           "MPI_COMM_SELF can be split");
}

static void check_errors(void) {
    MPI_Comm made, roots, halves, between;
    MPI_Comm *all = &made, *all_roots = &roots;
    int levels = 7;
    MPI_Info info;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    expect(class_of(MPIX_Comm_hsplit(MPI_COMM_NULL, MPI_INFO_NULL, &made)) == MPI_ERR_COMM,
           "no communicator is taken");
    expect(class_of(MPIX_Comm_hsplit(MPI_COMM_WORLD, MPI_INFO_NULL, NULL)) == MPI_ERR_ARG,
           "no place for the result");
    MPI_Info_create(&info);
    MPI_Info_set(info, "strata_roots", "anywhere");
    expect(class_of(MPIX_Comm_hsplit_with_roots(MPI_COMM_WORLD, info, &made, &roots)) == MPI_ERR_INFO_VALUE,
           "a wrong value is taken");
    expect(made == MPI_COMM_NULL && roots == MPI_COMM_NULL, "communicators in spite of an error");
    expect(
        class_of(MPIX_Comm_hierarchy(MPI_COMM_WORLD, info, &levels, &all, &all_roots)) == MPI_ERR_INFO_VALUE,
        "a wrong value is taken for all levels");
    expect(levels == 0 && all == NULL && all_roots == NULL, "levels in spite of an error");
    expect(MPIX_Comm_hsplit(MPI_COMM_WORLD, info, &made) == MPI_SUCCESS, "a key counts that should not");
    MPI_Comm_free(&made);
    MPI_Info_set(info, "strata_roots", "lowest");
    MPI_Info_set(info, "strata_levels", "everywhere");
    expect(class_of(MPIX_Comm_hierarchy(MPI_COMM_WORLD, info, &levels, &all, NULL)) == MPI_ERR_INFO_VALUE,
           "a wrong value of levels is taken");
    MPI_Info_set(info, "strata_levels", "all");
    MPI_Info_set(info, "mpi_hw_resource_type", "Crossbar");
    expect(MPIX_Comm_split_type(MPI_COMM_WORLD, MPIX_COMM_TYPE_HW_GUIDED, 0, info, &made) == MPI_SUCCESS &&
               made == MPI_COMM_NULL,
           "an unknown type splits");
    expect(MPIX_Comm_split_type(MPI_COMM_WORLD, MPIX_COMM_TYPE_HW_GUIDED, 0, MPI_INFO_NULL, &made) ==
                   MPI_SUCCESS &&
               made == MPI_COMM_NULL,
           "no type splits");
    MPI_Info_free(&info);
    int size = 0;
    expect(MPIX_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &made) == MPI_SUCCESS,
           "MPI's own type is not passed on");
    MPI_Comm_size(made, &size);
    expect(size == 8, "it was not MPI that split"); /* all ranks really share a node */
    MPI_Comm_free(&made);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 4, 0, &halves);
    MPI_Comm_set_errhandler(halves, MPI_ERRORS_RETURN);
    MPI_Intercomm_create(halves, 0, MPI_COMM_WORLD, rank < 4 ? 4 : 0, 0, &between);
    MPI_Comm_set_errhandler(between, MPI_ERRORS_RETURN);
    expect(class_of(MPIX_Comm_hsplit(between, MPI_INFO_NULL, &made)) == MPI_ERR_COMM,
           "an intercommunicator is taken");
    MPI_Comm_free(&between);
    MPI_Comm_free(&halves);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    check_shared_levels(argc > 1 && strcmp(argv[1], "--sabotage") == 0 ? "Machine" : MPIX_HLEVEL_CLUSTER);
    check_level_info();
    check_errors();
    return conclude("hardware_rules");
}
