#pragma once
#include <array>
#include <memory>
#include <vector>

#include "recorder.h"

namespace strata::introspection {

/// Messages between the members of a user's communicator that are not recorded. Created per communicator
/// at first use and kept with it, as long as the communicator or a session needs it.
///
/// Messages use `carrier`, the communicator of all processes, if it has all members: creation then sends
/// nothing. Otherwise they use an own communicator; while MPI creates it, nothing that this process
/// sends is recorded, because MPI's own messages are unknown. Concurrent threads need an own
/// communicator too: before the members have agreed on a tag, only the communicator separates their
/// messages.
class PrivateCommunicator {
public:
    /// Collective over `comm` unless it already has one. Returns null if MPI fails. `carrier` may be null.
    static std::shared_ptr<PrivateCommunicator> of(MPI_Comm comm, Recorder& recorder,
                                                   const std::shared_ptr<PrivateCommunicator>& carrier);
    /// Detaches them from all communicators, at the end of monitoring; those without a session are
    /// freed.
    static void forget_all();

    PrivateCommunicator(MPI_Comm comm, Recorder& recorder, std::shared_ptr<PrivateCommunicator> carrier);
    PrivateCommunicator(const PrivateCommunicator&) = delete;
    PrivateCommunicator& operator=(const PrivateCommunicator&) = delete;
    ~PrivateCommunicator();

    int rank() const { return rank_; }
    int size() const { return size_; }
    /// Returns the rank in MPI_COMM_WORLD of each member; -1 for processes of other jobs.
    const std::vector<int>& world_ranks() const { return world_ranks_; }
    /// Returns a tag that separates the sessions of several threads; equal on all members if all call
    /// equally often.
    int next_tag();

    using Values = std::array<long, 6>;
    /// Computes the maximum of each value over all members. This function and those below are collective
    /// and return false if MPI fails. Cost: 2 log2(p) alpha.
    ///
    ///   up, 8 ranks: 0<-1 2<-3 4<-5 6<-7, then 0<-2 4<-6, then 0<-4; down: the reverse
    bool agree(int tag, Values& values);
    /// Gathers `own` of every member at root: rows of `words`, by rank. `all` has size() rows there.
    /// Cost: (p - 1)(alpha + words beta) at root.
    bool gather(int tag, int root, const unsigned long* own, std::size_t words, unsigned long* all);
    /// Broadcasts from rank 0 along a binomial tree. Cost: log2(p) (alpha + words beta).
    bool broadcast(int tag, unsigned long* data, std::size_t words);
    /// Sends row i of `to` to member i, which receives it in row rank() of `from`. Cost: (p - 1)(alpha +
    /// words beta).
    bool exchange(int tag, const unsigned long* to, unsigned long* from, std::size_t words);

private:
    bool send(int to, int tag, const unsigned long* data, std::size_t words);
    bool start_send(int to, int tag, const unsigned long* data, int words, MPI_Request* request);
    bool receive(int from, int tag, unsigned long* data, std::size_t words);
    MPI_Comm carrying() const { return carrier_ != nullptr ? carrier_->comm_ : comm_; }
    /// Returns the rank of a member in carrying().
    int address(int member) const {
        return carrier_ != nullptr ? world_ranks_[static_cast<std::size_t>(member)] : member;
    }

    Recorder& recorder_;
    std::shared_ptr<PrivateCommunicator> carrier_;
    MPI_Comm comm_ = MPI_COMM_NULL;  ///< own communicator if there is no carrier
    int rank_ = 0;
    int size_ = 0;
    std::vector<int> world_ranks_;
    int tags_ = 0;
};

}  // namespace strata::introspection
