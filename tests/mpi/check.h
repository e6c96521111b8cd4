#pragma once
#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

// Shared by all programs of this folder: start and end of MPI, options, data patterns, failure reports and
// a watchdog. Uses only point-to-point messages on its own communicator, so that a broken collective under
// test cannot hide its failure.
namespace strata::testing {

inline constexpr int exit_passed = 0;
inline constexpr int exit_failed = 1;
inline constexpr int exit_usage = 2;
inline constexpr int exit_watchdog = 3;
inline constexpr int exit_skipped = 77;

/// A well-mixed 64-bit value of `value` (splitmix64's finaliser).
std::uint64_t mix(std::uint64_t value);
template <class... More>
std::uint64_t mix(std::uint64_t first, std::uint64_t second, More... more) {
    return mix(mix(first) ^ second, static_cast<std::uint64_t>(more)...);
}

/// Yields the same numbers on every rank that starts with the same seed; the standard's distributions do
/// not.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15u); }
    /// Returns a number in [low, high], uniform enough for tests.
    std::int64_t between(std::int64_t low, std::int64_t high) {
        return low + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(high - low + 1));
    }
    bool one_in(int n) { return between(1, n) == 1; }
    template <class Container>
    void shuffle(Container& items) {
        for (std::size_t i = items.size(); i > 1; --i) {
            std::swap(items[i - 1],
                      items[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(i) - 1))]);
        }
    }

private:
    std::uint64_t state_;
};

/// Returns byte `offset` of the endless stream that belongs to `key`.
std::uint8_t pattern_byte(std::uint64_t key, std::size_t offset);
void fill_pattern(void* data, std::size_t bytes, std::uint64_t key, std::size_t first_offset = 0);
/// Returns a fingerprint of `bytes` bytes: equal data, equal value.
std::uint64_t hash_bytes(const void* data, std::size_t bytes);

/// One test program on one rank. Construct it first in main(); its finish() is main's return value.
///
/// Options of every program: --seed N, --watchdog SECONDS, --sabotage data|guard|result|hang or another
/// word that a check uses (see sabotages()). Any thread may call at(), fail() and the check functions.
class Session {
public:
    /// Initialises MPI at `thread_level` and starts the watchdog. Exits with exit_skipped on every rank when
    /// the library does not provide that thread level.
    Session(int argc, char** argv, int thread_level = MPI_THREAD_SINGLE);
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    int rank() const { return rank_; }
    int size() const { return size_; }
    std::uint64_t seed() const { return seed_; }
    /// Time that MPI_Init took on this rank.
    std::uint64_t init_ns() const { return init_ns_; }

    /// Returns the value after `--name`, or `otherwise`.
    std::string option(std::string_view name, std::string_view otherwise);
    std::int64_t number(std::string_view name, std::int64_t otherwise);
    bool flag(std::string_view name);
    /// Call after the last option(): an argument that no option() read ends the program with exit_usage.
    void reject_other_arguments();

    /// Records where this thread is, printf style. Failures print it as a prefix. The watchdog prints it
    /// when it ends the run --watchdog seconds after the last such record: a busy machine may be slow.
    void at(const char* format, ...) __attribute__((format(printf, 2, 3)));

    /// Records a failure; prints the first failure of this rank at once.
    void fail(const char* format, ...) __attribute__((format(printf, 2, 3)));
    int failures() const { return failures_; }

    /// Fails with `what` unless `condition` holds.
    void expect(bool condition, const char* what);
    /// Compares with pattern_byte(key, first_offset ...): the first difference is a failure.
    void expect_pattern(void* data, std::size_t bytes, std::uint64_t key, std::size_t first_offset = 0);
    /// Checks that bytes which must not change still hold `value`.
    void expect_untouched(void* data, std::size_t bytes, std::uint8_t value);

    /// Returns true once, on the highest rank, when the run must spoil a result of this kind: it proves
    /// that the check can fail. at() handles "hang".
    bool sabotages(std::string_view kind);
    /// Returns true on every rank, every time: for an action that needs all ranks to make a check fail.
    bool sabotage_is(std::string_view kind) const { return sabotage_ == kind; }

    /// Returns rank 0's value on every rank.
    std::int64_t agree(std::int64_t value);
    /// Returns the minimum over all ranks on every rank.
    std::int64_t least(std::int64_t value);
    /// Returns the sum over all ranks on every rank.
    std::uint64_t total(std::uint64_t value);

    /// Collective: reports on rank 0, finalises MPI and returns the same exit code on every rank.
    int finish();
    /// Collective: like finish(), for a test that cannot run here; returns exit_skipped.
    int skip(const char* reason);

private:
    void spoil(void* data, std::size_t bytes, std::string_view kind);
    void report(const char* text);

    std::string program_;
    unsigned watchdog_seconds_ = 0;
    std::vector<std::string> arguments_;
    std::vector<bool> used_;
    MPI_Comm control_ = MPI_COMM_NULL;
    int rank_ = 0;
    int size_ = 0;
    std::uint64_t seed_ = 1;
    std::uint64_t init_ns_ = 0;
    std::string sabotage_;
    std::atomic<bool> sabotaged_ = false;
    std::atomic<int> failures_ = 0;
    std::mutex report_mutex_;
};

/// Memory with guard bytes on both sides, filled with the guard value.
class GuardedBuffer {
public:
    static constexpr std::size_t guard_bytes = 64;
    static constexpr std::uint8_t guard_value = 0xa5;
    explicit GuardedBuffer(std::size_t bytes) : memory_(bytes + 2 * guard_bytes, guard_value) {}
    std::uint8_t* data() { return memory_.data() + guard_bytes; }
    std::size_t size() const { return memory_.size() - 2 * guard_bytes; }
    void expect_guards(Session& session) {
        session.expect_untouched(memory_.data(), guard_bytes, guard_value);
        session.expect_untouched(data() + size(), guard_bytes, guard_value);
    }

private:
    std::vector<std::uint8_t> memory_;
};

/// Broadcasts `bytes` MPI_BYTEs and checks data and guard bytes on every rank of `comm`.
void checked_bcast(Session& session, MPI_Comm comm, int root, std::size_t bytes, std::uint64_t key);

}  // namespace strata::testing
