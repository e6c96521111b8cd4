// Tests the semantics of every collective case by case: every root, every place, no items, one and many, on
// every kind of communicator; and sums of real numbers whose bits stay the same from a communicator's first
// call on.
//
//   collective_semantics [--collectives LIST] [--large-roots N] [--any-types]
#include <algorithm>

#include "check.h"
#include "collective_cases.h"
#include "communicators.h"

using namespace strata::testing;

namespace {

constexpr int large = -1;
constexpr int large_bytes = 70000;  // more than a segment, not a multiple of it

struct Size {
    int items;  ///< or `large`
    bool count_zero;
};
constexpr Size sizes[] = {{0, true}, {0, false}, {1, false}, {300, false}, {large, false}};

class Semantics {
public:
    Semantics(Session& session, const std::string& collectives, int large_roots, bool any_types)
        : session_(session),
          operators_(session),
          collectives_(parse_collectives(collectives)),
          large_roots_(large_roots),
          any_types_(any_types) {}

    void all() {
        for (const NamedCommunicator& c : all_kinds_of_communicators(session_.seed())) {
            // These communicators add nothing for collectives beyond world and shuffled.
            if (c.member() && c.name != "reversed" && c.name != "copy") {
                for (const Collective collective : collectives_) {
                    every_way(c, collective);
                }
            }
        }
        first_calls();
    }

private:
    std::vector<std::size_t> operators_of(Collective collective) const {
        if (!reduces(collective)) {
            return {0};
        }
        std::vector<std::size_t> chosen;
        for (const char* name : {"MPI_SUM of MPI_INT", "MPI_MINLOC of MPI_DOUBLE_INT", "matrix product",
                                 "text joining", "record", "MPI_SUM of MPI_DOUBLE, any numbers"}) {
            chosen.push_back(operators_.named(name));
        }
        return chosen;
    }

    void run(const NamedCommunicator& c, const CollectiveCase& what) {
        session_.at("%s (%d ranks): %s", c.name.c_str(), c.size(), describe(what, operators_).c_str());
        run_case(session_, c.comm, what, operators_);
    }

    void every_way(const NamedCommunicator& c, Collective collective) {
        CollectiveCase what;
        what.collective = collective;
        what.any_types = any_types_;
        const bool places = collective != Collective::bcast && collective != Collective::barrier;
        for (const std::size_t op : operators_of(collective)) {
            for (const Size& size : sizes) {
                if (collective == Collective::barrier && size.items != 1) {
                    continue;
                }
                for (const bool in_place : {false, true}) {
                    what.op = op;
                    what.items = size.items;
                    what.count_zero = size.count_zero;
                    what.in_place = in_place;
                    if (!in_place || places) {
                        every_root(c, what);
                    }
                }
            }
        }
    }

    void every_root(const NamedCommunicator& c, CollectiveCase what) {
        const int ranks = c.size();
        const int roots = has_root(what.collective) ? ranks : 1;
        const bool many = what.items == large;
        const int step = many ? std::max(1, (roots - 1) / large_roots_) : 1;
        for (int root = 0; root < roots; root += step) {
            what.root = root;
            what.key = mix(session_.seed(), root, what.items, static_cast<int>(what.collective));
            what.kind = static_cast<ItemKind>(what.key % item_kind_count);
            what.plain = what.key % 7 < 2;
            what.absurd = what.key % 5 < 2;
            what.at_bottom = what.key % 11 < 3 && can_be_at_bottom(what, operators_);
            if (many) {
                const std::size_t each =
                    reduces(what.collective) ? operators_[what.op].value_bytes : item_bytes(what.kind);
                what.items = large_bytes / static_cast<int>(each);
            }
            run(c, what);
        }
    }

    // The set-up in the first call of a communicator must not change the order of a sum.
    void first_calls() {
        for (const Collective collective : {Collective::reduce, Collective::allreduce}) {
            if (std::find(collectives_.begin(), collectives_.end(), collective) == collectives_.end()) {
                continue;
            }
            for (const int values : {1, 100, 2000, 30000}) {
                MPI_Comm copy = MPI_COMM_NULL;
                MPI_Comm_dup(MPI_COMM_WORLD, &copy);
                CollectiveCase what;
                what.collective = collective;
                what.op = operators_.named("MPI_SUM of MPI_DOUBLE, any numbers");
                what.items = values;
                what.root = values;
                what.key = mix(session_.seed(), values);
                run(NamedCommunicator("fresh copy", copy), what);
            }
        }
    }

    Session& session_;
    const Operators operators_;
    const std::vector<Collective> collectives_;
    const int large_roots_;
    const bool any_types_;
};

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv);
    const std::string collectives = session.option("--collectives", "all");
    const auto large_roots = static_cast<int>(session.number("--large-roots", 2));
    const bool any_types = session.flag("--any-types");
    session.reject_other_arguments();
    Semantics(session, collectives, large_roots, any_types).all();
    return session.finish();
}
