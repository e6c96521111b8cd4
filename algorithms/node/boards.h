#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/base/task.h"

namespace strata::algorithms {

/// What one rank shows to the others of its node, in memory that all of them have mapped. Only its rank
/// writes to it. All numbers are zero before the first call. It has pages of 4 KiB of its own, which lie near
/// the rank that wrote to them first.
struct alignas(4096) Board {
    static constexpr std::size_t line_bytes = 64;  ///< at least a cache line
    /// Long steps, because two processors of a virtual machine take 1 us to see each other's flags: with 64
    /// KiB a Bcast of 1 MiB took 45 to 80 us, with 16 KiB 70 to 104, with 8 KiB 92 to 164. Four ranks on two
    /// processors gain more: an Allreduce of 1 MiB 0.85 ms instead of 5.3 with 8 KiB.
    static constexpr std::size_t most_bytes = std::size_t{64} << 10;

    /// A number, and what travels in its cache line: short data, and a number for the call's size.
    struct alignas(line_bytes) Published {
        std::array<std::byte, line_bytes - 2 * sizeof(std::uint64_t)> data;
        std::uint64_t call;
        std::atomic<std::uint64_t> number;
    };
    struct alignas(line_bytes) Read {
        std::atomic<std::uint64_t> number;
        std::atomic<std::uint64_t> left;  ///< not zero: its rank no longer uses any of the boards
    };
    struct alignas(line_bytes) Long {
        std::array<std::byte, most_bytes> data;
    };

    std::array<Published, 2> published;  ///< of the last steps that were even and odd
    Read read;
    std::array<Long, 2> data;  ///< of the same two steps, if it does not fit beside the number
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "shared between processes");

/// One rank's access to the boards of a communicator whose ranks share a node. A collective consists of
/// steps, the same ones on all ranks, numbered from 1 over the communicator's life. In each step a rank does
/// one of two things:
///   - It publishes: `co_await room()`, writes to own(), publish(). Then it may read, and may end_reading().
///   - It reads from some rank, and ends with end_reading().
/// To read rank r's data of the step: `co_await published_by(r)`, data(r). call(r) tells whether its call has
/// the same size.
///
/// A board has room for two steps: room() waits until all ranks have read step s - 2. A rank has read step
/// t if it has ended reading t, or if it has published in a later step. So a step in which all publish needs
/// no acknowledgement. Safety and progress for all sequences of steps: tests/node_protocol.
///
/// Memory order: numbers are stored with release and loaded with acquire; nothing else is shared.
/// Cost of a step in which all publish and read: one transfer of a cache line from every other rank, at the
/// same time, plus the data.
class Boards {
public:
    /// What a rank does while it waits.
    struct Waiting {
        int polls = 20;                ///< reads of a flag before each call of `progress`
        void (*progress)() = nullptr;  ///< lets others work: Open MPI's progress, or other threads
        int too_long = 1;              ///< outcome of a call for which another rank has too many bytes
    };

    /// Throws std::bad_alloc.
    Boards(int ranks, int rank, Waiting waiting);
    /// Begins with boards whose numbers are zero, one per rank. If its board is untouched, this rank's
    /// numbers and short data get memory near its processor. Longer data get theirs when it writes them.
    void use(std::span<Board> boards);
    /// Ends. After all ranks have, the boards may be used again.
    void leave() { boards_[index(rank_)].read.left.store(1, std::memory_order_release); }

    int ranks() const { return static_cast<int>(known_.size()); }
    int rank() const { return rank_; }

    int too_long() const { return waiting_.too_long; }

    /// Begins the next step, of `bytes` bytes per board, at most Board::most_bytes.
    void begin_step(std::size_t bytes) {
        ++step_;
        bytes_ = bytes;
    }
    /// Changes the bytes of the step.
    void resize_step(std::size_t bytes) { bytes_ = bytes; }

    /// Waits until this rank may write its board.
    class Room : public Awaitable<Room> {
    public:
        explicit Room(Boards& all) : all_(all) {}
        int poll();

    private:
        Boards& all_;
    };
    /// Waits for a rank's data.
    class PublishedBy : public Awaitable<PublishedBy> {
    public:
        PublishedBy(Boards& all, int rank) : all_(all), rank_(rank) {}
        int poll();

    private:
        Boards& all_;
        int rank_;
    };
    Room room() { return Room(*this); }
    /// Returns the ranks that a waiting rank waits for, ascending. Throws std::bad_alloc.
    std::vector<int> late() const;
    PublishedBy published_by(int rank) { return {*this, rank}; }

    /// Returns this rank's memory of the step. Valid from room() to publish().
    std::byte* own() { return at(rank_); }
    void publish(std::size_t call = 0) {
        slot(rank_).call = call;
        slot(rank_).number.store(step_, std::memory_order_release);
    }
    /// Returns a rank's data of the step, aligned to a cache line. Valid from published_by() to
    /// end_reading(), or to this rank's next publish().
    const std::byte* data(int rank) const { return at(rank); }
    /// Valid like data().
    std::size_t call(int rank) const { return slot(rank).call; }
    void end_reading() { boards_[index(rank_)].read.number.store(step_, std::memory_order_release); }

private:
    static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }
    Board::Published& slot(int rank) const { return boards_[index(rank)].published[step_ % 2]; }
    std::byte* at(int rank) const {
        Board& board = boards_[index(rank)];
        Board::Published& beside = board.published[step_ % 2];
        return bytes_ <= beside.data.size() ? beside.data.data() : board.data[step_ % 2].data.data();
    }
    /// Returns true if a rank has read step `step_` - 2.
    bool has_room(int rank);
    std::uint64_t read_by(int rank) const;
    static constexpr int every_rank = -1;
    template <class Condition>
    int poll(Condition&& condition) const;

    std::span<Board> boards_;
    int rank_;
    Waiting waiting_;
    std::vector<std::uint64_t> known_;  ///< by rank: a step that it has read
    std::uint64_t step_ = 0;
    std::size_t bytes_ = 0;
    int awaited_ = every_rank;  ///< by the last wait; `every_rank`: their room
};

}  // namespace strata::algorithms
