// The second half of introduction.h: all processes are alike and exchange their records.
#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>

#include "component/agreement/introduction.h"
#include "component/base/published_data.h"
#include "component/openmpi/last_resort.h"
#include "component/openmpi/point_to_point.h"

namespace strata::component {

using algorithms::Task;

namespace {

using Bytes = std::vector<std::byte>;

/// Used only here, and never by non-blocking collectives: a process that could not read a record sends to
/// processes that may not receive, and such a message stays in the queue.
constexpr int introduction_tag = -5;
static_assert(introduction_tag > MCA_COLL_BASE_TAG_ALLGATHER && introduction_tag < MPI_ANY_TAG);

}  // namespace

/// Repeats a step that others wait for if memory is short for a moment; then ends the job.
template <class Step>
void Introduction::again(Step&& step) const noexcept {
    const char* why = nullptr;
    for (int tries = 3; tries > 0; --tries) {
        try {
            return step();
        } catch (const std::bad_alloc&) {
            why = "it has no memory left for the records of the other processes";
        } catch (...) {
            why = "it lacks the records of other processes";
        }
        reserve().give_back();
    }
    end_job(comm_, why);
}

ompi_request_t* Introduction::begin_to_send(int to, const void* data, std::size_t bytes) const {
    for (int tries = 3; tries > 0; --tries) {
        ompi_request_t* request = nullptr;
        if (pml::isend(data, bytes, to, introduction_tag, comm_, request) == OMPI_SUCCESS) {
            return request;
        }
        reserve().give_back();
    }
    end_job(comm_, "a message to another process failed while they compared their records");
}

ompi_request_t* Introduction::begin_receive(int from, void* data, std::size_t bytes) const {
    for (int tries = 3; tries > 0; --tries) {
        ompi_request_t* request = nullptr;
        if (pml::irecv(data, bytes, from, introduction_tag, comm_, request) == OMPI_SUCCESS) {
            return request;
        }
        reserve().give_back();
    }
    end_job(comm_, "a message from another process cannot be received");
}

/// Returns the state of a message; a null request is complete. Ends the job after an error.
int Introduction::test(ompi_request_t*& request) const {
    const int rc = request != nullptr ? set_up_.test(request) : OMPI_SUCCESS;
    if (rc == OMPI_SUCCESS || rc == algorithms::under_way) return rc;
    end_job(comm_, compat::is_failed_process(rc)
                       ? "another process has died while they compared their records"
                       : "a message from another process failed while they compared their records");
}

/// Buffers for the part of a message that travels together with its length.
struct Introduction::TradeRoom {
    struct First {
        std::uint64_t size;
        std::array<std::byte, 4000> bytes;
        std::size_t here() const { return std::min<std::size_t>(size, bytes.size()); }
        std::size_t length() const { return sizeof size + here(); }
    };
    First out;
    First in;
};

/// `co_await Trade(...)`: sends bytes to one process and receives bytes from another; a negative rank omits
/// that part. Up to 4,000 bytes travel in one message with their length, the rest in a second one.
class Introduction::Trade : public algorithms::Awaitable<Trade> {
public:
    Trade(const Introduction& all, TradeRoom& room, int to, std::span<const std::byte> going, int from,
          Bytes& coming)
        : all_(all), room_(room), to_(to), going_(going), from_(from), coming_(coming) {}

    int poll() {
        if (!std::exchange(begun_, true)) begin();
        if (!arrived()) return algorithms::under_way;
        if (std::exchange(goes_on_, true)) return OMPI_SUCCESS;
        go_on();
        return arrived() ? OMPI_SUCCESS : algorithms::under_way;
    }

private:
    void begin() {
        room_.out.size = going_.size();
        room_.in.size = 0;
        std::ranges::copy(going_.first(room_.out.here()), room_.out.bytes.begin());
        if (from_ >= 0) receiving_ = all_.begin_receive(from_, &room_.in, sizeof room_.in);
        if (to_ >= 0) sending_ = all_.begin_to_send(to_, &room_.out, room_.out.length());
    }

    /// Starts the second messages, if there is a rest.
    void go_on() {
        const std::size_t here = room_.in.here();
        all_.again([&] { coming_.resize(room_.in.size); });
        std::ranges::copy(std::span(room_.in.bytes).first(here), coming_.begin());
        if (coming_.size() > here) {
            receiving_ = all_.begin_receive(from_, &coming_[here], coming_.size() - here);
        }
        const auto rest = going_.subspan(room_.out.here());
        if (to_ >= 0 && !rest.empty()) sending_ = all_.begin_to_send(to_, rest.data(), rest.size());
    }

    bool arrived() { return all_.test(sending_) == OMPI_SUCCESS && all_.test(receiving_) == OMPI_SUCCESS; }

    const Introduction& all_;
    TradeRoom& room_;
    int to_;
    std::span<const std::byte> going_;
    int from_;
    Bytes& coming_;
    ompi_request_t* sending_ = nullptr;
    ompi_request_t* receiving_ = nullptr;
    bool begun_ = false;
    bool goes_on_ = false;
};

/// On the first process of a node: collects the records of all nodes, in the order of places back. The number
/// of known nodes doubles in each round; the last round sends only the missing ones.
Task Introduction::gather_records(TradeRoom& room, Bytes& records) {
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
        Bytes coming;
        co_await Trade(*this, room, other(known).rank, going, other(count_ - known).rank, coming);
        again([&] { records.insert(records.end(), coming.begin(), coming.end()); });
    }
    co_return OMPI_SUCCESS;
}

/// Sends the records along a tree in which a process has up to seven children per level.
Task Introduction::spread_in_node(TradeRoom& room, Bytes& records) {
    constexpr std::size_t radix = 8;
    constexpr int no_rank = -1;
    const auto self = std::ranges::find(members_, own_rank(), &Member::rank);
    const auto own = static_cast<std::size_t>(self - members_.begin());
    std::size_t below = 1;  // the subtree covers this many places
    while (below < members_.size() && own % (below * radix) == 0) below *= radix;
    if (own != 0) {
        co_await Trade(*this, room, no_rank, {}, members_[own - own % (below * radix)].rank, records);
    }
    for (std::size_t step = below / radix; step > 0; step /= radix) {
        for (std::size_t to = own + step; to < std::min(own + step * radix, members_.size()); to += step) {
            Bytes nothing;
            co_await Trade(*this, room, members_[to].rank, records, no_rank, nothing);
        }
    }
    co_return OMPI_SUCCESS;
}

Task Introduction::exchange_records(PeerTable& table, std::mutex& mutex) {
    std::unique_ptr<TradeRoom> room;
    again([&] { room = std::make_unique<TradeRoom>(); });
    Bytes records;
    if (leads()) co_await gather_records(*room, records);
    co_await spread_in_node(*room, records);
    again([&] { add_records(records, table, mutex); });
    co_return OMPI_SUCCESS;
}

void Introduction::add_records(std::span<const std::byte> nodes, PeerTable& table, std::mutex& mutex) const {
    const std::lock_guard lock(mutex);
    table.reserve(compat::own_job_size());
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
}

}  // namespace strata::component
