// Cases of Reduce and Allreduce: checks results by the serial oracle, or equal bits everywhere and every
// time.
#include <algorithm>
#include <cmath>

#include "case_runners.h"
#include "operator_values.h"

namespace strata::testing {

namespace {

constexpr int comparison_tag = 901;

/// The arguments of one rank, made once for several calls.
class Reduction {
public:
    Reduction(const Call& call, const Operators& operators)
        : call_(call),
          operators_(operators),
          op_(operators[call.what.op]),
          argument_(make_argument(call, op_)) {
        mine_ = op_.contribution(call.what.key, call.rank, values());
    }

    const Operator& op() const { return op_; }
    std::size_t values() const { return static_cast<std::size_t>(call_.what.items); }
    bool receives() const { return call_.what.collective == Collective::allreduce || call_.is_root(); }

    /// Makes one call. Checks that only the result was written, and compares it with `expected` if there is
    /// one. Returns the result (empty on ranks that get none).
    Stream perform(const Stream* expected) {
        return receives() && call_.what.in_place ? perform_in_place(expected) : perform_copying(expected);
    }

private:
    // The same on all ranks. See CaseLimits for items that do not begin at the buffer's address.
    static TypedArgument make_argument(const Call& call, const Operator& op) {
        const CollectiveCase& what = call.what;
        Random common(mix(what.key, 5));
        TypedArgument argument = op.argument(common, what.items, what.plain, what.count_zero);
        const bool refused = what.collective == Collective::allreduce && !what.any_types &&
                             lowest_offset(argument.layout) != 0;
        return refused ? op.argument(common, what.items, true, what.count_zero) : std::move(argument);
    }

    static std::ptrdiff_t lowest_offset(const TypedLayout& layout) {
        const std::vector<Element>& elements = layout.elements();
        const auto lowest =
            std::min_element(elements.begin(), elements.end(),
                             [](const Element& a, const Element& b) { return a.offset < b.offset; });
        return lowest == elements.end() ? 0 : lowest->offset;
    }

    void reduce(const void* send, void* receive, const TypedLayout& layout) const {
        if (op_.user()) {
            operators_.attach(layout);
        }
        if (call_.what.collective == Collective::reduce) {
            MPI_Reduce(send, receive, argument_.count, layout.type(), op_.op, call_.root, call_.comm);
        } else {
            MPI_Allreduce(send, receive, argument_.count, layout.type(), op_.op, call_.comm);
        }
    }

    Stream checked(TypedBuffer& buffer, const Stream* expected) const {
        Stream result = buffer.contents();
        buffer.expect(call_.session, expected != nullptr ? *expected : result);
        return result;
    }

    Stream perform_in_place(const Stream* expected) const {
        TypedBuffer buffer(argument_);
        buffer.fill(mine_);
        const Passed passed(call_, buffer, argument_.layout);
        reduce(MPI_IN_PLACE, passed.address(), passed.layout());
        return checked(buffer, expected);
    }

    Stream perform_copying(const Stream* expected) const {
        TypedBuffer send(argument_);
        send.fill(mine_);
        send.forbid_writing();
        TypedBuffer receive(argument_);
        const Passed passed(call_, send, argument_.layout);
        reduce(passed.address(), receives() || call_.what.absurd ? passed.other(receive) : nullptr,
               passed.layout());
        send.expect(call_.session, mine_);
        if (receives()) {
            return checked(receive, expected);
        }
        receive.expect_untouched(call_.session);
        return {};
    }

    const Call& call_;
    const Operators& operators_;
    const Operator& op_;
    TypedArgument argument_;
    Stream mine_;
};

// The sum of any order is near that of rank order: up to 64 terms of less than 2^20.
template <class T>
void expect_near(Session& session, const Stream& got, const Stream& expected) {
    for (std::size_t at = 0; at < expected.size(); at += sizeof(T)) {
        const T a = load<T>(got.data() + at);
        const T b = load<T>(expected.data() + at);
        if (!(std::abs(a - b) <= std::ldexp(T{1}, sizeof(T) == 4 ? 7 : -20))) {
            session.fail("value %zu: expected about %.17g, got %.17g", at / sizeof(T), static_cast<double>(b),
                         static_cast<double>(a));
            return;
        }
    }
}

void expect_same_again(Session& session, const Stream& first, Stream second) {
    if (!second.empty() && session.sabotages("repeat")) {
        second.back() ^= 1;
    }
    const auto difference = std::mismatch(first.begin(), first.end(), second.begin());
    if (difference.first != first.end()) {
        session.fail("the same call again gave other bits: byte %td of %zu was 0x%02x, is 0x%02x",
                     difference.first - first.begin(), first.size(), *difference.first, *difference.second);
    }
}

}  // namespace

void expect_equal_on_all(Session& session, MPI_Comm comm, Stream mine) {
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    if (size > 1 && !mine.empty() && session.sabotages("bits")) {
        mine.back() ^= 1;
    }
    if (rank != 0) {
        MPI_Send(mine.data(), static_cast<int>(mine.size()), MPI_BYTE, 0, comparison_tag, comm);
        return;
    }
    Stream theirs(mine.size());
    for (int other = 1; other < size; ++other) {
        MPI_Recv(theirs.data(), static_cast<int>(theirs.size()), MPI_BYTE, other, comparison_tag, comm,
                 MPI_STATUS_IGNORE);
        const auto difference = std::mismatch(mine.begin(), mine.end(), theirs.begin());
        if (difference.first != mine.end()) {
            session.fail(
                "ranks 0 and %d of the communicator got different bits: byte %td of %zu is 0x%02x "
                "and 0x%02x",
                other, difference.first - mine.begin(), mine.size(), *difference.first, *difference.second);
        }
    }
}

std::uint64_t run_reduction(const Call& call, const Operators& operators) {
    Reduction reduction(call, operators);
    const Operator& op = reduction.op();
    Stream expected;
    if (reduction.receives()) {
        expected = op.combined(call.what.key, call.size, reduction.values());
    }
    const Stream first = reduction.perform(op.exact ? &expected : nullptr);
    if (!op.exact) {
        if (op.value_bytes == sizeof(double)) {
            expect_near<double>(call.session, first, expected);
        } else {
            expect_near<float>(call.session, first, expected);
        }
        for (int repeat = 0; repeat < 2; ++repeat) {
            expect_same_again(call.session, first, reduction.perform(nullptr));
        }
        if (call.what.collective == Collective::allreduce && !call.what.quiet) {
            expect_equal_on_all(call.session, call.comm, first);
        }
        return 0;
    }
    return reduction.receives() ? hash_bytes(first.data(), first.size()) : 0;
}

}  // namespace strata::testing
