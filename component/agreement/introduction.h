#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "component/base/peer_table.h"
#include "component/openmpi/set_up.h"
#include "component/report/counters.h"

namespace strata::component {

/// Compares the records of all processes of a communicator, then exchanges them. Collective over the
/// processes that have published a record. Published data are final before the start-up fence, so every
/// request for a record has one answer: alike, or odd (no plugin, another version, other settings). Both
/// sides of a pair find the same, and a process waits for messages from alike processes only.
/// docs/design/agreement.md explains why this needs no further safeguard.
///
///   members of a node   compare themselves with the node's first process, send it what they found, and
///                       receive the result
///   first processes     of N nodes, in ceil(log2 N) rounds of dissemination: in round k each sends what it
///                       knows to the one 2^k places on and receives from the one 2^k places back
///
/// Example: eight nodes with one process each; process 1 has another version.
///   0, 2, 3, 5 and 7 read the record of process 1 and find it odd: they send it nothing and expect nothing
///   4 and 6 do not read it; the first messages that they receive, from 3 and 5, report process 1
///   1 finds each of its partners odd, exchanges no message, and passes its calls through as the others do
///
/// Cost: a node requests the records of at most 2 ceil(log2 N) processes of other nodes, and two per member.
/// The comparison takes (2 (M - 1) + ceil(log2 N)) alpha with M processes per node. The records then take the
/// same ways, along a tree inside a node.
///
/// A process that cannot read a record (PMIx repeatedly returns an error) receives nothing from that process,
/// still sends, and makes every process pass its calls through.
class Introduction {
public:
    /// `own`: the record that this process has published.
    Introduction(SetUp& set_up, ompi_communicator_t* comm, const char* key, std::span<const std::byte> own)
        : set_up_(set_up), comm_(comm), key_(key), own_(own) {}

    /// Adds all records to `table`, under `mutex`, if the processes can serve together. Otherwise sets
    /// `difference`, and one process logs the reason. Ends the job if a message fails or there is no memory
    /// for the records, because other processes wait for this one.
    algorithms::Task run(PeerTable& table, std::mutex& mutex, std::optional<ForwardReason>& difference);

    algorithms::Arena& frames() { return set_up_.frames(); }

private:
    static constexpr std::size_t most_odd = 8;
    static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
    /// What a process knows so far. merge() takes the minimum word by word.
    struct Word {
        std::uint64_t reason = none;
        std::uint64_t reporter = none;  ///< the lowest process that takes part
        std::uint64_t trouble = none;   ///< trouble_of() the lowest process that could not read a record
        std::array<std::uint64_t, most_odd> odd;  ///< the lowest processes that show the reason
        Word() { odd.fill(none); }
        void merge(const Word& other);
    };
    enum class Peer : std::uint8_t { alike, odd, unreadable };
    struct Member {
        int rank = 0;
        Peer peer = Peer::odd;
        std::vector<std::byte> record;
    };
    /// The first process of another node, a partner in some round.
    struct Other {
        std::size_t place = 0;
        int rank = 0;
        Peer peer = Peer::odd;
    };

    int own_rank() const { return ompi_comm_rank(comm_); }
    bool leads() const { return members_.front().rank == own_rank(); }
    std::uint32_t process_of(int rank) const;
    compat::Lookup node_of(int rank, std::string& node, int& status) const;
    bool is_whole_job() const;

    /// A request to PMIx and its answer.
    struct Question {
        std::size_t place = 0;             ///< place of a node
        int rank = 0;                      ///< rank of a process
        std::optional<ForwardReason> odd;  ///< difference that the process's record shows
        std::vector<std::byte> record;     ///< empty if odd
    };
    using Ask = compat::Lookup (Introduction::*)(Question&, int& status);
    class Answer;
    Answer patiently(Ask ask, Question& question);
    void note_trouble(std::uint64_t trouble);

    compat::Lookup read(Question& question, int& status);
    Peer judge(bool answered, const Question& question);
    void note_odd(ForwardReason reason, int rank);

    compat::Lookup find_members(Question&, int& status);
    compat::Lookup find_own_place(Question&, int& status);
    compat::Lookup reserve_others(Question&, int& status);
    compat::Lookup find_first(Question& question, int& status);
    algorithms::Task find_others();
    const Other& other(std::size_t places_on) const;

    algorithms::Task try_steps();
    algorithms::Task send_to_all();
    algorithms::Task meet_as_member();
    algorithms::Task meet_as_leader();
    algorithms::Task disseminate();
    void report() const;

    struct TradeRoom;
    class Trade;
    algorithms::Task gather_records(TradeRoom& room, std::vector<std::byte>& records);
    algorithms::Task spread_in_node(TradeRoom& room, std::vector<std::byte>& records);
    algorithms::Task exchange_records(PeerTable& table, std::mutex& mutex);
    void add_records(std::span<const std::byte> nodes, PeerTable& table, std::mutex& mutex) const;
    template <class Step>
    void again(Step&& step) const noexcept;

    /// `co_await Message(...)`: completes a message in flight. Ends the job if it fails.
    class Message : public algorithms::Awaitable<Message> {
    public:
        Message(const Introduction& all, ompi_request_t* request) : all_(all), request_(request) {}
        int poll() { return all_.test(request_); }

    private:
        const Introduction& all_;
        ompi_request_t* request_;
    };
    Message send(int to, const void* data, std::size_t bytes) const {
        return {*this, begin_to_send(to, data, bytes)};
    }
    ompi_request_t* begin_to_send(int to, const void* data, std::size_t bytes) const;
    ompi_request_t* begin_receive(int from, void* data, std::size_t bytes) const;
    int test(ompi_request_t*& request) const;

    SetUp& set_up_;
    ompi_communicator_t* comm_;
    const char* key_;
    std::span<const std::byte> own_;
    Word word_;
    bool unable_ = false;  ///< a request has failed permanently: no further requests

    std::vector<Member> members_;     ///< processes of this node, ascending, with this one
    std::vector<std::string> nodes_;  ///< names, ascending; empty if every process is a node
    std::vector<int> firsts_;    ///< first process per node; filled only if every process had to be looked up
    std::size_t count_ = 0;      ///< number of nodes
    std::size_t place_ = 0;      ///< place of this node; on its first process only
    std::vector<Other> others_;  ///< partners; on the node's first process only
};

}  // namespace strata::component
