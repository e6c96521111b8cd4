#pragma once
#include <mpi.h>

#include <array>
#include <cstddef>
#include <vector>

namespace strata::introspection {

/// Kinds of traffic counted per process of MPI_COMM_WORLD, each in messages and bytes.
enum class Traffic : std::size_t {
    messages,     ///< sent through the point-to-point layer
    collectives,  ///< estimates of what collective calls send
    put,          ///< one-sided, sent by this process
    got,          ///< one-sided, fetched from the peer
    count
};
inline constexpr std::size_t traffic_count = static_cast<std::size_t>(Traffic::count);

/// For each kind of traffic two rows, messages and bytes, with one word per process.
class TrafficRows {
public:
    TrafficRows() = default;
    explicit TrafficRows(std::size_t processes)
        : processes_(processes), words_(2 * traffic_count * processes) {}
    unsigned long* counts(Traffic kind) {
        return words_.data() + 2 * static_cast<std::size_t>(kind) * processes_;
    }
    unsigned long* bytes(Traffic kind) { return counts(kind) + processes_; }
    const unsigned long* counts(Traffic kind) const { return const_cast<TrafficRows*>(this)->counts(kind); }
    const unsigned long* bytes(Traffic kind) const { return const_cast<TrafficRows*>(this)->bytes(kind); }
    std::size_t processes() const { return processes_; }
    /// Returns all rows, concatenated.
    std::vector<unsigned long>& words() { return words_; }
    const std::vector<unsigned long>& words() const { return words_; }

private:
    std::size_t processes_ = 0;
    std::vector<unsigned long> words_;
};

/// The performance variables of Open MPI's monitoring, found by name. Not thread-safe.
class MessageCounters {
public:
    MessageCounters() = default;
    MessageCounters(const MessageCounters&) = delete;
    MessageCounters& operator=(const MessageCounters&) = delete;
    ~MessageCounters() { close(); }

    /// Binds the available variables; requires initialised MPI. Returns false if a function of MPI_T
    /// fails.
    bool open();
    void close();
    bool has(Traffic kind) const;
    /// Returns pml_monitoring_enable; 1 if it cannot be read. Unless it is 1, `messages` excludes those
    /// of collective calls.
    int mode() const { return mode_; }
    /// Returns MPI_T's thread level.
    int thread_level() const { return thread_level_; }
    /// Reads the counts since the start of the job; 0 for uncounted traffic. Returns false if MPI_T
    /// fails.
    bool read(TrafficRows& rows);

private:
    bool bind_all();
    void bind(int index);
    void find_mode();

    bool initialised_ = false;
    int thread_level_ = MPI_THREAD_SINGLE;
    int mode_ = 1;
    std::size_t processes_ = 0;
    MPI_T_pvar_session session_ = MPI_T_PVAR_SESSION_NULL;
    std::array<MPI_T_pvar_handle, 2 * traffic_count> handles_{};
    std::array<bool, 2 * traffic_count> bound_{};
    std::vector<unsigned long long> values_;
};

}  // namespace strata::introspection
