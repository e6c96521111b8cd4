#pragma once
#include <mutex>

#include "session.h"

namespace strata::introspection {

/// What MPI_Monitoring.h promises, but for files: one per process, which stays until that ends. Functions
/// return its codes.
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

    /// What is asked of a session.
    struct Request {
        MPI_M_msid id;
        int flags;
        bool same_flags;  ///< all have to give the same
        int root = 0;     ///< a rank of the communicator, the same everywhere; 0 if there is no root
        /// Of the caller alone; at root, where alone `valid` counts; everywhere.
        enum class Rows { own, at_root, everywhere } rows = Rows::own;
        bool valid = true;  ///< false: INTERNAL_FAIL
    };
    /// A session as all its members agreed to look at it.
    struct View {
        std::shared_ptr<Session> session;
        std::vector<unsigned long> row;     ///< what the caller sent: n messages, n bytes
        std::vector<unsigned long> gets;    ///< room for the exchange of these
        std::vector<unsigned long> matrix;  ///< such a row of each member, where it was asked for
        std::size_t members() const { return session->members(); }
    };
    /// Fills `view`. Collective over the session's communicator, as the next one.
    int view(const Request& request, View& view);
    /// The greatest of all members' codes. `local` is what the caller knows before it looks at files, say.
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

    std::mutex
        lock_;  ///< of all below but the recorder, which has its own; never held while waiting for others
    State state_ = State::closed;
    SessionTable sessions_;
    std::shared_ptr<PrivateCommunicator> world_;
    bool one_thread_at_a_time_ = false;      ///< calls MPI, in each process
    std::array<bool, traffic_count> has_{};  ///< counted on all processes
    bool calls_seen_ = true;                 ///< collective ones, by the counters of these
    Recorder recorder_;
};

}  // namespace strata::introspection
