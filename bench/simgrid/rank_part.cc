#include "rank_part.h"

#include <smpi/smpi.h>

#include <algorithm>
#include <cstring>

namespace strata::simulation {
namespace {

using algorithms::Collective;

/// Of the one machine that a process simulates; operators of MPI know no more than their operands.
double combine_bytes_per_s = 1e9;

/// Takes the time of `bytes` of one operand.
void take_time_of_combine(std::size_t bytes) {
    smpi_execute(static_cast<double>(bytes) / combine_bytes_per_s);
}

void combine_doubles(const double* left, double* right, std::size_t bytes) {
    take_time_of_combine(bytes);
    for (std::size_t i = 0; i < bytes / sizeof(double); ++i) right[i] += left[i];
}

void combine_for_mpi(void* left, void* right, int* count, MPI_Datatype*) {
    combine_doubles(static_cast<const double*>(left), static_cast<double*>(right),
                    static_cast<std::size_t>(*count) * sizeof(double));
}

class Sum final : public algorithms::Reduction {
public:
    Sum() : Reduction(sizeof(double)) {}
    int combine(const std::byte* left, std::byte* right, std::size_t bytes) override {
        combine_doubles(reinterpret_cast<const double*>(left), reinterpret_cast<double*>(right), bytes);
        return MPI_SUCCESS;
    }
};

double summand(int rank, std::size_t place) { return rank + static_cast<double>(place % 1000); }

std::byte letter(int rank, std::size_t place) {
    return static_cast<std::byte>((static_cast<std::size_t>(rank) * 131 + place * 7 + (place >> 8)) & 0xFF);
}

void write_letters(std::byte* data, std::size_t bytes, int rank) {
    for (std::size_t i = 0; i < bytes; ++i) data[i] = letter(rank, i);
}

bool has_letters(const std::byte* data, std::size_t bytes, int rank) {
    for (std::size_t i = 0; i < bytes; ++i) {
        if (data[i] != letter(rank, i)) return false;
    }
    return true;
}

}  // namespace

std::size_t memory_of(const Call& call, int ranks) {
    return call.bytes + static_cast<std::size_t>(ranks) * sizeof(double);
}

RankPart::RankPart(MPI_Comm comm, const Machine& machine, std::span<std::byte> shared, Traffic& traffic)
    : comm_(comm),
      eager_bytes_(machine.eager_bytes),
      shared_(shared),
      transport_(comm, machine.eager_bytes, traffic) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
    combine_bytes_per_s = machine.combine_mbytes_per_s * 1e6;
    MPI_Op_create(combine_for_mpi, 1, &sum_);
}

RankPart::~RankPart() { MPI_Op_free(&sum_); }

void RankPart::warm_up() {
    for (int op = 0; op < algorithms::collective_count; ++op) {
        const auto collective = static_cast<Collective>(op);
        const algorithms::CollectiveTraits& traits = algorithms::traits_of(collective);
        if (!traits.has_data() || traits.unequal) continue;
        const Call call{collective, static_cast<std::size_t>(size_) * sizeof(double), 0};
        prepare(call);
        perform_mpi(call);
    }
}

bool RankPart::has_result(const Call& call) const {
    return !algorithms::traits_of(call.collective).rooted || rank_ == call.root;
}

int RankPart::acknowledged_barrier() const {
    int code = MPI_SUCCESS;
    const auto step = [&](auto call, int peer) {
        char nothing = 0;
        if (code == MPI_SUCCESS) code = call(&nothing, peer);
    };
    const auto send = [this](char* data, int peer) { return MPI_Send(data, 0, MPI_CHAR, peer, 1, comm_); };
    const auto receive = [this](char* data, int peer) {
        return MPI_Recv(data, 0, MPI_CHAR, peer, 1, comm_, MPI_STATUS_IGNORE);
    };
    if (rank_ != 0) {
        step(send, 0);
        step(receive, 0);
        return code;
    }
    for (int peer = 1; peer < size_; ++peer) step(receive, peer);
    for (int peer = 1; peer < size_; ++peer) step(send, peer);
    return code;
}

void RankPart::prepare(const Call& call) {
    const std::size_t half = memory_of(call, size_);
    if (shared_.empty()) own_memory_.assign(2 * half, std::byte{0});
    send_ = shared_.empty() ? own_memory_.data() : shared_.data();
    receive_ = send_ + half;
    const algorithms::CollectiveTraits& traits = algorithms::traits_of(call.collective);
    if (!shared_.empty() || !traits.has_data()) return;
    if (traits.combines) {
        for (std::size_t i = 0; i < call.bytes / sizeof(double); ++i) {
            reinterpret_cast<double*>(send_)[i] = summand(rank_, i);
        }
    } else if (!traits.from_root()) {
        write_letters(send_, block_bytes(call), rank_);
    } else if (rank_ == call.root && traits.vectors) {
        write_letters(receive_, call.bytes, call.root);
    } else if (rank_ == call.root) {
        for (int i = 0; i < size_; ++i) write_letters(block_of(call, i), block_bytes(call), i);
    }
}

std::string RankPart::verdict(const Call& call) const {
    const algorithms::CollectiveTraits& traits = algorithms::traits_of(call.collective);
    if (!shared_.empty() || forwarded_ || !traits.has_data()) return {};
    bool right = true;
    if (traits.combines) {
        for (std::size_t i = 0; i < call.bytes / sizeof(double) && has_result(call); ++i) {
            const double sum = size_ * summand(0, i) + size_ * (size_ - 1) / 2.0;
            right = right && reinterpret_cast<const double*>(receive_)[i] == sum;
        }
    } else if (traits.vectors) {
        right = has_letters(receive_, call.bytes, call.root);
    } else if (traits.from_root()) {
        right = has_letters(send_, block_bytes(call), rank_);
    } else {
        for (int i = 0; i < size_ && has_result(call); ++i) {
            right = right && has_letters(block_of(call, i), block_bytes(call), i);
        }
    }
    return right ? "" : "rank " + std::to_string(rank_) + " has wrong data";
}

int RankPart::perform(Contender& contender, const Call& call) {
    forwarded_ = false;
    if (contender.gathers()) return perform_gathers(contender, call);
    if (contender.is_mpi()) return perform_mpi(call);
    const algorithms::Plan& plan = contender.plan(call);
    if (plan.engine == algorithms::Engine::forward) {
        forwarded_ = true;
        const std::span<std::byte> memory = shared_.empty() ? std::span<std::byte>(own_memory_) : shared_;
        const auto underlying =
            contender.underlying_component(call);  // others may come to the next call meanwhile
        return underlying->perform(comm_, eager_bytes_, memory, take_time_of_combine);
    }
    return perform_plan(contender, call, plan);
}

int RankPart::perform_mpi(const Call& call) {
    const auto count = static_cast<int>(call.bytes);
    const auto doubles = static_cast<int>(call.bytes / sizeof(double));
    const auto block = static_cast<int>(block_bytes(call));
    switch (call.collective) {
        case Collective::bcast: return MPI_Bcast(receive_, count, MPI_BYTE, call.root, comm_);
        case Collective::reduce:
            return MPI_Reduce(send_, receive_, doubles, MPI_DOUBLE, sum_, call.root, comm_);
        case Collective::allreduce: return MPI_Allreduce(send_, receive_, doubles, MPI_DOUBLE, sum_, comm_);
        case Collective::allgather:
            return MPI_Allgather(send_, block, MPI_BYTE, receive_, block, MPI_BYTE, comm_);
        case Collective::gather:
            return MPI_Gather(send_, block, MPI_BYTE, receive_, block, MPI_BYTE, call.root, comm_);
        case Collective::scatter:
            return MPI_Scatter(receive_, block, MPI_BYTE, send_, block, MPI_BYTE, call.root, comm_);
        case Collective::barrier: return MPI_Barrier(comm_);
        default: return MPI_ERR_UNSUPPORTED_OPERATION;
    }
}

int RankPart::perform_gathers(const Contender& contender, const Call& call) {
    auto* const own = reinterpret_cast<double*>(send_);
    std::vector<double> vector(own, own + call.bytes / sizeof(double));
    const int code = level_gathers_.at(&contender.hierarchy()).reduce(vector, combine_doubles);
    if (has_result(call)) std::memcpy(receive_, vector.data(), call.bytes);
    return code;
}

/// Returns the blocks that this rank has or receives, where they lie; all others have no memory.
std::span<algorithms::Block> RankPart::blocks_of(const Call& call) {
    const std::size_t bytes = block_bytes(call);
    const bool all = has_result(call);
    blocks_.assign(static_cast<std::size_t>(size_), {nullptr, bytes});
    for (int i = 0; i < size_ && all; ++i) blocks_[static_cast<std::size_t>(i)].data = block_of(call, i);
    algorithms::Block& own = blocks_[static_cast<std::size_t>(rank_)];
    if (!all) {
        own.data = send_;
    } else if (algorithms::traits_of(call.collective).from_root()) {
        std::memmove(send_, own.data, bytes);
    } else {
        std::memmove(own.data, send_, bytes);
    }
    return blocks_;
}

int RankPart::perform_plan(Contender& contender, const Call& call, const algorithms::Plan& plan) {
    const topology::Hierarchy& hierarchy = contender.hierarchy();
    const algorithms::Routing& routing =
        routings_.try_emplace(&hierarchy, hierarchy, no_rails_, rank_).first->second;
    const algorithms::Performer performer{transport_, arena_, routing, plan, kept_[&plan]};
    const algorithms::Operation operation = contender.operation(call);
    const algorithms::CollectiveTraits& traits = algorithms::traits_of(call.collective);
    algorithms::PackedBuffer own(send_, call.bytes);
    algorithms::PackedBuffer result(receive_, call.bytes);
    Sum sum;
    const auto task = [&] {
        if (traits.blocks) {
            return perform_blocks(performer, operation, direction_of(traits), blocks_of(call));
        }
        if (!traits.vectors) return perform_barrier(performer, operation.root);
        if (!traits.combines) return perform_bcast(performer, call.root, result);
        if (!traits.rooted) return perform_allreduce(performer, operation, {own, &result}, sum);
        return perform_reduce(performer, operation, {own, has_result(call) ? &result : nullptr}, sum);
    };
    const int code = algorithms::complete(transport_, task());
    arena_.reset();
    return code;
}

}  // namespace strata::simulation
