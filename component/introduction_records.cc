// The second half of introduction.h: all are alike, and their records go to all.
#include <algorithm>
#include <chrono>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "introduction.h"
#include "last_resort.h"
#include "published_data.h"

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

ompi_request_t* Introduction::begin_to_hear(int from, void* data, std::size_t bytes) {
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
        if (REQUEST_COMPLETE(request) || compat::end_if_hopeless(request)) break;
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

/// On the first process of a node: those of all nodes, one after the other as they lie this many places back.
/// In each round twice as many are known as before, and in the last one only those are sent that are lacking.
std::vector<std::byte> Introduction::gather_records() {
    Bytes records;
    std::vector<std::uint64_t> sizes;  // of each node's
    again([&] {
        records.clear();
        for (const Member& member : members_) {
            const std::span record = member.rank == own_rank() ? own_ : std::span(member.record);
            append_published(records, process_of(member.rank), record);
        }
        sizes.assign(count_, 0);
        sizes.front() = records.size();
    });
    for (Member& member : members_) member.record = {};
    std::size_t known = 1;
    while (known < count_) {
        const std::size_t more = std::min(known, count_ - known);
        const int to = other(known).rank;
        const int from = other(count_ - known).rank;
        ompi_request_t* request = begin_to_hear(from, &sizes[known], more * sizeof sizes.front());
        send(to, sizes.data(), more * sizeof sizes.front());
        wait_for(request);
        const auto begin = sizes.begin();
        const auto end = [&](std::size_t node) { return begin + static_cast<std::ptrdiff_t>(node); };
        const std::size_t own = records.size();
        const auto going = std::accumulate(begin, end(more), std::uint64_t{0});
        const auto coming = std::accumulate(end(known), end(known + more), std::uint64_t{0});
        again([&] { records.resize(own + coming); });
        request = begin_to_hear(from, records.data() + own, coming);
        send(to, records.data(), going);
        wait_for(request);
        known += more;
    }
    return records;
}

/// Along a binomial tree.
std::vector<std::byte> Introduction::spread_in_node(std::vector<std::byte> records) {
    const auto self = std::ranges::find(members_, own_rank(), &Member::rank);
    const auto own = static_cast<std::size_t>(self - members_.begin());
    std::size_t bit = 1;
    while (bit < members_.size() && (own & bit) == 0) bit *= 2;
    std::uint64_t size = records.size();
    if (own != 0) {
        const int from = members_[own - bit].rank;
        wait_for(begin_to_hear(from, &size, sizeof size));
        again([&] { records.resize(size); });
        wait_for(begin_to_hear(from, records.data(), size));
    }
    for (bit /= 2; bit > 0; bit /= 2) {
        if (own + bit >= members_.size()) continue;
        const int to = members_[own + bit].rank;
        send(to, &size, sizeof size);
        send(to, records.data(), size);
    }
    return records;
}

void Introduction::exchange_records(PeerTable& table, std::mutex& mutex) {
    const Bytes all = spread_in_node(leads() ? gather_records() : Bytes{});
    again([&] {
        const std::lock_guard lock(mutex);
        table.reserve(compat::own_job_size());
        std::span<const std::byte> rest = all;
        Published one;
        topology::LocalityRecord record;
        while (take_published(rest, one)) {
            if (!topology::decode(one.bytes, record)) break;
            table.add(one.process, record);
        }
        for (int rank = 0; rank < ompi_comm_size(comm_); ++rank) {
            if (!table.has(process_of(rank))) throw std::logic_error("a record got lost");
        }
    });
}

}  // namespace strata::component
