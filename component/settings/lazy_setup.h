#pragma once
#include "component/base/request.h"
#include "component/settings/settings.h"

namespace strata::component {

/// The first calls on a communicator: too short and too few to pay for its set-up, they are left to the
/// underlying component. Programs make communicators for a Barrier or to broadcast a few numbers.
/// `setup_after` short calls gain about as much as a set-up costs: who rents so long before he buys pays at
/// most twice of what would have been best (Karlin, Manasse, Rudolph, Sleator 1988).
///
/// Every rank decides alike: by the number of the call, by what all ranks of a call know of it, and by the
/// parameters of the job, on which they have agreed. Info keys, which are compared when a communicator is set
/// up, do not count.
class LazySetup {
public:
    static constexpr std::size_t longest = 4096;  ///< bytes; longer messages gain more than a set-up costs

    /// `job` must outlive this.
    explicit LazySetup(const Settings& job) : job_(job), left_(job.setup_after) {}

    /// True while calls come too early; once false, it stays so. Not for calls that may be without messages
    /// on some ranks.
    bool take(const Request& request) {
        left_ = may_wait(request) ? left_ : 0;
        return left_ > 0 && left_-- > 0;
    }
    /// One that was taken failed before its first message: the others wait for this rank to repeat it.
    void give_back() { ++left_; }

private:
    bool may_wait(const Request& request) const {
        const Collective op = request.operation.collective;
        const bool known = request.sized || !algorithms::traits_of(op).has_data();
        // What rounds must round alike from the first call to the last.
        const bool same = request.exact || !algorithms::traits_of(op).combines;
        return known && same && request.operation.bytes <= longest && !job_.speak_of(op);
    }

    const Settings& job_;
    int left_;
};

}  // namespace strata::component
