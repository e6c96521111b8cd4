// Tests Bcast with derived datatypes: the same type on all ranks, then different types of equal signature.
// Data must arrive in type map order; gaps and surrounding bytes must not change, at the root too.
#include <functional>
#include <string>

#include "check.h"
#include "communicators.h"
#include "typed_layout.h"

using namespace strata::testing;

namespace {

struct Case {
    std::string name;
    std::function<TypedLayout()> make;
    std::vector<int> counts = {1, 2, 37};
};

TypedLayout ints() { return TypedLayout::basic(MPI_INT, sizeof(int)); }

TypedLayout particle() {
    const TypedLayout integer = ints();
    const TypedLayout real = TypedLayout::basic(MPI_DOUBLE, sizeof(double));
    const TypedLayout letter = TypedLayout::basic(MPI_CHAR, 1);
    return TypedLayout::structure({1, 3, 2}, {0, 8, 45}, {&letter, &real, &integer});
}

std::vector<Case> fixed_cases() {
    std::vector<Case> cases;
    cases.push_back({"int", ints, {1, 5, 4000, 100000}});
    cases.push_back({"vector", [] { return TypedLayout::vector(7, 3, 5, ints()); }, {1, 2, 900}});
    cases.push_back(
        {"hvector, negative stride", [] { return TypedLayout::hvector(5, 2, -24, ints()); }, {1, 3, 50}});
    cases.push_back({"indexed, decreasing", [] {
                         return TypedLayout::indexed({2, 1, 4}, {20, 9, 0}, ints());
                     }});
    cases.push_back({"hindexed", [] { return TypedLayout::hindexed({1, 3}, {-16, 100}, ints()); }});
    cases.push_back({"struct with holes", particle, {1, 2, 3000}});
    cases.push_back({"lower bound 12", [] { return TypedLayout::hindexed({3}, {12}, ints()); }});
    cases.push_back({"resized, lower bound -8", [] { return TypedLayout::resized(-8, 40, particle()); }});
    cases.push_back(
        {"resized, wide extent", [] { return TypedLayout::resized(0, 4096, ints()); }, {1, 2, 60}});
    cases.push_back({"resized, contiguous with a lower bound",
                     [] { return TypedLayout::resized(4, 8, TypedLayout::hindexed({2}, {4}, ints())); }});
    // The items interleave: item i lies in the gaps of item i - 1.
    cases.push_back({"resized, narrow extent",
                     [] { return TypedLayout::resized(0, 4, TypedLayout::vector(6, 1, 3, ints())); },
                     {1, 2, 3}});
    cases.push_back(
        {"resized, negative extent", [] { return TypedLayout::resized(0, -4, ints()); }, {1, 2, 500}});
    cases.push_back({"no elements: contiguous", [] { return TypedLayout::contiguous(0, ints()); }});
    cases.push_back({"no elements: indexed", [] { return TypedLayout::indexed({0, 0}, {0, 9}, ints()); }});
    cases.push_back({"no elements: wide",
                     [] { return TypedLayout::resized(0, 64, TypedLayout::contiguous(0, ints())); }});
    cases.push_back(
        {"dup of vector", [] { return TypedLayout::duplicate(TypedLayout::vector(3, 1, 2, ints())); }});
    cases.push_back({"dup of int", [] { return TypedLayout::duplicate(ints()); }, {1, 700}});
    cases.push_back({"contiguous of contiguous",
                     [] { return TypedLayout::contiguous(11, TypedLayout::contiguous(13, ints())); },
                     {1, 2, 300}});
    cases.push_back({"contiguous of vector",
                     [] { return TypedLayout::contiguous(4, TypedLayout::vector(3, 2, 3, ints())); }});
    cases.push_back({"subarray, C", [] {
                         return TypedLayout::subarray({9, 11}, {4, 5}, {2, 3}, MPI_ORDER_C, ints());
                     }});
    cases.push_back({"subarray, Fortran", [] {
                         return TypedLayout::subarray({9, 11}, {4, 5}, {2, 3}, MPI_ORDER_FORTRAN, particle());
                     }});
    cases.push_back({"darray", [] { return TypedLayout::darray(3, {2, 3}, {10, 17}, 2, ints()); }});
    cases.push_back({"one large item", [] { return TypedLayout::vector(40000, 1, 2, ints()); }, {1}});
    return cases;
}

void one_bcast(Session& session, MPI_Comm comm, int root, const TypedArgument& argument, std::uint64_t key) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    TypedBuffer buffer(argument);
    if (rank == root) {
        buffer.fill(key);
    }
    MPI_Bcast(buffer.address(), argument.count, argument.layout.type(), root, comm);
    buffer.expect(session, key);
}

void same_types(Session& session, MPI_Comm comm, int size) {
    for (const Case& c : fixed_cases()) {
        for (const int count : c.counts) {
            const TypedArgument argument{c.make(), count};
            for (const int root : {0, size / 2, size - 1}) {
                session.at("%s, count %d, root %d", c.name.c_str(), count, root);
                one_bcast(session, comm, root, argument, mix(session.seed(), count, root));
            }
        }
    }
}

// One large item on some ranks, many small ones on the others, per rank and case.
void different_types(Session& session, MPI_Comm comm, int rank, int size, int cases) {
    Random common(mix(session.seed(), 100));
    for (int i = 0; i < cases; ++i) {
        const auto kind = static_cast<ItemKind>(common.between(0, item_kind_count - 1));
        const int items =
            static_cast<int>(common.one_in(8) ? common.between(10000, 60000) : common.between(0, 600));
        const int root = static_cast<int>(common.between(0, size - 1));
        const bool plain_root = common.one_in(2);
        Random own(mix(session.seed(), i, rank));
        const TypedArgument argument =
            plain_root && rank == root ? plain_argument(kind, items) : random_argument(own, kind, items);
        session.at("mixed case %d: kind %d, %d items, count %d, root %d", i, static_cast<int>(kind), items,
                   argument.count, root);
        one_bcast(session, comm, root, argument, mix(session.seed(), i));
    }
}

// Absolute addresses: the buffer argument is MPI_BOTTOM.
void bottom(Session& session, MPI_Comm comm, int rank, int size) {
    std::vector<std::uint8_t> first(300 * sizeof(int));
    std::vector<std::uint8_t> second(70 * sizeof(int));
    for (int root = 0; root < size; root += 2) {
        session.at("MPI_BOTTOM, root %d", root);
        const std::uint64_t key = mix(session.seed(), 200, root);
        std::vector<MPI_Aint> addresses(2);
        MPI_Get_address(first.data(), &addresses[0]);
        MPI_Get_address(second.data(), &addresses[1]);
        const TypedLayout layout = TypedLayout::hindexed({300, 70}, addresses, ints());
        if (rank == root) {
            fill_pattern(first.data(), first.size(), key);
            fill_pattern(second.data(), second.size(), key, first.size());
        }
        MPI_Bcast(MPI_BOTTOM, 1, layout.type(), root, comm);
        session.expect_pattern(first.data(), first.size(), key);
        session.expect_pattern(second.data(), second.size(), key, first.size());
    }
}

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv);
    const int cases = static_cast<int>(session.number("--cases", 200));
    session.reject_other_arguments();
    {
        const NamedCommunicator shuffled = shuffled_world(session.seed());
        for (const MPI_Comm comm : {MPI_COMM_WORLD, shuffled.comm}) {
            int rank = 0;
            MPI_Comm_rank(comm, &rank);
            same_types(session, comm, session.size());
            different_types(session, comm, rank, session.size(), cases);
            bottom(session, comm, rank, session.size());
        }
    }
    return session.finish();
}
