// Tests lazy set-up: the first few short calls on a new communicator go to the underlying component, on
// every rank alike, except calls whose results would later round differently.
//
//   lazy_setup [--calls N]    N: value of coll_strata_setup_after (8)
#include <algorithm>
#include <complex>
#include <functional>
#include <vector>

#include "check.h"
#include "communicators.h"
#include "plugin_counters.h"

using namespace strata::testing;

namespace {

/// A new communicator, the calls on it, and their expected outcome.
class Case {
public:
    Case(Session& session, const char* name)
        : session_(session), name_(name), copy_(copy_of_world(name)), counters_(session, comm_) {}

    /// Without bytes MPI_Bcast itself returns.
    void bcast(int bytes, int calls = 1) {
        for (int i = 0; i < calls; ++i) {
            session_.at("%s: call %d", name_, calls_);
            checked_bcast(session_, comm_, calls_ % session_.size(), static_cast<std::size_t>(bytes),
                          static_cast<std::uint64_t>(calls_));
            calls_ += bytes > 0 ? 1 : 0;
        }
    }
    /// The sum of all ranks' numbers.
    template <class Number>
    void sum(MPI_Datatype type, int calls = 1) {
        for (int i = 0; i < calls; ++i, ++calls_) {
            session_.at("%s: call %d", name_, calls_);
            const auto own = static_cast<Number>(session_.rank() + calls_);
            Number all = 0;
            MPI_Allreduce(&own, &all, 1, type, MPI_SUM, comm_);
            const int ranks = session_.size();
            session_.expect(all == static_cast<Number>(ranks * (ranks - 1) / 2 + ranks * calls_), "the sum");
        }
    }
    void gatherv() {
        ++calls_;
        session_.at("%s: gatherv", name_);
        const auto ranks = static_cast<std::size_t>(session_.size());
        const std::vector<int> counts(ranks, 1);
        std::vector<int> places(ranks);
        for (std::size_t i = 0; i < ranks; ++i) places[i] = static_cast<int>(i);
        const auto own = static_cast<char>(session_.rank());
        std::vector<char> all(ranks);
        MPI_Gatherv(&own, 1, MPI_CHAR, all.data(), counts.data(), places.data(), MPI_CHAR, 0, comm_);
        session_.expect(session_.rank() != 0 || all.back() == static_cast<char>(session_.size() - 1),
                        "what was gathered");
    }
    void barriers(int calls) {
        for (int i = 0; i < calls; ++i, ++calls_) MPI_Barrier(comm_);
    }

    /// `early` calls were passed through as early ones, and no others.
    void expect(int early) const {
        const auto seen = static_cast<int>(counters_.read(session_, "forward_early"));
        const bool is_set_up = counters_.read(session_, "memory") > empty_;
        if (seen != early + (session_.sabotages("early") ? 1 : 0)) {
            session_.fail("%s: %d of %d calls came early instead of %d", name_, seen, calls_, early);
        }
        if (is_set_up != (early < calls_)) {
            session_.fail("%s: it is %sset up", name_, is_set_up ? "" : "not ");
        }
    }
    /// Memory of a communicator before its set-up.
    static void measure_empty(Session& session) {
        const Case unused(session, "unused");
        empty_ = unused.counters_.read(session, "memory");
    }

private:
    inline static std::uint64_t empty_ = 0;
    Session& session_;
    const char* name_;
    NamedCommunicator copy_;
    MPI_Comm comm_ = copy_.comm;
    PluginCounters counters_;  // counts from here on
    int calls_ = 0;
};

constexpr int longest_lazy = 4096;  // bytes

void test(Session& session, int limit) {
    const auto with = [&](const char* name, const std::function<void(Case&)>& calls, int early) {
        Case fresh(session, name);
        calls(fresh);
        fresh.expect(early);
    };
    with(
        "few short ones", [&](Case& c) { c.bcast(8, limit); }, limit);
    with(
        "one more", [&](Case& c) { c.bcast(longest_lazy, limit + 1); }, limit);
    with(
        "a long one", [&](Case& c) { c.bcast(longest_lazy + 1); }, 0);
    with(
        "short ones after a long one",
        [&](Case& c) {
            c.bcast(8, 2);
            c.bcast(100'000);
            c.bcast(8, 2 * limit);
        },
        std::min(2, limit));
    with(
        "barriers", [&](Case& c) { c.barriers(limit + 2); }, limit);
    with(
        "whole numbers", [&](Case& c) { c.sum<int>(MPI_INT, limit + 1); }, limit);
    with(
        "floating point", [&](Case& c) { c.sum<double>(MPI_DOUBLE, limit + 1); },
        session.size() == 2 ? limit : 0);  // of two ranks it is rounded once
    with(
        "complex numbers", [&](Case& c) { c.sum<std::complex<double>>(MPI_C_DOUBLE_COMPLEX, limit + 1); }, 0);
    with(
        "sizes that only the root knows",
        [&](Case& c) {
            c.bcast(8);
            c.gatherv();
            c.bcast(8);
        },
        std::min(1, limit));
    with(
        "nothing to do",
        [&](Case& c) {
            c.bcast(0, limit + 1);  // MPI_Bcast itself returns
            c.bcast(8, limit);
        },
        limit);
}

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv);
    const auto limit = static_cast<int>(session.number("--calls", 8));
    session.reject_other_arguments();
    Case::measure_empty(session);
    test(session, limit);
    return session.finish();
}
