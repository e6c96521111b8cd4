#include <algorithm>
#include <numeric>

#include "typed_layout.h"

namespace strata::testing {

namespace {

// int, double, char, short, in this order of the signature, at shuffled places with gaps.
TypedLayout record(Random& random) {
    const TypedLayout members[] = {
        TypedLayout::basic(MPI_INT, sizeof(int)), TypedLayout::basic(MPI_DOUBLE, sizeof(double)),
        TypedLayout::basic(MPI_CHAR, 1), TypedLayout::basic(MPI_SHORT, sizeof(short))};
    std::vector<int> order = {0, 1, 2, 3};
    random.shuffle(order);
    std::vector<MPI_Aint> displacements(4);
    MPI_Aint end = 0;
    for (const int member : order) {
        end += 8 * random.between(0, 1);
        displacements[static_cast<std::size_t>(member)] = end;
        end += 8;
    }
    const TypedLayout plain = TypedLayout::structure({1, 1, 1, 1}, displacements,
                                                     {&members[0], &members[1], &members[2], &members[3]});
    return TypedLayout::resized(0, end + 8 * random.between(0, 2), plain);
}

TypedLayout item(Random& random, ItemKind kind) {
    switch (kind) {
        case ItemKind::integer: return TypedLayout::basic(MPI_INT, sizeof(int));
        case ItemKind::byte: return TypedLayout::basic(MPI_BYTE, 1);
        case ItemKind::record: break;
    }
    return record(random);
}

int divisor_of(Random& random, int n) {
    std::vector<int> divisors;
    for (int d = 1; d * d <= n; ++d) {
        if (n % d == 0) {
            divisors.push_back(d);
            divisors.push_back(n / d);
        }
    }
    return divisors[static_cast<std::size_t>(
        random.between(0, static_cast<std::int64_t>(divisors.size()) - 1))];
}

// Blocks of random lengths that sum to `items`, laid out in shuffled order with gaps.
TypedLayout scattered(Random& random, const TypedLayout& child, int items) {
    std::vector<int> blocks;
    for (int left = items; left > 0;) {
        const int length = static_cast<int>(random.between(1, std::max(1, std::min(left, items / 3 + 1))));
        blocks.push_back(length);
        left -= length;
    }
    std::vector<std::size_t> order(blocks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    random.shuffle(order);
    std::vector<int> displacements(blocks.size());
    int end = static_cast<int>(random.between(-3, 3));
    for (const std::size_t block : order) {
        displacements[block] = end;
        end += blocks[block] + static_cast<int>(random.between(0, 3));
    }
    return TypedLayout::indexed(blocks, displacements, child);
}

TypedLayout random_layout(Random& random, const TypedLayout& child, int items, int depth) {
    const int gap = static_cast<int>(random.between(0, 3));
    const int parts = divisor_of(random, items);
    const int block = items / parts;
    switch (random.between(0, depth > 0 ? 9 : 5)) {
        case 0: return TypedLayout::contiguous(items, child);
        case 1: return TypedLayout::vector(parts, block, block + gap, child);
        case 2: {
            // Open MPI 4.1.4 treats single bytes at stride -1 as contiguous: lower bound 0, wrong order.
            const MPI_Aint stride = std::max<MPI_Aint>((block + gap) * child.extent(), 2);
            return TypedLayout::hvector(parts, block, -stride, child);
        }
        case 3: return scattered(random, child, items);
        case 4:
            return TypedLayout::subarray({parts + gap, block + 2}, {parts, block}, {gap, 1}, MPI_ORDER_C,
                                         child);
        case 5:
            return TypedLayout::subarray({block + 2, parts + gap}, {block, parts}, {2, gap},
                                         MPI_ORDER_FORTRAN, child);
        case 6: {
            const TypedLayout inner = random_layout(random, child, items, depth - 1);
            return TypedLayout::resized(-8 * random.between(0, 2), inner.extent() + 8 * random.between(0, 4),
                                        inner);
        }
        case 7: return TypedLayout::duplicate(random_layout(random, child, items, depth - 1));
        case 8: {
            const TypedLayout inner = random_layout(random, child, block, depth - 1);
            return random_layout(random, inner, parts, 0);
        }
        default: {
            if (items < 2) {
                return TypedLayout::contiguous(1, child);
            }
            const int first = static_cast<int>(random.between(1, items - 1));
            const TypedLayout left = TypedLayout::contiguous(first, child);
            const TypedLayout right = TypedLayout::vector(items - first, 1, 1 + gap, child);
            // Far enough apart in either order, for any bounds of the second part.
            const MPI_Aint away = random.one_in(2) ? left.extent() + 24 : -right.extent() - 40;
            return TypedLayout::structure({1, 1}, {0, away}, {&left, &right});
        }
    }
}

}  // namespace

std::size_t item_bytes(ItemKind kind) {
    Random fixed(1);
    return item(fixed, kind).bytes();
}

TypedArgument random_argument(Random& random, const TypedLayout& child, int items) {
    const int count = divisor_of(random, items);
    return {random_layout(random, child, items / count, 2), count};
}

TypedArgument random_argument(Random& random, ItemKind kind, int items) {
    const TypedLayout base = item(random, kind);
    if (items == 0) {
        return {TypedLayout::contiguous(0, base), static_cast<int>(random.between(1, 5))};
    }
    return random_argument(random, base, items);
}

TypedArgument plain_argument(ItemKind kind, int items) {
    Random fixed(1);
    if (items == 0) {
        return {TypedLayout::contiguous(0, item(fixed, kind)), 1};
    }
    return {item(fixed, kind), items};
}

TypedArgument empty_argument(ItemKind kind) {
    Random fixed(1);
    return {item(fixed, kind), 0};
}

TypedLayout random_block(Random& random, ItemKind kind, int items) {
    return random_layout(random, item(random, kind), items, 2);
}

}  // namespace strata::testing
