// Collectives over processes that did not start together: spawned children merged with their parents.
#include "check.h"
#include "collective_cases.h"

using namespace strata::testing;

int main(int argc, char** argv) {
    Session session(argc, argv);
    const int children = static_cast<int>(session.number("--children", 2));
    session.reject_other_arguments();
    MPI_Comm inter = MPI_COMM_NULL;
    MPI_Comm_get_parent(&inter);
    const bool child = inter != MPI_COMM_NULL;
    if (!child) {
        session.at("MPI_Comm_spawn");
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, children, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                       MPI_ERRCODES_IGNORE);
    }
    session.at("MPI_Intercomm_merge in the %s", child ? "child" : "parent");
    MPI_Comm merged = MPI_COMM_NULL;
    MPI_Intercomm_merge(inter, child ? 1 : 0, &merged);
    int size = 0;
    MPI_Comm_size(merged, &size);
    for (int root = 0; root < size; ++root) {
        for (const std::size_t bytes : {std::size_t{5}, std::size_t{300000}}) {
            session.at("%s: root %d of %d, %zu bytes", child ? "child" : "parent", root, size, bytes);
            checked_bcast(session, merged, root, bytes, mix(session.seed(), root, bytes));
        }
    }
    {
        const Operators operators(session);
        Random common(mix(session.seed(), 1));
        for (int i = 0; i < 100; ++i) {
            const CollectiveCase what = random_case(common, size, operators, {all_collectives(), 100000});
            session.at("%s: call %d, %s", child ? "child" : "parent", i, describe(what, operators).c_str());
            run_case(session, merged, what, operators);
        }
    }
    MPI_Comm_free(&merged);
    MPI_Comm_disconnect(&inter);
    return session.finish();
}
