#!/usr/bin/env python3
"""Writes the traffic of well-known patterns, as lists that strata-reorder reads ("ranks N", "FROM TO BYTES MESSAGES").

  patterns.py stencil9 --ranks 8192 --shuffle 1 > traffic.txt

Patterns:
  stencil5, stencil9  a grid as square as it can be, no wrap-around; 8 KiB to each neighbour, 8 B over corners
  cg                  NAS CG: in its row of processes each exchanges with partners at halving distance, then with its
                      transpose partner; a power of two of ranks
  groups              rank r belongs to group r mod --groups; each group's allgather as a ring
  bcast               a binomial tree from rank 0, 1 MiB
  alltoall            1 KiB between all
"""
import argparse
import random
import sys


def stencil(ranks, corners):
    width = max(d for d in range(1, int(ranks ** 0.5) + 1) if ranks % d == 0)
    height = ranks // width
    for y in range(height):
        for x in range(width):
            for dy in (-1, 0, 1):
                for dx in (-1, 0, 1):
                    inside = 0 <= x + dx < width and 0 <= y + dy < height
                    if (dx or dy) and inside and (corners or not (dx and dy)):
                        yield y * width + x, (y + dy) * width + x + dx, 8 if dx and dy else 8192


def cg(ranks):
    power = ranks.bit_length() - 1
    if ranks != 1 << power:
        raise SystemExit("patterns.py: cg needs a power of two of ranks")
    columns = 1 << (power + 1) // 2
    rows = ranks // columns
    vector = 8 * 75000 // rows  # a class B vector's part
    for row in range(rows):
        for column in range(columns):
            me = row * columns + column
            distance = columns // 2
            while distance:
                yield me, row * columns + (column ^ distance), vector
                distance //= 2
            if rows == columns:
                partner = column * columns + row
            else:
                partner = column // 2 * columns + 2 * row + column % 2
            if partner != me:
                yield me, partner, vector


def groups(ranks, count):
    for group in range(count):
        members = range(group, ranks, count)
        for i, member in enumerate(members):
            if len(members) > 1:
                yield member, members[(i + 1) % len(members)], 100000 * (len(members) - 1)


def bcast(ranks):
    step = 1
    while step < ranks:
        step *= 2
    while step > 1:
        for rank in range(0, ranks, step):
            if rank + step // 2 < ranks:
                yield rank, rank + step // 2, 1 << 20
        step //= 2


def alltoall(ranks):
    return ((a, b, 1024) for a in range(ranks) for b in range(ranks) if a != b)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pattern", choices=["stencil5", "stencil9", "cg", "groups", "bcast", "alltoall"])
    parser.add_argument("--ranks", type=int, required=True)
    parser.add_argument("--groups", type=int, default=4)
    parser.add_argument("--shuffle", type=int, metavar="SEED", help="renumber the ranks at random")
    options = parser.parse_args()
    flows = {"stencil5": lambda: stencil(options.ranks, False), "stencil9": lambda: stencil(options.ranks, True),
             "cg": lambda: cg(options.ranks), "groups": lambda: groups(options.ranks, options.groups),
             "bcast": lambda: bcast(options.ranks), "alltoall": lambda: alltoall(options.ranks)}[options.pattern]()
    number = list(range(options.ranks))
    if options.shuffle is not None:
        random.Random(options.shuffle).shuffle(number)
    write = sys.stdout.write
    write(f"# {options.pattern}\nranks {options.ranks}\n")
    for sender, receiver, size in flows:
        write(f"{number[sender]} {number[receiver]} {size} 1\n")


main()
