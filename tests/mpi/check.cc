#include "check.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace strata::testing {

namespace {

// The signal handler reads this: plain memory, one slot per thread that ever called at().
constexpr int slot_count = 32;
constexpr std::size_t slot_bytes = 256;
char positions[slot_count][slot_bytes];
std::atomic<int> slots_taken = 0;
thread_local int own_slot = -1;
char signature[64];

/// Writes the whole line at once because several ranks write at the same time. Safe in a signal handler.
void say(std::initializer_list<const char*> words) {
    char line[sizeof signature + slot_bytes + 64];
    std::size_t used = 0;
    for (const char* word : words) {
        const std::size_t length = std::min(strlen(word), sizeof line - used);
        memcpy(line + used, word, length);
        used += length;
    }
    [[maybe_unused]] const ssize_t ignored = write(STDERR_FILENO, line, used);
}

char* position() {
    if (own_slot < 0) {
        own_slot = std::min(slots_taken.fetch_add(1), slot_count - 1);
    }
    return positions[own_slot];
}

void on_alarm(int) {
    const int threads = std::clamp(slots_taken.load(), 1, slot_count);
    for (int i = 0; i < threads; ++i) {
        say({signature, ": watchdog: still at: ", positions[i], "\n"});
    }
    sleep(2);  // mpirun ends the other ranks once one is gone: let them print first
    _exit(exit_watchdog);
}

}  // namespace

std::uint64_t mix(std::uint64_t value) {
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
    return value ^ (value >> 31);
}

namespace {

std::uint64_t pattern_word(std::uint64_t key, std::size_t index) {
    return mix(key + 0x9e3779b97f4a7c15u * (index + 1));
}

// Calls use(position in data, bytes, pattern) for the stretches of whole and partial words.
template <class Use>
void for_each_word(std::size_t bytes, std::uint64_t key, std::size_t first_offset, Use use) {
    for (std::size_t done = 0; done < bytes;) {
        const std::size_t inside = (first_offset + done) % 8;
        const std::size_t length = std::min(8 - inside, bytes - done);
        const std::uint64_t word = pattern_word(key, (first_offset + done) / 8);
        if (!use(done, length, reinterpret_cast<const std::uint8_t*>(&word) + inside)) {
            return;
        }
        done += length;
    }
}

}  // namespace

std::uint8_t pattern_byte(std::uint64_t key, std::size_t offset) {
    const std::uint64_t word = pattern_word(key, offset / 8);
    return reinterpret_cast<const std::uint8_t*>(&word)[offset % 8];
}

void fill_pattern(void* data, std::size_t bytes, std::uint64_t key, std::size_t first_offset) {
    auto* out = static_cast<std::uint8_t*>(data);
    for_each_word(bytes, key, first_offset,
                  [&](std::size_t at, std::size_t length, const std::uint8_t* word) {
                      std::memcpy(out + at, word, length);
                      return true;
                  });
}

std::uint64_t hash_bytes(const void* data, std::size_t bytes) {
    const auto* in = static_cast<const std::uint8_t*>(data);
    std::uint64_t hash = mix(bytes + 1);
    for (std::size_t done = 0; done < bytes; done += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, in + done, std::min<std::size_t>(8, bytes - done));
        hash = mix(hash ^ word) + done;
    }
    return hash;
}

Session::Session(int argc, char** argv, int thread_level) : arguments_(argv + 1, argv + argc) {
    program_ = argv[0];
    program_ = program_.substr(program_.rfind('/') + 1);
    used_.resize(arguments_.size(), false);
    seed_ = static_cast<std::uint64_t>(number("--seed", 1));
    sabotage_ = option("--sabotage", "");
    watchdog_seconds_ = static_cast<unsigned>(number("--watchdog", 60));

    std::snprintf(position(), slot_bytes, "MPI_Init");
    std::snprintf(signature, sizeof signature, "%s (not yet a rank)", program_.c_str());
    struct sigaction action = {};
    action.sa_handler = on_alarm;
    sigaction(SIGALRM, &action, nullptr);
    alarm(watchdog_seconds_);

    int provided = MPI_THREAD_SINGLE;
    const auto begin = std::chrono::steady_clock::now();
    MPI_Init_thread(&argc, &argv, thread_level, &provided);
    init_ns_ = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin)
            .count());
    MPI_Comm_dup(MPI_COMM_WORLD, &control_);
    MPI_Comm_rank(control_, &rank_);
    MPI_Comm_size(control_, &size_);
    std::snprintf(signature, sizeof signature, "%s: rank %d", program_.c_str(), rank_);
    if (provided < thread_level) {
        std::exit(skip("the MPI library does not provide the thread level"));
    }
    at("start");
}

std::string Session::option(std::string_view name, std::string_view otherwise) {
    for (std::size_t i = 0; i + 1 < arguments_.size(); ++i) {
        if (arguments_[i] == name) {
            used_[i] = used_[i + 1] = true;
            return arguments_[i + 1];
        }
    }
    return std::string(otherwise);
}

std::int64_t Session::number(std::string_view name, std::int64_t otherwise) {
    const std::string text = option(name, std::to_string(otherwise));
    char* end = nullptr;
    const long long value = std::strtoll(text.c_str(), &end, 10);
    if (text.empty() || *end != '\0') {
        std::fprintf(stderr, "%s: %s needs a number, not '%s'\n", program_.c_str(), std::string(name).c_str(),
                     text.c_str());
        std::exit(exit_usage);
    }
    return value;
}

bool Session::flag(std::string_view name) {
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
        if (arguments_[i] == name) {
            used_[i] = true;
            return true;
        }
    }
    return false;
}

void Session::reject_other_arguments() {
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
        if (!used_[i]) {
            if (rank_ == 0) {
                std::fprintf(stderr, "%s: unknown argument '%s'\n", program_.c_str(), arguments_[i].c_str());
            }
            MPI_Finalize();
            std::exit(exit_usage);
        }
    }
}

void Session::at(const char* format, ...) {
    alarm(watchdog_seconds_);
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(position(), slot_bytes, format, arguments);
    va_end(arguments);
    // The constructor makes the first at() call: hang in the test itself.
    if (!sabotage_.empty() && std::strcmp(position(), "start") != 0 && sabotages("hang")) {
        for (;;) {
            pause();
        }
    }
}

void Session::report(const char* text) {
    const std::lock_guard lock(report_mutex_);
    if (failures_++ == 0) {
        std::fprintf(stderr, "%s: rank %d: at %s: %s\n", program_.c_str(), rank_, position(), text);
        std::fflush(stderr);
    }
}

void Session::fail(const char* format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    report(text);
}

bool Session::sabotages(std::string_view kind) {
    return sabotage_ == kind && rank_ == size_ - 1 && !sabotaged_.exchange(true);
}

void Session::spoil(void* data, std::size_t bytes, std::string_view kind) {
    if (!sabotage_.empty() && bytes > 0 && sabotages(kind)) {
        static_cast<std::uint8_t*>(data)[bytes / 2] ^= 0x10;
    }
}

void Session::expect(bool condition, const char* what) {
    if (condition == (!sabotage_.empty() && sabotages("result"))) {
        fail("%s", what);
    }
}

void Session::expect_pattern(void* data, std::size_t bytes, std::uint64_t key, std::size_t first_offset) {
    spoil(data, bytes, "data");
    const auto* in = static_cast<const std::uint8_t*>(data);
    for_each_word(
        bytes, key, first_offset, [&](std::size_t at, std::size_t length, const std::uint8_t* word) {
            if (length == 8 ? std::memcmp(in + at, word, 8) == 0 : std::memcmp(in + at, word, length) == 0) {
                return true;
            }
            for (std::size_t i = 0; i < length; ++i) {
                if (in[at + i] != word[i]) {
                    fail("byte %zu of %zu: expected 0x%02x, got 0x%02x", at + i, bytes, word[i], in[at + i]);
                    return false;
                }
            }
            return true;
        });
}

void Session::expect_untouched(void* data, std::size_t bytes, std::uint8_t value) {
    spoil(data, bytes, "guard");
    const auto* in = static_cast<const std::uint8_t*>(data);
    const auto* end = in + bytes;
    const auto* bad = std::find_if(in, end, [&](std::uint8_t byte) { return byte != value; });
    if (bad != end) {
        fail("guard byte %td of %zu was overwritten: expected 0x%02x, got 0x%02x", bad - in, bytes, value,
             *bad);
    }
}

std::int64_t Session::agree(std::int64_t value) {
    if (rank_ != 0) {
        MPI_Recv(&value, 1, MPI_INT64_T, 0, 0, control_, MPI_STATUS_IGNORE);
        return value;
    }
    for (int other = 1; other < size_; ++other) {
        MPI_Send(&value, 1, MPI_INT64_T, other, 0, control_);
    }
    return value;
}

std::int64_t Session::least(std::int64_t value) {
    if (rank_ != 0) {
        MPI_Send(&value, 1, MPI_INT64_T, 0, 1, control_);
        return agree(0);
    }
    for (int other = 1; other < size_; ++other) {
        std::int64_t theirs = 0;
        MPI_Recv(&theirs, 1, MPI_INT64_T, other, 1, control_, MPI_STATUS_IGNORE);
        value = std::min(value, theirs);
    }
    return agree(value);
}

std::uint64_t Session::total(std::uint64_t value) {
    if (rank_ != 0) {
        MPI_Send(&value, 1, MPI_UINT64_T, 0, 2, control_);
        return static_cast<std::uint64_t>(agree(0));
    }
    for (int other = 1; other < size_; ++other) {
        std::uint64_t theirs = 0;
        MPI_Recv(&theirs, 1, MPI_UINT64_T, other, 2, control_, MPI_STATUS_IGNORE);
        value += theirs;
    }
    return static_cast<std::uint64_t>(agree(static_cast<std::int64_t>(value)));
}

int Session::finish() {
    std::snprintf(position(), slot_bytes, "waiting for the others in finish()");
    const std::uint64_t failures = total(static_cast<std::uint64_t>(failures_.load()));
    const std::uint64_t ranks = total(failures_ > 0 ? 1 : 0);
    if (rank_ == 0) {
        if (failures > 0) {
            std::fprintf(stderr, "%s: FAILED: %llu failures on %llu of %d ranks (seed %llu)\n",
                         program_.c_str(), static_cast<unsigned long long>(failures),
                         static_cast<unsigned long long>(ranks), size_,
                         static_cast<unsigned long long>(seed_));
        } else {
            std::printf("%s: passed on %d ranks\n", program_.c_str(), size_);
        }
    }
    MPI_Comm_free(&control_);
    std::snprintf(position(), slot_bytes, "MPI_Finalize");
    MPI_Finalize();
    alarm(0);
    return failures > 0 ? exit_failed : exit_passed;
}

int Session::skip(const char* reason) {
    if (rank_ == 0) {
        std::printf("%s: SKIPPED: %s\n", program_.c_str(), reason);
    }
    MPI_Comm_free(&control_);
    MPI_Finalize();
    alarm(0);
    return exit_skipped;
}

void checked_bcast(Session& session, MPI_Comm comm, int root, std::size_t bytes, std::uint64_t key) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    GuardedBuffer buffer(bytes);
    if (rank == root) {
        fill_pattern(buffer.data(), bytes, key);
    }
    MPI_Bcast(buffer.data(), static_cast<int>(bytes), MPI_BYTE, root, comm);
    session.expect_pattern(buffer.data(), bytes, key);
    buffer.expect_guards(session);
}

}  // namespace strata::testing
