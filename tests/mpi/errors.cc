// Tests wrong arguments under MPI_ERRORS_RETURN: calls return the error classes that the standard names and
// that Open MPI returns without any plugin; the communicator still works afterwards.
#include <string>

#include "check.h"
#include "communicators.h"

using namespace strata::testing;

namespace {

void expect_class(Session& session, const char* what, int code, int expected) {
    int got = MPI_SUCCESS;
    if (code != MPI_SUCCESS) {
        MPI_Error_class(code, &got);
    }
    if (session.sabotages("result")) {
        expected += 1;
    }
    if (got != expected) {
        session.fail("%s: expected error class %d, got %d", what, expected, got);
    }
}

void wrong_arguments(Session& session, MPI_Comm comm, int size) {
    int data[4] = {1, 2, 3, 4};
    expect_class(session, "root = size", MPI_Bcast(data, 4, MPI_INT, size, comm), MPI_ERR_ROOT);
    expect_class(session, "root = -1", MPI_Bcast(data, 4, MPI_INT, -1, comm), MPI_ERR_ROOT);
    expect_class(session, "root = MPI_ROOT", MPI_Bcast(data, 4, MPI_INT, MPI_ROOT, comm), MPI_ERR_ROOT);
    expect_class(session, "null datatype", MPI_Bcast(data, 4, MPI_DATATYPE_NULL, 0, comm), MPI_ERR_TYPE);
    expect_class(session, "negative count", MPI_Bcast(data, -1, MPI_INT, 0, comm), MPI_ERR_COUNT);
    MPI_Datatype uncommitted = MPI_DATATYPE_NULL;
    MPI_Type_vector(2, 1, 2, MPI_INT, &uncommitted);
    expect_class(session, "uncommitted datatype", MPI_Bcast(data, 1, uncommitted, 0, comm), MPI_ERR_TYPE);
    MPI_Type_free(&uncommitted);
    session.expect(data[0] == 1 && data[3] == 4, "a refused call changed the buffer");
}

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv);
    session.reject_other_arguments();
    for (NamedCommunicator& c : standing_communicators(session.seed())) {
        if (!c.member()) {
            continue;
        }
        MPI_Comm_set_errhandler(c.comm, MPI_ERRORS_RETURN);
        for (int round = 0; round < 3; ++round) {
            session.at("%s, round %d", c.name.c_str(), round);
            wrong_arguments(session, c.comm, c.size());
            for (const std::size_t bytes : {std::size_t{1}, std::size_t{100000}}) {
                checked_bcast(session, c.comm, round % c.size(), bytes, mix(session.seed(), round, bytes));
            }
        }
    }
    int data = 0;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    expect_class(session, "null communicator", MPI_Bcast(&data, 1, MPI_INT, 0, MPI_COMM_NULL), MPI_ERR_COMM);
    return session.finish();
}
