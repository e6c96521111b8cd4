#pragma once
#include "component/base/request.h"
#include "component/settings/settings.h"

namespace strata::component {

/// Lazy set-up: the first short calls on a communicator are passed through to the underlying component,
/// because many communicators serve only a Barrier or a few short broadcasts and never repay a set-up.
/// `setup_after` short calls gain about as much as a set-up costs, so the total is at most twice the optimum
/// (ski rental: Karlin, Manasse, Rudolph, Sleator 1988).
///
/// Every rank decides alike: it uses the number of the call, the values that all ranks of a call know, and
/// the agreed parameters of the job. It ignores info keys, which are compared only at the set-up.
class LazySetup {
public:
    static constexpr std::size_t longest = 4096;  ///< bytes; longer messages gain more than a set-up costs

    /// `job` must outlive this.
    explicit LazySetup(const Settings& job) : job_(job), left_(job.setup_after) {}

    /// Returns true for a call before the set-up; once false, it stays false. Not for calls that may send
    /// no message on some ranks.
    bool take(const Request& request) {
        left_ = may_wait(request) ? left_ : 0;
        return left_ > 0 && left_-- > 0;
    }
    /// Undoes a take() whose call failed before its first message: this rank repeats the call, and the other
    /// ranks wait for it.
    void give_back() { ++left_; }

private:
    bool may_wait(const Request& request) const {
        const Collective op = request.operation.collective;
        const bool known = request.sized || !algorithms::traits_of(op).has_data();
        // An inexact reduction must round alike from the first call to the last.
        const bool same = request.exact || !algorithms::traits_of(op).combines;
        return known && same && request.operation.bytes <= longest && !job_.speak_of(op);
    }

    const Settings& job_;
    int left_;
};

}  // namespace strata::component
