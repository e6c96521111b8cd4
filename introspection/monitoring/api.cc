// The functions of MPI_Monitoring.h, as calls of Monitor. They let no exception escape.
#include <algorithm>
#include <new>

#include "monitor.h"
#include "profiles.h"

using strata::introspection::Monitor;
using Request = Monitor::Request;

namespace {

template <class Function>
int guarded(Function function) noexcept {
    try {
        return function();
    } catch (const std::bad_alloc&) {
        return MPI_M_INTERNAL_FAIL;
    } catch (...) {
        return MPI_M_INTERNAL_FAIL;
    }
}

/// Copies rows of n counts and n bytes.
void copy_rows(const std::vector<unsigned long>& rows, std::size_t n, unsigned long* counts,
               unsigned long* sizes) {
    for (std::size_t row = 0; row < rows.size() / (2 * n); ++row) {
        const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(2 * n * row);
        const auto middle = begin + static_cast<std::ptrdiff_t>(n);
        if (counts != MPI_M_DATA_IGNORE) {
            std::copy(begin, middle, counts + n * row);
        }
        if (sizes != MPI_M_DATA_IGNORE) {
            std::copy(middle, middle + static_cast<std::ptrdiff_t>(n), sizes + n * row);
        }
    }
}

int copy_matrix(const Request& request, unsigned long* counts, unsigned long* sizes) {
    Monitor::View view;
    const int code = Monitor::instance().view(request, view);
    if (code == MPI_SUCCESS && !view.matrix.empty()) {
        copy_rows(view.matrix, view.members(), counts, sizes);
    }
    return code;
}

}  // namespace

#pragma GCC visibility push(default)

int MPI_M_init(void) {
    return guarded([] { return Monitor::instance().begin(); });
}

int MPI_M_finalize(void) {
    return guarded([] { return Monitor::instance().end(); });
}

int MPI_M_start(MPI_Comm comm, MPI_M_msid* msid) {
    return guarded([&] { return Monitor::instance().start(comm, msid); });
}

int MPI_M_suspend(MPI_M_msid msid) {
    return guarded([&] { return Monitor::instance().suspend(msid); });
}

int MPI_M_continue(MPI_M_msid msid) {
    return guarded([&] { return Monitor::instance().resume(msid); });
}

int MPI_M_reset(MPI_M_msid msid) {
    return guarded([&] { return Monitor::instance().reset(msid); });
}

int MPI_M_free(MPI_M_msid msid) {
    return guarded([&] { return Monitor::instance().release(msid); });
}

int MPI_M_get_info(MPI_M_msid msid, int* provided, int* array_size) {
    return guarded([&] { return Monitor::instance().info(msid, provided, array_size); });
}

int MPI_M_get_data(MPI_M_msid msid, unsigned long* msg_counts, unsigned long* msg_sizes, int flags) {
    return guarded([&] {
        Monitor::View view;
        const int code = Monitor::instance().view({.id = msid, .flags = flags, .same_flags = false}, view);
        if (code == MPI_SUCCESS) {
            copy_rows(view.row, view.members(), msg_counts, msg_sizes);
        }
        return code;
    });
}

int MPI_M_allgather_data(MPI_M_msid msid, unsigned long* matrix_counts, unsigned long* matrix_sizes,
                         int flags) {
    return guarded([&] {
        return copy_matrix(
            {.id = msid, .flags = flags, .same_flags = true, .rows = Request::Rows::everywhere},
            matrix_counts, matrix_sizes);
    });
}

int MPI_M_rootgather_data(MPI_M_msid msid, int root, unsigned long* matrix_counts,
                          unsigned long* matrix_sizes, int flags) {
    return guarded([&] {
        return copy_matrix(
            {.id = msid, .flags = flags, .same_flags = true, .root = root, .rows = Request::Rows::at_root},
            matrix_counts, matrix_sizes);
    });
}

int MPI_M_flush(MPI_M_msid msid, const char* filename, int flags) {
    return guarded([&] { return strata::introspection::flush_row(msid, filename, flags); });
}

int MPI_M_rootflush(MPI_M_msid msid, int root, const char* filename, int flags) {
    return guarded([&] { return strata::introspection::flush_matrix(msid, root, filename, flags); });
}

#pragma GCC visibility pop
