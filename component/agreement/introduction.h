#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "component/base/peer_table.h"
#include "component/openmpi/ompi_compat.h"
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
    Introduction(ompi_communicator_t* comm, const char* key, std::span<const std::byte> own)
        : comm_(comm), key_(key), own_(own) {}

    /// Adds the records of all to `table`, under `mutex`, where they can serve together; else one process
    /// says why not. Ends the job where a message fails or there is no memory left for the others' records:
    /// they wait for it.
    std::optional<ForwardReason> run(PeerTable& table, std::mutex& mutex) noexcept;

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

    template <class Ask>
    bool patiently(Ask&& ask) noexcept;
    Peer ask_for(int rank, std::vector<std::byte>* record = nullptr) noexcept;
    void note_odd(ForwardReason reason, int rank);

    bool find_members();
    bool find_own_place();
    compat::Lookup first_of(std::size_t place, int& first, int& status);
    bool find_others();
    const Other& other(std::size_t places_on) const;

    void try_steps();
    void send_to_everybody();
    void meet_as_member();
    void meet_as_leader();
    void disseminate();
    void report() const;

    std::vector<std::byte> trade(int to, std::span<const std::byte> going, int from);
    std::vector<std::byte> gather_records();
    std::vector<std::byte> spread_in_node(std::vector<std::byte> records);
    void exchange_records(PeerTable& table, std::mutex& mutex);

    void send(int to, const void* data, std::size_t bytes);
    ompi_request_t* begin_receive(int from, void* data, std::size_t bytes);
    void wait_for(ompi_request_t* request);

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
