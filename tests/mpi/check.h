#pragma once
#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

// What all programs of this folder share: start and end of MPI, options, data patterns, failure reports and a
// watchdog. Only point-to-point messages on a communicator of its own are used here, so that a broken
// collective under test cannot hide its own failure.
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

/// Deterministic on every rank that starts with the same seed: the standard's distributions are not.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    std::uint64_t next() { return mix(state_ += 0x9e3779b97f4a7c15u); }
    /// Uniform enough for tests in [low, high].
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

/// Byte `offset` of the endless stream that belongs to `key`.
std::uint8_t pattern_byte(std::uint64_t key, std::size_t offset);
void fill_pattern(void* data, std::size_t bytes, std::uint64_t key, std::size_t first_offset = 0);
/// Fingerprint of `bytes` bytes: equal data, equal value.
std::uint64_t hash_bytes(const void* data, std::size_t bytes);

/// One test program on one rank. Constructed first in main(), its finish() is main's return value.
///
/// Options of every program: --seed N, --watchdog SECONDS, --sabotage data|guard|result|hang or another word
/// that a check knows (see sabotages()). Any thread may call at(), fail() and the check functions.
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
    /// What MPI_Init took this rank.
    std::uint64_t init_ns() const { return init_ns_; }

    /// The word behind `--name`, or `otherwise`.
    std::string option(std::string_view name, std::string_view otherwise);
    std::int64_t number(std::string_view name, std::int64_t otherwise);
    bool flag(std::string_view name);
    /// Call after the last option(): an argument that nobody asked for ends the program with exit_usage.
    void reject_other_arguments();

    /// Notes where this thread is, printf style; printed in front of failures and by the watchdog, which ends
    /// the run --watchdog seconds after the last such note: a busy machine may take its time.
    void at(const char* format, ...) __attribute__((format(printf, 2, 3)));

    /// Notes a failure; the first one of this rank is printed at once.
    void fail(const char* format, ...) __attribute__((format(printf, 2, 3)));
    int failures() const { return failures_; }

    /// Fails with `what` unless `condition` holds.
    void expect(bool condition, const char* what);
    /// Compares with pattern_byte(key, first_offset ...): the first difference is a failure.
    void expect_pattern(void* data, std::size_t bytes, std::uint64_t key, std::size_t first_offset = 0);
    /// Compares bytes that nobody may have written with `value`.
    void expect_untouched(void* data, std::size_t bytes, std::uint8_t value);

    /// True once, on the highest rank, when the run was asked to spoil a result of this kind: the proof that
    /// the check behind it can fail. "hang" is handled in at().
    bool sabotages(std::string_view kind);
    /// True on every rank, every time: for what all ranks must do together so that a check has to fail.
    bool sabotage_is(std::string_view kind) const { return sabotage_ == kind; }

    /// Rank 0's value on every rank.
    std::int64_t agree(std::int64_t value);
    /// The least value of all ranks on every rank.
    std::int64_t least(std::int64_t value);
    /// The sum over all ranks on every rank.
    std::uint64_t total(std::uint64_t value);

    /// Collective: reports on rank 0, finalises MPI and returns the same exit code on every rank.
    int finish();
    /// Collective: as finish(), but the test could not run here; returns exit_skipped.
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

/// Contiguous Bcast of `bytes` MPI_BYTEs, checked on every rank of `comm`: data, and nothing around it.
void checked_bcast(Session& session, MPI_Comm comm, int root, std::size_t bytes, std::uint64_t key);

}  // namespace strata::testing
