// Random end-to-end test of Bcast: the seed determines communicator, datatype per rank, count, root and
// size.
#include <cstdio>

#include "check.h"
#include "communicators.h"
#include "typed_layout.h"

using namespace strata::testing;

namespace {

constexpr int iterations_per_set = 64;  // sets of communicators

int random_items(Random& common, ItemKind kind) {
    const int bytes = kind == ItemKind::byte ? 1 : kind == ItemKind::integer ? 4 : 15;
    switch (common.between(0, 9)) {
        case 0: return static_cast<int>(common.between(0, 2));
        case 1:  // around usual segment sizes
            return static_cast<int>(common.between(60 * 1024 - 40, 60 * 1024 + 40)) / bytes;
        case 2: return static_cast<int>(common.between(65536, 1 << 20)) / bytes;
        default: return static_cast<int>(common.between(0, 1 << common.between(1, 14))) / bytes;
    }
}

void iterate(Session& session, const NamedCommunicator& c, std::int64_t iteration, Random common) {
    const auto kind = static_cast<ItemKind>(common.between(0, item_kind_count - 1));
    const int items = random_items(common, kind);
    const int root = static_cast<int>(common.between(0, c.size() - 1));
    const bool all_plain = common.one_in(4);
    Random own(mix(session.seed(), iteration, c.rank(), 1));
    const TypedArgument argument =
        all_plain || own.one_in(4) ? plain_argument(kind, items) : random_argument(own, kind, items);
    session.at("iteration %lld: %s (%d ranks), root %d, kind %d, %d items, count %d",
               static_cast<long long>(iteration), c.name.c_str(), c.size(), root, static_cast<int>(kind),
               items, argument.count);
    const std::uint64_t key = mix(session.seed(), iteration);
    TypedBuffer buffer(argument);
    if (c.rank() == root) {
        buffer.fill(key);
    }
    MPI_Bcast(buffer.address(), argument.count, argument.layout.type(), root, c.comm);
    buffer.expect(session, key);
}

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv);
    const std::int64_t seconds = session.number("--seconds", 2);
    const std::int64_t first = session.number("--first", 0);
    const std::int64_t iterations = session.number("--iterations", -1);
    session.reject_other_arguments();
    if (session.rank() == 0) {
        std::printf("random_bcast: seed %llu; to repeat: mpirun -n %d random_bcast --seed %llu\n",
                    static_cast<unsigned long long>(session.seed()), session.size(),
                    static_cast<unsigned long long>(session.seed()));
        std::fflush(stdout);
    }
    const double end = MPI_Wtime() + static_cast<double>(seconds);
    std::vector<NamedCommunicator> set;
    std::int64_t i = first;
    for (bool more = true; more; ++i) {
        if (i == first || i % iterations_per_set == 0) {
            set.clear();
            set = standing_communicators(mix(session.seed(), i / iterations_per_set));
        }
        Random common(mix(session.seed(), i, 2));
        const auto choice =
            static_cast<std::size_t>(common.between(0, static_cast<std::int64_t>(set.size()) - 1));
        const int failures = session.failures();
        session.at("iteration %lld", static_cast<long long>(i));
        if (set[choice].member()) {
            iterate(session, set[choice], i, common);
        }
        if (session.failures() > 0 && failures == 0) {
            std::fprintf(
                stderr, "to repeat: mpirun -n %d random_bcast --seed %llu --first %lld --iterations 1\n",
                session.size(), static_cast<unsigned long long>(session.seed()), static_cast<long long>(i));
        }
        // Only every few iterations: between them only the Bcasts synchronise the ranks.
        if (iterations >= 0) {
            more = i + 1 < first + iterations;
        } else if (i % 8 == 7) {
            more = session.least(session.failures() == 0 && MPI_Wtime() < end ? 1 : 0) == 1;
        }
    }
    set.clear();
    if (session.rank() == 0) {
        std::printf("random_bcast: %lld iterations\n", static_cast<long long>(i - first));
    }
    return session.finish();
}
