// Tests the MPI_T performance variables bound to a communicator. Calls by engine and passed-through calls
// by reason add up to exactly the calls made; messages and bytes cover the plugin's own calls; set-up took
// some time, at most as long as the call that did it; the communicator uses memory. The variables of the
// process are the sums over its communicators.
//
//   communicator_counters [--op NAME[,NAME...]] [--expect tree|levels|ring|rails|forward] [--reason REASON]
//                         [--bytes N] [--calls N] [--ordered] [--spawn]
// --reason: why calls are passed through to Open MPI (with --expect forward). --bytes: size of a vector, or
// a block. --ordered: reductions with an operator that does not commute. --spawn: the communicators join
// these processes and two more.
// and two more.
#include <algorithm>
#include <chrono>
#include <cstring>
#include <set>
#include <vector>

#include "check.h"
#include "collective_cases.h"
#include "communicators.h"
#include "plugin_counters.h"

using namespace strata::testing;

namespace {

const std::vector<std::string> engines = {"tree", "levels", "ring", "rails", "node", "forward"};
const std::set<std::string> reasons_without_set_up = {"several_jobs", "early"};

struct Wanted {
    Collective collective = Collective::bcast;
    std::string engine;
    std::string reason;  ///< empty: no call is passed through
    int calls = 0;
    int bytes = 0;

    std::string op() const { return name_of(collective); }
    bool by(const std::string& engine_there) const { return engine == engine_there; }
    bool is_set_up() const { return !reasons_without_set_up.contains(reason); }
};

/// MPI sees this operator as not commutative.
void last_one(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
    std::memcpy(inout, in, static_cast<std::size_t>(*count) * sizeof(int));
}

/// Calls with large enough buffers; other tests check the results.
class Calls {
public:
    Calls(int ranks, int bytes, bool ordered)
        : items_(bytes / static_cast<int>(sizeof(int))),
          own_(static_cast<std::size_t>(items_) * static_cast<std::size_t>(ranks), 1),
          all_(own_.size(), 0),
          counts_(static_cast<std::size_t>(ranks), items_) {
        for (int rank = 0; rank < ranks; ++rank) {
            places_.push_back(rank * items_);
        }
        if (ordered) {
            MPI_Op_create(last_one, 0, &op_);
        }
    }
    Calls(const Calls&) = delete;
    Calls& operator=(const Calls&) = delete;
    ~Calls() {
        if (op_ != MPI_SUM) {
            MPI_Op_free(&op_);
        }
    }

    /// Set-up time on this rank, us.
    double make(Collective collective, MPI_Comm comm) {
        const auto begin = std::chrono::steady_clock::now();
        call(collective, comm);
        return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
    }

private:
    void call(Collective collective, MPI_Comm comm) {
        int* const own = own_.data();
        int* const all = all_.data();
        const int* const counts = counts_.data();
        const int* const places = places_.data();
        switch (collective) {
            case Collective::bcast: MPI_Bcast(own, items_, MPI_INT, 0, comm); break;
            case Collective::reduce: MPI_Reduce(own, all, items_, MPI_INT, op_, 0, comm); break;
            case Collective::allreduce: MPI_Allreduce(own, all, items_, MPI_INT, op_, comm); break;
            case Collective::allgather:
                MPI_Allgather(own, items_, MPI_INT, all, items_, MPI_INT, comm);
                break;
            case Collective::allgatherv:
                MPI_Allgatherv(own, items_, MPI_INT, all, counts, places, MPI_INT, comm);
                break;
            case Collective::barrier: MPI_Barrier(comm); break;
            case Collective::gather: MPI_Gather(own, items_, MPI_INT, all, items_, MPI_INT, 0, comm); break;
            case Collective::gatherv:
                MPI_Gatherv(own, items_, MPI_INT, all, counts, places, MPI_INT, 0, comm);
                break;
            case Collective::scatter: MPI_Scatter(all, items_, MPI_INT, own, items_, MPI_INT, 0, comm); break;
            case Collective::scatterv:
                MPI_Scatterv(all, counts, places, MPI_INT, own, items_, MPI_INT, 0, comm);
                break;
        }
    }

    int items_;
    std::vector<int> own_, all_, counts_, places_;
    MPI_Op op_ = MPI_SUM;
};

/// A communicator and the number of calls on it.
class Watched {
public:
    Watched(Session& session, NamedCommunicator communicator)
        : session_(session), communicator_(std::move(communicator)), counters_(session, communicator_.comm) {
        session_.expect(counters_.sum(session_, "") == counters_.read(session_, "memory"),
                        "a new communicator has non-zero counters");
        empty_ = counters_.read(session_, "memory");
    }

    void make(Calls& calls, const Wanted& wanted, int count) {
        made_ = count;
        double us = 0;
        for (int i = 0; i < count; ++i) {
            session_.at("%s on the %s communicator, call %d", wanted.op().c_str(), communicator_.name.c_str(),
                        i);
            us += calls.make(wanted.collective, communicator_.comm);
        }
        session_.at("%s on the %s communicator", wanted.op().c_str(), communicator_.name.c_str());
        expect_set_up(wanted, us);
        expect_calls(wanted);
        expect_traffic(wanted);
    }

    std::uint64_t read(const std::string& name) const { return counters_.read(session_, name); }
    int made() const { return made_; }

private:
    void expect_set_up(const Wanted& wanted, double calls_us) {
        const std::uint64_t us = session_.sabotages("setup") ? 0 : read("setup_us");
        session_.expect(!wanted.is_set_up() || us > 0, "its set-up took no time");
        session_.expect(static_cast<double>(us) <= calls_us + 1, "its set-up took longer than its calls");
        const std::uint64_t memory = session_.sabotages("memory") ? empty_ : read("memory");
        session_.expect(empty_ > 0, "a communicator takes no memory");
        session_.expect(!wanted.is_set_up() || memory > empty_,
                        "a communicator that is set up takes no more memory");
    }
    void expect_calls(const Wanted& wanted) {
        const auto made = static_cast<std::uint64_t>(made_ + (session_.sabotages("calls") ? 1 : 0));
        for (const std::string& engine : engines) {
            expect(engine, wanted.by(engine) ? made : 0);
        }
        for (const std::string& reason : counters_.endings(session_, "forward_")) {
            expect("forward_" + reason, reason == wanted.reason ? made : 0);
        }
    }
    void expect(const std::string& name, std::uint64_t wanted) {
        if (const std::uint64_t found = read(name); found != wanted) {
            session_.fail("comm_%s of the %s communicator is %llu instead of %llu", name.c_str(),
                          communicator_.name.c_str(), static_cast<unsigned long long>(found),
                          static_cast<unsigned long long>(wanted));
        }
    }
    /// Every rank receives the bytes it lacks once, if the plugin's engines send all messages.
    void expect_traffic(const Wanted& wanted) {
        const bool ours = wanted.by("tree") || wanted.by("ring") || wanted.by("rails");
        const auto ranks = static_cast<std::uint64_t>(communicator_.size());
        const std::uint64_t messages = session_.total(counters_.sum(session_, "messages_"));
        const std::uint64_t bytes = session_.total(counters_.sum(session_, "bytes_"));
        session_.expect(
            ours ? messages >= (ranks - 1) * static_cast<std::uint64_t>(made_) : messages + bytes == 0,
            "the messages of another engine");
        std::uint64_t each = static_cast<std::uint64_t>(wanted.bytes) * static_cast<std::uint64_t>(made_);
        switch (wanted.collective) {
            case Collective::bcast:
            case Collective::reduce: each *= ranks - 1; break;
            case Collective::allgather:
            case Collective::allgatherv: each *= ranks * (ranks - 1); break;
            case Collective::barrier: each = 0; break;
            default: session_.expect(!ours || bytes >= each * (ranks - 1), "too few bytes"); return;
        }
        const std::uint64_t found = bytes + (session_.sabotage_is("bytes") ? 1 : 0);
        session_.expect(!ours || found == each, "bytes are not those that the ranks lack, once");
    }

    Session& session_;
    NamedCommunicator communicator_;
    PluginCounters counters_;
    std::uint64_t empty_ = 0;
    int made_ = 0;
};

/// The process's variables grow by the sum of the communicators' variables.
void expect_sums(Session& session, const PluginCounters& process,
                 const std::map<std::string, std::uint64_t>& before, const Wanted& wanted,
                 const Watched& first, const Watched& second) {
    const auto after = process.read(session);
    const auto expect = [&](const std::string& name, const std::string& own) {
        const auto known = after.find("coll_strata_" + name);
        if (known == after.end()) {
            return;  // not every collective has every engine
        }
        const std::uint64_t grown =
            known->second - before.at(known->first) + (session.sabotages("process") ? 1 : 0);
        const std::uint64_t sum = first.read(own) + second.read(own);
        if (grown != sum) {
            session.fail("%s grew by %llu, comm_%s of both communicators by %llu", name.c_str(),
                         static_cast<unsigned long long>(grown), own.c_str(),
                         static_cast<unsigned long long>(sum));
        }
    };
    session.at("%s: the sums", wanted.op().c_str());
    for (const std::string& engine : engines) {
        expect(wanted.op() + "_" + engine, engine);
    }
    for (const std::string& reason : process.endings(session, "bcast_forward_")) {
        expect(wanted.op() + "_forward_" + reason, "forward_" + reason);
    }
    for (const std::string& level : process.endings(session, "messages_")) {
        expect("messages_" + level, "messages_" + level);
        expect("bytes_" + level, "bytes_" + level);
    }
    expect("setup_us", "setup_us");
}

/// These processes and two more, which run the same program.
MPI_Comm joined(char** argv) {
    MPI_Comm inter = MPI_COMM_NULL;
    MPI_Comm_get_parent(&inter);
    const bool child = inter != MPI_COMM_NULL;
    if (!child) {
        MPI_Comm_spawn(argv[0], argv + 1, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE);
    }
    MPI_Comm merged = MPI_COMM_NULL;
    MPI_Intercomm_merge(inter, child ? 1 : 0, &merged);
    MPI_Comm_disconnect(&inter);
    return merged;
}

void test(Session& session, MPI_Comm all, const Wanted& wanted, bool ordered) {
    int ranks = 0;
    MPI_Comm_size(all, &ranks);
    Calls calls(ranks, wanted.bytes, ordered);
    const PluginCounters process(session);
    const auto before = process.read(session);
    const auto copy = [&](const char* name) {
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Comm_dup(all, &comm);
        return NamedCommunicator(name, comm);
    };
    Watched first(session, copy("first"));
    Watched second(session, copy("second"));
    first.make(calls, wanted, wanted.calls);
    second.make(calls, wanted, wanted.calls + 1);
    session.expect(first.read(wanted.engine) == static_cast<std::uint64_t>(wanted.calls),
                   "calls on one communicator are counted on the other");
    expect_sums(session, process, before, wanted, first, second);
    const PluginCounters of_self(session, MPI_COMM_SELF);
    session.expect(of_self.sum(session, "") == 0, "counters of a communicator that is not served");
}

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv);
    Wanted wanted;
    const std::string ops = session.option("--op", "bcast");
    wanted.engine = session.option("--expect", "tree");
    wanted.reason = session.option("--reason", "");
    wanted.calls = static_cast<int>(session.number("--calls", 5));
    wanted.bytes = static_cast<int>(session.number("--bytes", 4096));
    const bool ordered = session.flag("--ordered");
    const bool spawn = session.flag("--spawn");
    session.reject_other_arguments();
    {
        const NamedCommunicator all("all", spawn ? joined(argv) : MPI_COMM_WORLD);
        for (const Collective collective : parse_collectives(ops)) {
            wanted.collective = collective;
            test(session, all.comm, wanted, ordered);
        }
    }
    return session.finish();
}
