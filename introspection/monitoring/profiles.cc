#include "profiles.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <string>
#include <utility>

#include "monitor.h"

namespace strata::introspection {

namespace {

/// A file that is written completely, or else reports the reason.
class Profile {
public:
    Profile(const char* function, std::string name)
        : function_(function), name_(std::move(name)), file_(std::fopen(name_.c_str(), "w")) {
        if (file_ == nullptr) {
            error_ = errno;
        }
    }
    Profile(const Profile&) = delete;
    Profile& operator=(const Profile&) = delete;
    ~Profile() {
        if (file_ != nullptr) {
            std::fclose(file_);
        }
    }

    void write(const std::string& text) {
        if (file_ != nullptr && std::fwrite(text.data(), 1, text.size(), file_) != text.size()) {
            error_ = errno;
        }
    }
    /// Returns MPI_SUCCESS or MPI_M_INTERNAL_FAIL.
    int close() {
        if (file_ != nullptr && std::fclose(file_) != 0) {
            error_ = errno;
        }
        file_ = nullptr;
        if (error_ != 0) {
            std::fprintf(stderr, "MPI_Monitoring: %s cannot write %s: %s\n", function_, name_.c_str(),
                         std::strerror(error_));
        }
        return error_ == 0 ? MPI_SUCCESS : MPI_M_INTERNAL_FAIL;
    }

private:
    const char* function_;
    std::string name_;
    std::FILE* file_;
    int error_ = 0;
};

bool is_name(const char* filename) { return filename != nullptr && *filename != '\0'; }

int world_rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

std::string kinds(int flags) {
    std::string text;
    for (const auto& [flag, name] :
         {std::pair{MPI_M_P2P_ONLY, "P2P"}, {MPI_M_COLL_ONLY, "COLL"}, {MPI_M_OSC_ONLY, "OSC"}}) {
        if ((flags & flag) != 0) {
            text += (text.empty() ? "" : "+") + std::string(name);
        }
    }
    return text;
}

int write_row(const Monitor::View& view, const char* filename, int flags) {
    const std::size_t n = view.members();
    const int rank = view.session->communicator().rank();
    Profile profile("MPI_M_flush", std::string(filename) + '.' + std::to_string(rank) + ".prof");
    profile.write("# sent by rank " + std::to_string(rank) + " of " + std::to_string(n) + ", rank " +
                  std::to_string(world_rank()) + " of MPI_COMM_WORLD, " + kinds(flags) +
                  "\n# peer messages bytes\n");
    for (std::size_t i = 0; i < n; ++i) {
        profile.write(std::to_string(i) + ' ' + std::to_string(view.row[i]) + ' ' +
                      std::to_string(view.row[n + i]) + '\n');
    }
    return profile.close();
}

/// `first`: offset in a row of 2 n words of the n words to write.
int write_matrix(const Monitor::View& view, const std::string& name, std::size_t first) {
    const std::size_t n = view.members();
    Profile profile("MPI_M_rootflush", name);
    for (std::size_t row = 0; row < n; ++row) {
        std::string line;
        for (std::size_t column = 0; column < n; ++column) {
            line += (column == 0 ? "" : " ") + std::to_string(view.matrix[2 * n * row + first + column]);
        }
        profile.write(line + '\n');
    }
    return profile.close();
}

template <class Write>
int attempted(Write write) {
    try {
        return write();
    } catch (const std::bad_alloc&) {
        return MPI_M_INTERNAL_FAIL;
    }
}

}  // namespace

int flush_row(MPI_M_msid id, const char* filename, int flags) {
    Monitor::View view;
    const Monitor::Request request = {
        .id = id, .flags = flags, .same_flags = false, .valid = is_name(filename)};
    const int code = Monitor::instance().view(request, view);
    if (code != MPI_SUCCESS) {
        return code;
    }
    return Monitor::agree(view, attempted([&] { return write_row(view, filename, flags); }));
}

int flush_matrix(MPI_M_msid id, int root, const char* filename, int flags) {
    Monitor::View view;
    const Monitor::Request request = {.id = id,
                                      .flags = flags,
                                      .same_flags = true,
                                      .root = root,
                                      .rows = Monitor::Request::Rows::at_root,
                                      .valid = is_name(filename)};
    int code = Monitor::instance().view(request, view);
    if (code != MPI_SUCCESS) {
        return code;
    }
    if (view.session->communicator().rank() == root) {
        code = attempted([&] {
            const std::string number = '.' + std::to_string(world_rank()) + ".prof";
            const int counts = write_matrix(view, std::string(filename) + "_counts" + number, 0);
            const int sizes = write_matrix(view, std::string(filename) + "_sizes" + number, view.members());
            return std::max(counts, sizes);
        });
    }
    return Monitor::agree(view, code);
}

}  // namespace strata::introspection
