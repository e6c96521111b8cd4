#pragma once
#include <mutex>

#include "session.h"

namespace strata::introspection {

/// Implements MPI_Monitoring.h except for files. One object per process, which is never destroyed.
/// Functions return the codes of MPI_Monitoring.h.
class Monitor {
public:
    static Monitor& instance();

    int begin();
    int end();
    int start(MPI_Comm comm, MPI_M_msid* id);
    int suspend(MPI_M_msid id);
    int resume(MPI_M_msid id);
    int reset(MPI_M_msid id);
    int release(MPI_M_msid id);
    int info(MPI_M_msid id, int* provided, int* processes);

    /// A query of a session's data.
    struct Request {
        MPI_M_msid id;
        int flags;
        bool same_flags;  ///< the flags must be equal on all members
        int root = 0;     ///< a rank of the communicator, equal on all members; 0 without a root
        /// Rows to return: the caller's own; all rows at root (only root's `valid` counts); all rows
        /// everywhere.
        enum class Rows { own, at_root, everywhere } rows = Rows::own;
        bool valid = true;  ///< false: INTERNAL_FAIL
    };
    /// Data of a session, after an agreement of all members.
    struct View {
        std::shared_ptr<Session> session;
        std::vector<unsigned long> row;     ///< traffic that the caller sent: n messages, n bytes
        std::vector<unsigned long> gets;    ///< buffers for the exchange of fetched traffic
        std::vector<unsigned long> matrix;  ///< the row of each member, if requested
        std::size_t members() const { return session->members(); }
    };
    /// Fills `view`. Collective over the session's communicator, as agree() is.
    int view(const Request& request, View& view);
    /// Returns the greatest of all members' codes. `local` is the caller's own finding, for instance
    /// about a file.
    static int agree(const View& view, int local);

private:
    enum class State { closed, changing, open };
    static bool end_with_mpi();
    void abandon();
    struct Opening;
    void open_here(Opening& opening);
    bool counts_collectives(Opening& opening);
    int open_counters();
    int check(const Request& request, const Session& session) const;
    bool adds_estimates(int flags) const;
    bool can_count(int flags, bool advise) const;
    void fill_row(View& view, const TrafficRows& recorded, int flags) const;
    static bool add_gets(View& view, const TrafficRows& recorded, int flags);
    static bool gather(View& view, const Request& request);
    int change(MPI_M_msid id, bool activate);
    template <class Applies, class Act>
    int on_sessions(MPI_M_msid id, int refusal, Applies applies, Act act);

    /// Protects all members below except the recorder, which has its own lock. Never held while waiting.
    std::mutex lock_;
    State state_ = State::closed;
    SessionTable sessions_;
    std::shared_ptr<PrivateCommunicator> world_;
    bool one_thread_at_a_time_ = false;      ///< no process has MPI_THREAD_MULTIPLE
    std::array<bool, traffic_count> has_{};  ///< counted on all processes
    bool counts_calls_ = true;               ///< the counters of collective calls work
    Recorder recorder_;
};

}  // namespace strata::introspection
