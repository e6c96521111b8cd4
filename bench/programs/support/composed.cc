// Composes every operation of others that do at least as much work. None should beat the operation
// itself.

#include <algorithm>
#include <cstring>

#include "mockups.h"

namespace bench {

namespace {

class Composed : public Calls {
public:
    using Calls::Calls;

    // Scatter and Allgather of equal parts, through a second buffer where the data does not divide
    // equally.
    void bcast(char* buffer, int bytes, int root) override {
        const int each = (bytes + size() - 1) / size();
        const bool cut = each * size() != bytes;
        char* const whole = cut ? scratch(each * size()) : buffer;
        if (cut && rank() == root) std::memcpy(whole, buffer, static_cast<std::size_t>(bytes));
        char* const mine = whole + static_cast<std::ptrdiff_t>(rank()) * each;
        MPI_Scatter(whole, each, MPI_BYTE, rank() == root ? MPI_IN_PLACE : mine, each, MPI_BYTE, root,
                    comm());
        // coll/tuned 4.1 decides by the sent bytes, in place too.
        MPI_Allgather(MPI_IN_PLACE, each, MPI_BYTE, whole, each, MPI_BYTE, comm());
        if (cut && rank() != root) std::memcpy(buffer, whole, static_cast<std::size_t>(bytes));
    }

    void reduce(const double* own, double* sum, int count, int root) override {
        if (rank() != root) doubles_.resize(std::max(doubles_.size(), static_cast<std::size_t>(count)));
        MPI_Allreduce(own, rank() == root ? sum : doubles_.data(), count, MPI_DOUBLE, MPI_SUM, comm());
    }

    void allreduce(const double* own, double* sum, int count) override {
        MPI_Reduce(own, sum, count, MPI_DOUBLE, MPI_SUM, 0, comm());
        MPI_Bcast(sum, count, MPI_DOUBLE, 0, comm());
    }

    void allgather(const char* own, int each, char* whole) override {
        MPI_Gather(own, each, MPI_BYTE, whole, each, MPI_BYTE, 0, comm());
        MPI_Bcast(whole, each * size(), MPI_BYTE, 0, comm());
    }

    void gather(const char* own, int each, char* whole, int root) override {
        char* const all = rank() == root ? whole : scratch(each * size());
        MPI_Allgather(own, each, MPI_BYTE, all, each, MPI_BYTE, comm());
    }

    void barrier() override {
        const unsigned char own = 1;
        unsigned char all = 0;
        MPI_Allreduce(&own, &all, 1, MPI_BYTE, MPI_BAND, comm());
    }

private:
    char* scratch(int bytes) {
        bytes_.resize(std::max(bytes_.size(), static_cast<std::size_t>(bytes)));
        return bytes_.data();
    }

    std::vector<double> doubles_;
    std::vector<char> bytes_;
};

}  // namespace

std::unique_ptr<Calls> make_composed(MPI_Comm comm, std::span<const int> /*node_of*/) {
    return std::make_unique<Composed>(comm);
}

}  // namespace bench
