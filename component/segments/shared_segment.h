#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "algorithms/node/boards.h"

namespace strata::component {

/// Anonymous memory with boards that processes of a node map: it has no name that could be left behind,
/// /dev/shm does not limit it, other users cannot open it, and the kernel frees it with its last process. Its
/// size never changes, so that no access fails later.
class SharedSegment {
public:
    /// How another process of the node finds a segment.
    struct Place {
        std::uint64_t token;  ///< a random number, in the name that the kernel shows for the memory
        std::uint64_t file;   ///< process and descriptor
    };

    SharedSegment() = default;
    SharedSegment(SharedSegment&& other) noexcept
        : boards_(std::exchange(other.boards_, {})), file_(std::exchange(other.file_, -1)) {}
    SharedSegment& operator=(SharedSegment&&) = delete;
    ~SharedSegment();

    /// Makes a segment, and sets `place`. Empty if the system does not allow it.
    static SharedSegment make(std::size_t boards, Place& place) noexcept;
    /// Maps another process's segment. Empty if this process cannot, such as in a container of its own. In
    /// another PID namespace the process number may be another one's: it opens no file of that one.
    static SharedSegment map(const Place& place) noexcept;

    std::span<algorithms::Board> boards() const { return boards_; }

private:
    static SharedSegment map_file(int file, std::size_t bytes, bool keeps_file) noexcept;

    std::span<algorithms::Board> boards_;
    int file_ = -1;  ///< the owner's, which others open
};

/// All segments of a process: its own, and those of others that it has mapped. Communicators borrow boards
/// from the segments of their rank 0's process, and give them back. So a further communicator with the same
/// rank 0 maps nothing. Processes are of one job, in which no name of a process comes back.
///
/// Memory: pages of boards that were written. Later communicators use them again, also where they lie near
/// the processors of the earlier one's ranks. A process maps at most `most_bytes`; before it refuses boards
/// it unmaps the segments that no communicator uses. An owner keeps a descriptor per segment. Threads may
/// call all functions at the same time.
class SharedSegments {
public:
    static constexpr std::size_t most_bytes = std::size_t{256} << 20;
    static constexpr std::size_t boards_per_segment = 16;  ///< at least

    using Process = std::pair<std::uint32_t, std::uint32_t>;  ///< job, number in it

    /// Boards in one of this process's segments, for one communicator.
    struct Loan {
        SharedSegment::Place place;
        std::uint32_t segment;  ///< number among the process's segments, from 0
        std::uint32_t first;
        std::uint32_t ranks;
    };

    /// Lends boards whose numbers are all zero. Empty if there is no room, or no memory.
    std::optional<Loan> borrow(std::size_t ranks) noexcept;
    /// Takes boards back. `shared`: other ranks may still use them until each has set Board::Read::left.
    void give_back(const Loan& loan, bool shared) noexcept;
    std::span<algorithms::Board> boards(const Loan& loan) noexcept;

    /// From join() to leave(), the segments of another process stay mapped. join() throws std::bad_alloc.
    void join(Process owner);
    void leave(Process owner) noexcept;
    /// Returns how many segments of a process are mapped, from its first one on without a gap.
    std::uint64_t mapped(Process owner) noexcept;
    /// Returns boards of another process, whose segment it maps unless it is mapped. Between join() and
    /// leave(). Empty if that fails.
    std::span<algorithms::Board> map(Process owner, const Loan& loan) noexcept;

private:
    struct Lent {
        std::uint32_t first;
        std::uint32_t ranks;
        bool returned;  ///< but other ranks may still use them
    };
    struct Own {
        SharedSegment segment;
        SharedSegment::Place place;
        std::vector<Lent> lent{};   ///< ascending
        std::uint32_t touched = 0;  ///< boards below this have been lent before

        void collect() noexcept;
        std::optional<Lent> lend(std::uint32_t ranks);
    };

    struct Other {
        std::map<std::uint32_t, SharedSegment> segments{};  ///< by number
        int users = 0;
    };

    bool make_room(std::size_t boards) noexcept;
    bool add_segment(std::size_t boards);

    std::mutex mutex_;
    std::vector<Own> own_;
    std::map<Process, Other> others_;
    std::size_t mapped_bytes_ = 0;
};

/// The segments of this process.
SharedSegments& shared_segments();

}  // namespace strata::component
