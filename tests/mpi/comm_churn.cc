// Tests many short-lived communicators, freed in another order than created, some never freed; and unusual
// kinds.
//
//   comm_churn [--cycles N] [--collectives bcast,reduce]
#include "check.h"
#include "collective_cases.h"
#include "communicators.h"

using namespace strata::testing;

namespace {

constexpr std::size_t live_limit = 24;

NamedCommunicator make_one(Random& common, int rank, std::vector<NamedCommunicator>& live) {
    MPI_Comm comm = MPI_COMM_NULL;
    switch (common.between(0, 4)) {
        case 0: MPI_Comm_dup(MPI_COMM_WORLD, &comm); return {"dup", comm};
        case 1: {
            const int colors = static_cast<int>(common.between(1, 3));
            const int direction = common.one_in(2) ? 1 : -1;
            MPI_Comm_split(MPI_COMM_WORLD, rank % colors, direction * rank, &comm);
            return {"split", comm};
        }
        case 2: return subset_of_world(common.next());
        case 3: {  // a child of a child
            if (live.empty()) {
                return shuffled_world(common.next());
            }
            const auto parent =
                static_cast<std::size_t>(common.between(0, static_cast<std::int64_t>(live.size()) - 1));
            if (live[parent].member()) {
                MPI_Comm_dup(live[parent].comm, &comm);
            }
            return {"dup of " + live[parent].name.substr(0, 40), comm};
        }
        default: return shuffled_world(common.next());
    }
}

class Caller {
public:
    Caller(Session& session, const std::string& collectives) : session_(session), operators_(session) {
        limits_.collectives = parse_collectives(collectives);
    }

    void call(const NamedCommunicator& c, std::uint64_t key, std::size_t bytes) {
        Random common(key);
        limits_.bytes = bytes;
        const CollectiveCase what = random_case(common, session_.size(), operators_, limits_);
        if (c.member()) {
            session_.at("%s: %s", c.name.c_str(), describe(what, operators_).c_str());
            run_case(session_, c.comm, what, operators_);
        }
    }

private:
    Session& session_;
    Operators operators_;
    CaseLimits limits_;
};

void churn(Session& session, Caller& caller, int cycles) {
    Random common(mix(session.seed(), 1));
    std::vector<NamedCommunicator> live;
    for (int i = 0; i < cycles; ++i) {
        session.at("cycle %d, %zu live communicators", i, live.size());
        NamedCommunicator made = make_one(common, session.rank(), live);
        const std::size_t bytes =
            common.one_in(20) ? 300000 : static_cast<std::size_t>(common.between(1, 5000));
        const auto calls =
            static_cast<int>(common.between(0, 3));  // some communicators get no collective call
        for (int call = 0; call < calls; ++call) {
            caller.call(made, mix(session.seed(), i, call), bytes);
        }
        live.push_back(std::move(made));
        if (live.size() >= live_limit || common.one_in(3)) {
            const auto victim =
                static_cast<std::size_t>(common.between(0, static_cast<std::int64_t>(live.size()) - 1));
            caller.call(live[victim], mix(session.seed(), i, 100), 500);
            session.at("cycle %d: freeing %s", i, live[victim].name.c_str());
            live.erase(live.begin() + static_cast<std::ptrdiff_t>(victim));
        }
    }
    for (std::size_t i = 0; i + 4 < live.size(); ++i) {
        live[i].free();
    }
    // MPI_Finalize frees the last ones.
    for (NamedCommunicator& c : live) {
        c.comm = MPI_COMM_NULL;
    }
}

// The Bcast of an intercommunicator goes from one process of one side to all of the other.
void inter_bcast(Session& session, MPI_Comm inter, bool sending_side, int root, std::uint64_t key) {
    int rank = 0;
    MPI_Comm_rank(inter, &rank);
    GuardedBuffer buffer(5000);
    const bool is_root = sending_side && rank == root;
    if (is_root) {
        fill_pattern(buffer.data(), buffer.size(), key);
    }
    const int argument = is_root ? MPI_ROOT : sending_side ? MPI_PROC_NULL : root;
    MPI_Bcast(buffer.data(), static_cast<int>(buffer.size()), MPI_BYTE, argument, inter);
    if (is_root || !sending_side) {
        session.expect_pattern(buffer.data(), buffer.size(), key);
    } else {
        session.expect_untouched(buffer.data(), buffer.size(), GuardedBuffer::guard_value);
    }
    buffer.expect_guards(session);
}

void intercommunicators(Session& session) {
    if (session.size() < 2) {
        return;
    }
    const int low_ranks = (session.size() + 1) / 2;
    const bool low = session.rank() < low_ranks;
    MPI_Comm half = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, low ? 0 : 1, session.rank(), &half);
    for (int round = 0; round < 3; ++round) {
        session.at("intercommunicator, round %d", round);
        MPI_Comm inter = MPI_COMM_NULL;
        MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, low ? low_ranks : 0, 5, &inter);
        inter_bcast(session, inter, low, 0, mix(session.seed(), round, 1));
        inter_bcast(session, inter, !low, session.size() - low_ranks - 1, mix(session.seed(), round, 2));
        MPI_Comm merged = MPI_COMM_NULL;
        MPI_Intercomm_merge(inter, (low ? 1 : 0) == round % 2 ? 1 : 0, &merged);
        MPI_Comm_free(&inter);
        for (int root = 0; root < session.size(); ++root) {
            session.at("merged intercommunicator, round %d, root %d", round, root);
            checked_bcast(session, merged, root, 9000, mix(session.seed(), round, root, 3));
        }
        MPI_Comm_free(&merged);
    }
    MPI_Comm_free(&half);
}

void lonely(Session& session) {
    session.at("MPI_COMM_SELF");
    checked_bcast(session, MPI_COMM_SELF, 0, 70000, session.seed());
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_SELF, &copy);
    checked_bcast(session, copy, 0, 70000, session.seed());
    MPI_Comm_free(&copy);
}

void large_first_call(Session& session, Caller& caller) {
    for (int i = 0; i < 20; ++i) {
        session.at("first call on a copy, %d", i);
        MPI_Comm copy = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        caller.call(NamedCommunicator("fresh copy", copy), mix(session.seed(), i, 200), 1000000);
    }
    for (int i = 0; i < 4; ++i) {
        session.at("first call on a dup, %d", i);
        MPI_Comm copy = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        checked_bcast(session, copy, i % session.size(), 700000, mix(session.seed(), i));
        MPI_Comm_free(&copy);
    }
}

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv);
    const int cycles = static_cast<int>(session.number("--cycles", 2000));
    const std::string collectives = session.option("--collectives", "all");
    session.reject_other_arguments();
    lonely(session);
    intercommunicators(session);
    {
        Caller caller(session, collectives);
        large_first_call(session, caller);
        churn(session, caller, cycles);
    }
    return session.finish();
}
