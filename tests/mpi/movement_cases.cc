// Cases of broadcasts, gathers and scatters: every rank has its own datatypes for the same data.
#include <algorithm>
#include <numeric>

#include "case_runners.h"

namespace strata::testing {

namespace {

Random random_of(const Call& call, std::uint64_t salt) { return Random(mix(call.what.key, call.rank, salt)); }

TypedArgument argument(const Call& call, int items, std::uint64_t salt) {
    Random own = random_of(call, salt);
    const bool empty = call.what.count_zero || (has_counts(call.what.collective) && !call.what.any_types);
    if (items == 0 && empty) {
        return empty_argument(call.what.kind);
    }
    return call.what.plain || own.one_in(4) ? plain_argument(call.what.kind, items)
                                            : random_argument(own, call.what.kind, items);
}

/// The blocks of all ranks at their places in one rank's buffer.
struct Blocks {
    TypedLayout layout;
    std::vector<int> counts;
    std::vector<int> displacements;

    std::vector<ItemRange> ranges() const {
        std::vector<ItemRange> all;
        for (std::size_t i = 0; i < counts.size(); ++i) {
            all.push_back({displacements[i], counts[i]});
        }
        return all;
    }
};

Blocks equal_blocks(const Call& call) {
    TypedArgument block = argument(call, call.what.items, 2);
    Blocks blocks{std::move(block.layout), {}, {}};
    for (int rank = 0; rank < call.size; ++rank) {
        blocks.counts.push_back(block.count);
        blocks.displacements.push_back(rank * block.count);
    }
    return blocks;
}

/// The block sizes of a v-variant, known to all ranks: multiples of `unit` items.
struct Shares {
    explicit Shares(const Call& call) {
        Random common(mix(call.what.key, 3));
        unit = static_cast<int>(common.between(1, std::clamp(call.what.items, 1, 6)));
        const bool few = common.one_in(3);  // most have nothing
        for (int rank = 0; rank < call.size; ++rank) {
            const bool none = call.what.items == 0 || common.one_in(few ? 2 : 8);
            units.push_back(none ? 0 : static_cast<int>(common.between(0, call.what.items / unit)));
        }
    }
    int unit = 1;
    std::vector<int> units;
};

// coll/tuned's Allgatherv requires this: see CaseLimits.
bool equal_sizes(const Call& call) {
    return call.what.collective == Collective::allgatherv && !call.what.any_types;
}

// In any order, with gaps, maybe before the buffer's address.
Blocks varying_blocks(const Call& call) {
    const Shares shares(call);
    Random own = random_of(call, 2);
    // This rank's datatype holds the unit or a part of it.
    const bool halves = shares.unit % 2 == 0 && !equal_sizes(call) && own.one_in(2);
    const int part = halves ? shares.unit / 2 : shares.unit;
    Blocks blocks{
        call.what.plain ? plain_argument(call.what.kind, 1).layout : random_block(own, call.what.kind, part),
        {},
        std::vector<int>(shares.units.size())};
    const int factor = call.what.plain ? shares.unit : shares.unit / part;
    for (const int units : shares.units) {
        blocks.counts.push_back(units * factor);
    }
    std::vector<std::size_t> order(blocks.counts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    own.shuffle(order);
    int end = static_cast<int>(own.between(-2, 3));
    for (const std::size_t rank : order) {
        blocks.displacements[rank] = end;
        end += blocks.counts[rank] + static_cast<int>(own.between(0, 2));
    }
    return blocks;
}

int items_of(const Call& call, int rank) {
    if (!has_counts(call.what.collective)) {
        return call.what.items;
    }
    const Shares shares(call);
    return shares.unit * shares.units[static_cast<std::size_t>(rank)];
}

Blocks blocks_of(const Call& call) {
    return has_counts(call.what.collective) ? varying_blocks(call) : equal_blocks(call);
}

// This rank's contribution, or its result of a Scatter.
TypedArgument own_block(const Call& call) {
    if (equal_sizes(call) && !call.what.plain) {
        Random own = random_of(call, 1);
        const Shares shares(call);
        return {random_block(own, call.what.kind, shares.unit),
                shares.units[static_cast<std::size_t>(call.rank)]};
    }
    return argument(call, items_of(call, call.rank), 1);
}

// See CaseLimits: data that Open MPI may lose when a rank copies it to itself.
bool copied_wrongly(const Call& call, const TypedLayout& layout, int count) {
    const std::vector<Element>& elements = layout.elements();
    const bool plugin = call.what.any_types && call.size > 1;  // which does not serve single ranks
    if (plugin || count < 2 || layout.bytes() * static_cast<std::size_t>(count) <= 65536 ||
        layout.extent() == static_cast<MPI_Aint>(layout.bytes())) {
        return false;
    }
    for (std::size_t i = 1; i < elements.size(); ++i) {
        if (elements[i].offset !=
            elements[i - 1].offset + static_cast<std::ptrdiff_t>(elements[i - 1].bytes)) {
            return false;
        }
    }
    return true;
}

// Returns `layout`, or as many items without gaps if Open MPI would lose data.
TypedLayout copied_safely(const Call& call, TypedLayout layout, int count) {
    if (!copied_wrongly(call, layout, count)) {
        return layout;
    }
    return TypedLayout::contiguous(static_cast<int>(layout.bytes() / item_bytes(call.what.kind)),
                                   plain_argument(call.what.kind, 1).layout);
}

// The contribution of a rank that also receives.
TypedArgument copied_block(const Call& call) {
    TypedArgument mine = own_block(call);
    return {copied_safely(call, std::move(mine.layout), mine.count), mine.count};
}

Stream block_stream(const Call& call, int rank) {
    return pattern_stream(item_bytes(call.what.kind) * static_cast<std::size_t>(items_of(call, rank)),
                          mix(call.what.key, 4, rank));
}

Stream all_streams(const Call& call) {
    Stream all;
    for (int rank = 0; rank < call.size; ++rank) {
        const Stream one = block_stream(call, rank);
        all.insert(all.end(), one.begin(), one.end());
    }
    return all;
}

std::uint64_t fingerprint(TypedBuffer& buffer) {
    const Stream contents = buffer.contents();
    return hash_bytes(contents.data(), contents.size());
}

void call_gather(const Call& call, const void* send, int count, MPI_Datatype type, const Passed& result,
                 const Blocks& blocks) {
    void* const receive = result.address();
    const MPI_Datatype to = result.type();
    switch (call.what.collective) {
        case Collective::gather:
            MPI_Gather(send, count, type, receive, blocks.counts[0], to, call.root, call.comm);
            return;
        case Collective::gatherv:
            MPI_Gatherv(send, count, type, receive, blocks.counts.data(), blocks.displacements.data(), to,
                        call.root, call.comm);
            return;
        case Collective::allgather:
            MPI_Allgather(send, count, type, receive, blocks.counts[0], to, call.comm);
            return;
        default:
            MPI_Allgatherv(send, count, type, receive, blocks.counts.data(), blocks.displacements.data(), to,
                           call.comm);
    }
}

// A rank that only contributes.
std::uint64_t give(const Call& call) {
    const Ignored ignored(call);
    const TypedArgument mine = own_block(call);
    TypedBuffer send(mine);
    const Stream data = block_stream(call, call.rank);
    send.fill(data);
    send.forbid_writing();
    const Passed from(call, send, mine.layout);
    if (call.what.collective == Collective::gather) {
        MPI_Gather(from.address(), mine.count, from.type(), nullptr, ignored.count, ignored.type, call.root,
                   call.comm);
    } else {
        MPI_Gatherv(from.address(), mine.count, from.type(), nullptr, nullptr, nullptr, ignored.type,
                    call.root, call.comm);
    }
    send.expect(call.session, data);
    return 0;
}

}  // namespace

std::uint64_t run_bcast(const Call& call) {
    const TypedArgument mine = argument(call, call.what.items, 1);
    TypedBuffer buffer(mine);
    if (call.is_root()) {
        buffer.fill(call.what.key);
    }
    const Passed passed(call, buffer, mine.layout);
    MPI_Bcast(passed.address(), mine.count, passed.type(), call.root, call.comm);
    buffer.expect(call.session, call.what.key);
    return fingerprint(buffer);
}

std::uint64_t run_gather(const Call& call) {
    if (has_root(call.what.collective) && !call.is_root()) {
        return give(call);
    }
    const Blocks blocks = blocks_of(call);
    TypedBuffer receive(blocks.layout, blocks.ranges());
    const Passed to(call, receive, blocks.layout);
    const Stream data = block_stream(call, call.rank);
    if (call.what.in_place) {
        const Ignored ignored(call);
        receive.fill_range(static_cast<std::size_t>(call.rank), data);
        call_gather(call, MPI_IN_PLACE, ignored.count, ignored.type, to, blocks);
    } else {
        const TypedArgument mine = copied_block(call);
        TypedBuffer send(mine);
        send.fill(data);
        send.forbid_writing();
        const Passed from(call, send, mine.layout);
        call_gather(call, from.address(), mine.count, from.type(), to, blocks);
        send.expect(call.session, data);
    }
    receive.expect(call.session, all_streams(call));
    return fingerprint(receive);
}

namespace {

void call_scatter(const Call& call, const Passed& send, const Blocks& blocks, void* receive, int count,
                  MPI_Datatype type) {
    if (call.what.collective == Collective::scatter) {
        MPI_Scatter(send.address(), blocks.counts[0], send.type(), receive, count, type, call.root,
                    call.comm);
    } else {
        MPI_Scatterv(send.address(), blocks.counts.data(), blocks.displacements.data(), send.type(), receive,
                     count, type, call.root, call.comm);
    }
}

// A rank that only receives.
std::uint64_t take(const Call& call) {
    const Ignored ignored(call);
    const TypedArgument mine = own_block(call);
    TypedBuffer receive(mine);
    const Passed to(call, receive, mine.layout);
    if (call.what.collective == Collective::scatter) {
        MPI_Scatter(nullptr, ignored.count, ignored.type, to.address(), mine.count, to.type(), call.root,
                    call.comm);
    } else {
        MPI_Scatterv(nullptr, nullptr, nullptr, ignored.type, to.address(), mine.count, to.type(), call.root,
                     call.comm);
    }
    receive.expect(call.session, block_stream(call, call.rank));
    return fingerprint(receive);
}

}  // namespace

std::uint64_t run_scatter(const Call& call) {
    if (!call.is_root()) {
        return take(call);
    }
    Blocks blocks = blocks_of(call);
    blocks.layout =
        copied_safely(call, std::move(blocks.layout), blocks.counts[static_cast<std::size_t>(call.rank)]);
    TypedBuffer send(blocks.layout, blocks.ranges());
    const Stream data = all_streams(call);
    send.fill(data);
    send.forbid_writing();
    const Passed from(call, send, blocks.layout);
    std::uint64_t result = 0;
    if (call.what.in_place) {
        const Ignored ignored(call);
        call_scatter(call, from, blocks, MPI_IN_PLACE, ignored.count, ignored.type);
    } else {
        const TypedArgument mine = own_block(call);
        TypedBuffer receive(mine);
        const Passed to(call, receive, mine.layout);
        call_scatter(call, from, blocks, to.address(), mine.count, to.type());
        receive.expect(call.session, block_stream(call, call.rank));
        result = fingerprint(receive);
    }
    send.expect(call.session, data);
    return result;
}

}  // namespace strata::testing
