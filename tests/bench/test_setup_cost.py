#!/usr/bin/env python3
"""setup_cost prints, up to 1,024 ranks, the values of docs/results/scale.md: records and hierarchy of that size,
and the agreement by its formula. Times of different machines are not compared."""
import math
import re
import subprocess
import sys

# Default links, in microseconds: within a node, and between nodes below one switch.
NODE_US, NETWORK_US = 1.0, 15.0
KIB = 1 / 1024
# Ranks: nodes, MiB of the records on the wire, in memory and as kept, and of the hierarchy, as in
# the tables of scale.md.
SCALE = {64: (1, 2.6 * KIB, 9 * KIB, 0, 13 * KIB), 1024: (16, 42 * KIB, 0.1, 0.02, 0.2)}
MOST = max(SCALE)


def rows(program):
    """Returns the columns by (ranks, order)."""
    call = [program, "--ranks", str(MOST)]
    head, *lines = subprocess.run(call, check=True, capture_output=True, text=True, timeout=100).stdout.splitlines()
    names = re.findall(r"\S+ (?:MiB|ms|us)|\S+", head)
    return {(int(words[0]), words[1]): dict(zip(names, words)) for words in map(str.split, lines)}


def agreement_us(ranks, nodes):
    """Computes: up and down a binomial tree in the node, and rounds among the nodes in between."""
    return 2 * math.ceil(math.log2(ranks // nodes)) * NODE_US + math.ceil(math.log2(nodes)) * NETWORK_US


def expect(row, name, wanted, tolerance):
    if abs(float(row[name]) - wanted) > tolerance:
        sys.exit(f"FAILED: {row['ranks']} ranks, {row['order']}: {name} is {row[name]}, scale.md says {wanted:.2f}")


def main():
    factor = float(sys.argv[2]) if len(sys.argv) > 2 else 1  # values other than 1 must fail
    found = rows(sys.argv[1])
    for ranks, (nodes, wire, records, kept, hierarchy) in SCALE.items():
        for order in ("block", "cyclic"):
            row = found[ranks, order]
            expect(row, "agree us", agreement_us(ranks, nodes) * factor, 0.05)
            expect(row, "wire MiB", wire, 0.01)
            expect(row, "rec MiB", records, 0.5 * records + 0.005)
            expect(row, "kept MiB", kept, 0.01)
            expect(row, "hier MiB", hierarchy, 0.5 * hierarchy + 0.005)
            if not (float(row["hier ms"]) >= 0 and float(row["copy ms"]) > 0 and float(row["bcast ms"]) > 0):
                sys.exit(f"FAILED: no times: {row}")
    print(f"as scale.md says: {found[MOST, 'block']}")


main()
