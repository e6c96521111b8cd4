#pragma once
#include <array>
#include <memory>
#include <vector>

#include "recorder.h"

namespace strata::introspection {

/// What the members of a user's communicator tell each other, of which nothing is recorded. One is made per
/// communicator, at first use, and kept with it; it lives as long as that or a session needs it.
///
/// Messages travel by that of all processes, `carrier`, as far as it has the members: then nothing is sent to
/// make it. Else by a communicator of our own; while MPI makes it, nothing of this process is recorded, as
/// nobody knows what MPI sends for it. Threads at once need one of their own as well: what tells apart their
/// messages before the members have agreed on anything is the communicator.
class PrivateCommunicator {
public:
    /// Collective over `comm` where it has none yet. Null when MPI fails. `carrier` may be null.
    static std::shared_ptr<PrivateCommunicator> of(MPI_Comm comm, Recorder& recorder,
                                                   const std::shared_ptr<PrivateCommunicator>& carrier);
    /// Takes them from all communicators; those that no session holds end. At the end of monitoring.
    static void forget_all();

    PrivateCommunicator(MPI_Comm comm, Recorder& recorder, std::shared_ptr<PrivateCommunicator> carrier);
    PrivateCommunicator(const PrivateCommunicator&) = delete;
    PrivateCommunicator& operator=(const PrivateCommunicator&) = delete;
    ~PrivateCommunicator();

    int rank() const { return rank_; }
    int size() const { return size_; }
    /// Of each member; -1 for processes of other jobs.
    const std::vector<int>& world_ranks() const { return world_ranks_; }
    /// The same on all members, if all ask equally often; so that sessions of several threads do not meet.
    int next_tag();

    using Values = std::array<long, 6>;
    /// The greatest of each over all members. This and the following: collective, false when MPI fails.
    bool agree(int tag, Values& values);
    /// `own` of every member in `all` at root, by rank: rows of `words`. `all` has size() rows there.
    bool gather(int tag, int root, const unsigned long* own, std::size_t words, unsigned long* all);
    /// From rank 0 to all.
    bool broadcast(int tag, unsigned long* data, std::size_t words);
    /// Row i of `to` goes to member i, which finds it in row rank() of `from`.
    bool exchange(int tag, const unsigned long* to, unsigned long* from, std::size_t words);

private:
    bool send(int to, int tag, const unsigned long* data, std::size_t words);
    bool start_send(int to, int tag, const unsigned long* data, int words, MPI_Request* request);
    bool receive(int from, int tag, unsigned long* data, std::size_t words);
    MPI_Comm carrying() const { return carrier_ != nullptr ? carrier_->comm_ : comm_; }
    /// Of a member, there.
    int address(int member) const {
        return carrier_ != nullptr ? world_ranks_[static_cast<std::size_t>(member)] : member;
    }

    Recorder& recorder_;
    std::shared_ptr<PrivateCommunicator> carrier_;
    MPI_Comm comm_ = MPI_COMM_NULL;  ///< our own, where there is no carrier
    int rank_ = 0;
    int size_ = 0;
    std::vector<int> world_ranks_;
    int tags_ = 0;
};

}  // namespace strata::introspection
