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

/// The processes of a communicator learn of each other: whether all have this plugin, alike, and then what
/// each has published. Collective over those that have published a record.
///
/// What is published is final before the start-up fence. So a process may ask for another's record and gets
/// the one answer that there will ever be: it is alike, or it is odd (no plugin, another version, other
/// settings). Each asks only for those that it will receive from or tell, and both sides of a pair find the
/// same. It waits for a message only of those that are alike: they send one, whatever they find themselves.
///
///   members of a node          each asks for the record of the node's first one, which asks for theirs; each
///                              tells it what it found, and receives the outcome
///   first ones of the nodes    N of them, in ceil(log2 N) rounds: in round k each tells the one 2^k places
///                              on what it knows, and receives from the one 2^k places back (dissemination)
///
/// So a node asks for at most 2 ceil(log2 N) processes of others, and for two processes for each of its own.
/// What one is alike to nobody knows of goes unsaid: who finds an odd one between says so instead, and that
/// reaches all. A process that cannot read a record (PMIx gives another status, again and again) waits for
/// nobody there, still tells what others wait for, and is a reason to pass all calls through. Then all
/// records go the same two ways, inside a node along a tree: up to 4,000 bytes in one message, more in two.
///
/// Nodes are those of the launcher, and a communicator of the whole job in its order. On another one, which
/// comes up only in programs that use nothing but sessions, and under a launcher that does not name the
/// nodes, every process counts as a node of its own: the place of any other shows without a request.
class Introduction {
public:
    /// `own`: what this process has published.
    Introduction(SetUp& set_up, ompi_communicator_t* comm, const char* key, std::span<const std::byte> own)
        : set_up_(set_up), comm_(comm), key_(key), own_(own) {}

    /// Adds the records of all to `table`, under `mutex`, where they can serve together; else one process
    /// says why not, and `difference` is the reason. Ends the job where a message fails or there is no memory
    /// left for the others' records: they wait for it.
    algorithms::Task run(PeerTable& table, std::mutex& mutex, std::optional<ForwardReason>& difference);

    algorithms::Arena& frames() { return set_up_.frames(); }

private:
    static constexpr std::size_t most_odd = 8;
    static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
    /// What is known so far. The least counts, word by word.
    struct Word {
        std::uint64_t reason = none;
        std::uint64_t reporter = none;  ///< the lowest process that takes part
        std::uint64_t trouble = none;   ///< of the lowest that could not read a record: trouble_of()
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
    /// The first process of another node.
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

    /// What PMIx is asked, and what it has said.
    struct Question {
        std::size_t place = 0;             ///< of a node
        int rank = 0;                      ///< of a process
        std::optional<ForwardReason> odd;  ///< of what it has published
        std::vector<std::byte> record;     ///< where it is not odd
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
    algorithms::Task send_to_everybody();
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

    /// `co_await Message(...)`: a message that is under way. Ends the job where it fails.
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
    bool unable_ = false;  ///< a request has failed for good: no others are tried

    std::vector<Member> members_;     ///< of this node, ascending; this process among them
    std::vector<std::string> nodes_;  ///< by name, ascending; none where every process is one
    std::vector<int> firsts_;         ///< of their processes, where each process had to be asked for its node
    std::size_t count_ = 0;           ///< of nodes
    std::size_t place_ = 0;           ///< of this node; on its first process
    std::vector<Other> others_;       ///< there, too: those that it tells or receives from
};

}  // namespace strata::component
