// Tests collectives over processes that did not start together: spawned children merged with their parents.
//
//   spawn_merge [--children N] [--folder FOLDER]
//
// --folder: where the children run.
#include "check.h"
#include "collective_cases.h"

using namespace strata::testing;

int main(int argc, char** argv) {
    Session session(argc, argv);
    const int children = static_cast<int>(session.number("--children", 2));
    const std::string folder = session.option("--folder", "");
    session.reject_other_arguments();
    MPI_Comm inter = MPI_COMM_NULL;
    MPI_Comm_get_parent(&inter);
    const bool child = inter != MPI_COMM_NULL;
    if (!child) {
        session.at("MPI_Comm_spawn");
        MPI_Info info = MPI_INFO_NULL;
        if (!folder.empty()) {
            MPI_Info_create(&info);
            MPI_Info_set(info, "wdir", folder.c_str());
        }
        MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, children, info, 0, MPI_COMM_WORLD, &inter,
                       MPI_ERRCODES_IGNORE);
        if (info != MPI_INFO_NULL) MPI_Info_free(&info);
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
