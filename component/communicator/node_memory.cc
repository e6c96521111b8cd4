#include "component/communicator/node_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <limits>
#include <utility>

#include "component/openmpi/ompi_compat.h"

namespace strata::component {

using algorithms::Board;
using algorithms::Boards;

namespace node_memory {  // not anonymous: a coroutine of a class has such variables

std::atomic<std::size_t> mapped_bytes{0};  ///< of this process

class File {
public:
    explicit File(int number = -1) : number_(number) {}
    File(File&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    File& operator=(File&&) = delete;
    ~File() {
        if (number_ >= 0) close(number_);
    }
    int number() const { return number_; }

private:
    int number_;
};

/// Where rank 0 has the memory. The minimum over all ranks, because the others leave it all at `none`.
struct Place {
    static constexpr std::uint64_t none = std::numeric_limits<std::uint64_t>::max();
    /// Process, file, device, inode, and a random number that rank 0 has written to its board.
    std::array<std::uint64_t, 5> words{none, none, none, none, none};

    bool known() const { return words[0] != none; }
};

/// On rank 0's board, where its second step's data come later.
constexpr off_t random_at = offsetof(Board, data);

/// Returns true if this is rank 0's file, as far as its numbers say. Processes of other hosts may have equal
/// ones.
bool has_numbers(const struct stat& found, const Place& place, std::size_t bytes) {
    return S_ISREG(found.st_mode) && found.st_dev == place.words[2] && found.st_ino == place.words[3] &&
           found.st_size == static_cast<off_t>(bytes);
}

bool has_random(int file, const Place& place) {
    std::uint64_t random = 0;
    return pread(file, &random, sizeof random, random_at) == sizeof random && random == place.words[4];
}

/// Makes memory whose size no process can change, so that no access can fail later.
File make_file(std::size_t bytes, Place& place) {
    File file(memfd_create("strata", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    struct stat made {};
    if (file.number() < 0 || ftruncate(file.number(), static_cast<off_t>(bytes)) != 0 ||
        fcntl(file.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0 ||
        fstat(file.number(), &made) != 0)
        return File();
    std::uint64_t random = 0;
    if (getrandom(&random, sizeof random, 0) != sizeof random ||
        pwrite(file.number(), &random, sizeof random, random_at) != sizeof random)
        return File();
    place.words = {static_cast<std::uint64_t>(getpid()), static_cast<std::uint64_t>(file.number()),
                   made.st_dev, made.st_ino, random};
    return file;
}

/// Opens rank 0's memory. In another PID namespace its number may be that of another process: a file of that
/// one is not opened.
File open_file(const Place& place, std::size_t bytes) {
    if (!place.known()) return File();
    std::array<char, 64> path{};
    std::snprintf(path.data(), path.size(), "/proc/%llu/fd/%llu",
                  static_cast<unsigned long long>(place.words[0]),
                  static_cast<unsigned long long>(place.words[1]));
    struct stat found {};
    if (stat(path.data(), &found) != 0 || !has_numbers(found, place, bytes)) return File();
    File file(open(path.data(), O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    const bool same = file.number() >= 0 && fstat(file.number(), &found) == 0 &&
                      has_numbers(found, place, bytes) && has_random(file.number(), place);
    return same ? std::move(file) : File();
}

/// Gives the numbers and short data of a rank's own board memory near its processor. Longer data get theirs
/// when it writes them.
void touch(Board& own) {
    for (Board::Published& slot : own.published) slot.number.store(0, std::memory_order_relaxed);
}

}  // namespace node_memory

using namespace node_memory;

NodeMemory::NodeMemory(std::span<Board> memory, int rank, int polls)
    : memory_(memory), boards_(memory, rank, {polls, [] { opal_progress(); }, MPI_ERR_TRUNCATE}) {
    touch(memory_[static_cast<std::size_t>(rank)]);
}

NodeMemory::~NodeMemory() {
    munmap(memory_.data(), memory_.size_bytes());
    mapped_bytes -= memory_.size_bytes();
}

std::unique_ptr<NodeMemory> NodeMemory::map(int file, int ranks, int rank, int polls) noexcept {
    const std::size_t bytes = Boards::memory_bytes(ranks);
    if (file < 0) return nullptr;
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) return nullptr;
    try {
        auto* const mapped =
            new NodeMemory({static_cast<Board*>(memory), static_cast<std::size_t>(ranks)}, rank, polls);
        mapped_bytes += bytes;
        return std::unique_ptr<NodeMemory>(mapped);
    } catch (const std::exception&) {
        munmap(memory, bytes);
        return nullptr;
    }
}

algorithms::Task NodeMemory::make(SetUp& set_up, ompi_communicator_t* comm, MinAllreduce& least, int polls,
                                  std::unique_ptr<NodeMemory>& made) {
    const int rank = ompi_comm_rank(comm);
    const int ranks = ompi_comm_size(comm);
    const std::size_t bytes = Boards::memory_bytes(ranks);
    const bool room = mapped_bytes + bytes <= most_bytes;
    Place place;
    const File own = rank == 0 && room ? make_file(bytes, place) : File();
    if (const int rc = co_await least.exchange(set_up, place.words); rc != OMPI_SUCCESS) {
        co_return rc;
    }
    std::unique_ptr<NodeMemory> mapped;
    if (room) {
        const File theirs = rank == 0 ? File() : open_file(place, bytes);
        mapped = map(rank == 0 ? own.number() : theirs.number(), ranks, rank, polls);
    }
    std::uint64_t able = mapped != nullptr ? Place::none : 0;
    const int rc = co_await least.exchange(set_up, {&able, 1});
    if (rc == OMPI_SUCCESS && able != 0) {
        made = std::move(mapped);
    }
    co_return rc;
}

}  // namespace strata::component
