// The hybrid mock-up: segments move along a chain of leaders, one per node; on its way each goes through an
// operation of the node's communicator. All receives from other nodes are posted before the first of these
// begins, so that its loop drives their progress.

#include <algorithm>

#include "mockups.h"
#include "nodewise_calls.h"

namespace bench {

namespace {

constexpr int segment_bytes = 32 << 10;
constexpr int tag = 0;

// One call's messages between the leaders. The root leads the first node; `forwards` says which way they go.
class Chain {
public:
    Chain(const NodeSplit& split, bool forwards, MPI_Datatype type)
        : comm_(split.across),
          type_(type),
          from_(neighbour(split, forwards ? -1 : 1)),
          to_(neighbour(split, forwards ? 1 : -1)) {}
    ~Chain() { MPI_Waitall(static_cast<int>(sends_.size()), sends_.data(), MPI_STATUSES_IGNORE); }
    Chain(const Chain&) = delete;
    Chain& operator=(const Chain&) = delete;

    bool receives() const { return from_ != MPI_PROC_NULL; }
    // Ranks without a neighbour, and all but the leaders, move nothing.
    void post(void* data, int count) {
        receives_.push_back(MPI_REQUEST_NULL);
        if (receives()) MPI_Irecv(data, count, type_, from_, tag, comm_, &receives_.back());
    }
    void await(std::size_t segment) { MPI_Wait(&receives_[segment], MPI_STATUS_IGNORE); }
    void pass_on(const void* data, int count) {
        if (to_ == MPI_PROC_NULL) return;
        sends_.push_back(MPI_REQUEST_NULL);
        MPI_Isend(data, count, type_, to_, tag, comm_, &sends_.back());
    }

private:
    static int neighbour(const NodeSplit& split, int step) {
        const int node = split.index + step;
        return split.leads() && node >= 0 && node < split.nodes() ? node : MPI_PROC_NULL;
    }

    MPI_Comm comm_;
    MPI_Datatype type_;
    int from_, to_;
    std::vector<MPI_Request> receives_, sends_;
};

// Calls `work` with the number, the start and the length of every segment, in elements.
template <typename Work>
void for_segments(int count, int most, Work work) {
    std::size_t number = 0;
    for (int start = 0; start < count || number == 0; start += most, ++number)
        work(number, start, std::min(most, count - start));
}

class Hybrid : public NodewiseCalls {
public:
    using NodewiseCalls::NodewiseCalls;

    void bcast(char* buffer, int bytes, int root) override {
        const NodeSplit& split = splits_.of(root);
        Chain chain(split, true, MPI_BYTE);
        for_segments(bytes, segment_bytes,
                     [&](std::size_t, int start, int length) { chain.post(buffer + start, length); });
        for_segments(bytes, segment_bytes, [&](std::size_t segment, int start, int length) {
            chain.await(segment);
            chain.pass_on(buffer + start, length);
            MPI_Bcast(buffer + start, length, MPI_BYTE, 0, split.node);
        });
    }

    void reduce(const double* own, double* sum, int count, int root) override {
        const NodeSplit& split = splits_.of(root);
        Chain chain(split, false, MPI_DOUBLE);
        constexpr int most = segment_bytes / static_cast<int>(sizeof(double));
        if (split.leads() && !split.roots()) sum_.resize(static_cast<std::size_t>(count));
        if (chain.receives()) others_.resize(static_cast<std::size_t>(count));
        double* const total = split.roots() ? sum : sum_.data();
        if (!split.leads()) {
            for_segments(count, most, [&](std::size_t, int start, int length) {
                MPI_Reduce(own + start, nullptr, length, MPI_DOUBLE, MPI_SUM, 0, split.node);
            });
            return;
        }
        if (chain.receives()) {
            for_segments(count, most, [&](std::size_t, int start, int length) {
                chain.post(others_.data() + start, length);
            });
        }
        for_segments(count, most, [&](std::size_t segment, int start, int length) {
            MPI_Reduce(own + start, total + start, length, MPI_DOUBLE, MPI_SUM, 0, split.node);
            if (chain.receives()) {
                chain.await(segment);
                MPI_Reduce_local(others_.data() + start, total + start, length, MPI_DOUBLE, MPI_SUM);
            }
            chain.pass_on(total + start, length);
        });
    }

private:
    std::vector<double> sum_, others_;  // of the node and those before it; of the latter
};

}  // namespace

std::unique_ptr<Calls> make_hybrid(MPI_Comm comm, std::span<const int> node_of) {
    return std::make_unique<Hybrid>(comm, node_of);
}

}  // namespace bench
