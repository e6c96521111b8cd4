// The second half of introduction.h: all are alike, and their records go to all.
#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "component/agreement/introduction.h"
#include "component/base/published_data.h"
#include "component/openmpi/last_resort.h"

namespace strata::component {
namespace {

using Bytes = std::vector<std::byte>;

/// Nobody else's, nor will a non-blocking collective ever get to it: who is told by a process that cannot
/// know whether it listens may not, and the message stays.
constexpr int introduction_tag = -5;
static_assert(introduction_tag > MCA_COLL_BASE_TAG_ALLGATHER && introduction_tag < MPI_ANY_TAG);

/// Does a step of which others wait for the outcome: again where memory was short for a moment.
template <class Step>
void again(Step&& step) {
    for (int tries = 2; tries > 0; --tries) {
        try {
            return step();
        } catch (...) {
            reserve().give_back();
        }
    }
    step();
}

}  // namespace

void Introduction::send(int to, const void* data, std::size_t bytes) {
    for (int tries = 3; tries > 0; --tries) {
        ompi_request_t* request = nullptr;
        if (MCA_PML_CALL(isend(data, bytes, &ompi_mpi_byte.dt, to, introduction_tag,
                               MCA_PML_BASE_SEND_STANDARD, comm_, &request)) == OMPI_SUCCESS) {
            return wait_for(request);
        }
        reserve().give_back();
    }
    end_job(comm_, "a message to another process failed while they found out whether all have the plugin");
}

ompi_request_t* Introduction::begin_receive(int from, void* data, std::size_t bytes) {
    for (int tries = 3; tries > 0; --tries) {
        ompi_request_t* request = nullptr;
        if (MCA_PML_CALL(irecv(data, bytes, &ompi_mpi_byte.dt, from, introduction_tag, comm_, &request)) ==
            OMPI_SUCCESS) {
            return request;
        }
        reserve().give_back();
    }
    end_job(comm_, "a message from another process cannot be received");
}

/// Most wait for what a few have yet to send, and processes may share processors: so it sleeps in between.
void Introduction::wait_for(ompi_request_t* request) {
    constexpr std::chrono::microseconds longest_sleep{1000};
    for (std::chrono::microseconds pause{1}; !REQUEST_COMPLETE(request);) {
        opal_progress();
        if (REQUEST_COMPLETE(request) || compat::fail_if_peer_lost(request)) break;
        std::this_thread::sleep_for(pause);
        pause = std::min(2 * pause, longest_sleep);
    }
    const int rc = ompi_request_wait(&request, MPI_STATUS_IGNORE);
    if (compat::is_failed_process(rc)) {
        end_job(comm_, "another process has died while they found out whether all have the plugin");
    }
    if (rc != OMPI_SUCCESS) {
        end_job(comm_,
                "a message from another process failed while they found out whether all have the plugin");
    }
}

/// Sends bytes to one process and receives others from another; a negative rank stands for no process. Up to
/// 4,000 bytes travel in one message with their length, the rest in a second one.
std::vector<std::byte> Introduction::trade(int to, std::span<const std::byte> going, int from) {
    struct First {
        std::uint64_t size = 0;
        std::array<std::byte, 4000> bytes;
        std::size_t here() const { return std::min<std::size_t>(size, bytes.size()); }
        std::size_t length() const { return sizeof size + here(); }
    };
    First out{going.size(), {}};
    std::ranges::copy(going.first(out.here()), out.bytes.begin());
    First in{0, {}};
    ompi_request_t* request = from < 0 ? nullptr : begin_receive(from, &in, sizeof in);
    if (to >= 0) send(to, &out, out.length());
    if (request != nullptr) wait_for(request);
    Bytes coming;
    again([&] { coming.resize(in.size); });
    std::ranges::copy(std::span(in.bytes).first(in.here()), coming.begin());
    const bool more = in.size > in.here();
    request = more ? begin_receive(from, &coming[in.here()], in.size - in.here()) : nullptr;
    if (to >= 0 && going.size() > out.here()) send(to, &going[out.here()], going.size() - out.here());
    if (request != nullptr) wait_for(request);
    return coming;
}

/// On the first process of a node: those of all nodes, one after the other as they lie this many places back.
/// In each round twice as many are known as before, and in the last one only those are sent that are lacking.
std::vector<std::byte> Introduction::gather_records() {
    Bytes records;
    again([&] {
        Bytes node;
        records.clear();
        for (const Member& member : members_) {
            const std::span record = member.rank == own_rank() ? own_ : std::span(member.record);
            append_published(node, process_of(member.rank), record);
        }
        append_published(records, process_of(own_rank()), node);
    });
    for (Member& member : members_) member.record = {};
    for (std::size_t known = 1; known < count_; known *= 2) {
        const std::size_t lacking = std::min(known, count_ - known);
        std::span<const std::byte> rest = records;
        Published node;
        for (std::size_t i = 0; i < lacking; ++i) take_published(rest, node);
        const std::span going = std::span(records).first(records.size() - rest.size());
        const Bytes coming = trade(other(known).rank, going, other(count_ - known).rank);
        again([&] { records.insert(records.end(), coming.begin(), coming.end()); });
    }
    return records;
}

/// Along a tree in which each tells up to seven others per level.
std::vector<std::byte> Introduction::spread_in_node(std::vector<std::byte> records) {
    constexpr std::size_t radix = 8;
    constexpr int no_rank = -1;
    const auto self = std::ranges::find(members_, own_rank(), &Member::rank);
    const auto own = static_cast<std::size_t>(self - members_.begin());
    std::size_t below = 1;  // a process tells those less than this many places on
    while (below < members_.size() && own % (below * radix) == 0) below *= radix;
    if (own != 0) records = trade(no_rank, {}, members_[own - own % (below * radix)].rank);
    for (std::size_t step = below / radix; step > 0; step /= radix) {
        for (std::size_t to = own + step; to < std::min(own + step * radix, members_.size()); to += step) {
            trade(members_[to].rank, records, no_rank);
        }
    }
    return records;
}

void Introduction::exchange_records(PeerTable& table, std::mutex& mutex) {
    const Bytes all = spread_in_node(leads() ? gather_records() : Bytes{});
    again([&] {
        const std::lock_guard lock(mutex);
        table.reserve(compat::own_job_size());
        std::span<const std::byte> nodes = all;
        Published node;
        Published one;
        topology::LocalityRecord record;
        while (take_published(nodes, node)) {
            while (take_published(node.bytes, one) && topology::decode(one.bytes, record)) {
                table.add(one.process, record);
            }
        }
        for (int rank = 0; rank < ompi_comm_size(comm_); ++rank) {
            if (!table.has(process_of(rank))) throw std::logic_error("a record got lost");
        }
    });
}

}  // namespace strata::component
