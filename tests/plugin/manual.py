#!/usr/bin/env python3
"""Tests that the manual page coll-strata(7) explains exactly the parameters, engines, levels, keys of rules files, info
keys and the reasons for passing calls through, by their names in component/report/counters.cc, names all other
performance variables, and lists the collectives of each engine.

--also REASON: adds a reason to the plugin's; --without WORD: removes it from the page; both must fail.
"""
import argparse
import json
import re
import sys

import collective_table
from job import Paths
from listed import ENGINES, GENERAL, LEVELS, OF_COMMUNICATORS, PER_COLLECTIVE, PER_LEVEL, SPECIAL_ENGINES

ALONE = ["communicators", "setup_us", "plans_made", "plans_shared", "plans_by_structure", "plans_searched",
         "planning_us", "init_ns", "init_processor_ns", "scratch_memory", "comm_setup_us", "comm_memory"]


def read(paths, *place):
    with open("/".join([paths["source"], "component", *place]), encoding="utf-8") as file:
        return file.read()


def reasons(text):
    """Returns the names of the plugin's reasons, from the sources."""
    function = re.search(r"^const char\* name_of\(ForwardReason reason\) \{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL)
    return re.findall(r'case ForwardReason::\w+: return "(\w+)";', function[1] if function else "")


def section(page, heading):
    """Returns the page's text from a heading to the next one."""
    found = re.search(rf"^\.S[HS] {heading}\n(.*?)(?=^\.S[HS] |\Z)", page, re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


def wrong_collectives(text):
    """Compares the collectives that the page lists for an engine with collectives.def."""
    def words(pattern):
        found = re.search(pattern, text)
        listed = found[1].replace("allgather(v)", "allgather, allgatherv") if found else ""
        return sorted(re.findall(r"\w+", re.sub(r"\b(or|and)\b", "", listed)))

    for what, pattern, expected in (
            ("all engines", r"this engine served: ([^.]*)\.", collective_table.names()),
            ("the ring engine", r"The ring engine serves ([^.;]*?), and the rails", collective_table.having("by_ring")),
            ("the rails engine", r"the rails engine serves ([^.;]*)\.", collective_table.having("by_rails"))):
        if words(pattern) != sorted(expected):
            yield f"{what}: collectives {words(pattern)}, not {sorted(expected)}"


def wrong_entries(text, what, known):
    """Compares the entries of a section with the known names."""
    explained = re.findall(r"^\.T[PQ]\n(?:\.B )?(\w+)\n(?=[^.\s]|\.TQ)", text, re.MULTILINE)
    for name in known:
        if explained.count(name) != 1:
            yield f"{what} {name} is explained {explained.count(name)} times"
    for name in explained:
        if name not in known:
            yield f"{what} {name} is explained, but unknown to the plugin"


def keys_of(schema, kind):
    return [key for key in schema["$defs"][kind]["properties"] if key != "comment"]


def wrong_words(plain, schema):
    """Compares the words of engines, levels, rules files and info keys."""
    own = [f"strata_{name}" for name in [*OF_COMMUNICATORS, *(f"OP_{name}" for name in PER_COLLECTIVE)]]
    for heading, what, known in (("ENGINES", "engine", [*ENGINES, *SPECIAL_ENGINES]), ("LEVELS", "level", LEVELS),
                                 ("Keys of a rule", "rule key", keys_of(schema, "rule")),
                                 ("Keys of a link", "link key", keys_of(schema, "link")),
                                 ("INFO KEYS", "info key", own)):
        yield from wrong_entries(section(plain, heading), what, known)
    for key in keys_of(schema, "levelRule"):
        if not re.search(rf"\b{key}\b", section(plain, "Keys of a rule")):
            yield f"key {key} of a rule's levels is not named"


def complaints(page, known, schema):
    plain = re.sub(r"\\f[BIR]", "", page)
    yield from wrong_entries(section(plain, "Reasons"), "reason", known)
    yield from wrong_words(plain, schema)
    parameters = [*GENERAL, *(f"OP_{name}" for name in PER_COLLECTIVE)]
    yield from wrong_entries(section(plain, "PARAMETERS"), "parameter", [f"coll_strata_{name}" for name in parameters])
    names = ALONE + [f"{what}_LEVEL" for what in PER_LEVEL] + [f"comm_{what}_LEVEL" for what in ("messages", "bytes")]
    for name in [*names, "OP_forward_REASON"]:
        if not re.search(rf"\bcoll_strata_{name}\b", plain):
            yield f"variable coll_strata_{name} is not named"
    for beginning in ("coll_strata_OP_", "coll_strata_comm_"):
        lines = " ".join(line for line in plain.splitlines() if line.startswith(beginning))
        for engine in (*ENGINES, *SPECIAL_ENGINES):
            if f"_{engine}" not in lines:
                yield f"variable {beginning}{engine} is not named"
    yield from wrong_collectives(" ".join(section(page, "Of the process").split()))
    for level in LEVELS:
        if not re.search(rf"\b{level}\b", section(page, "Of the process")):
            yield f"level {level} is not named"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("paths")
    parser.add_argument("--also", action="append", default=[], help="a reason added to the plugin's")
    parser.add_argument("--without", default="", help="a word removed from the page")
    options = parser.parse_args()
    paths = Paths(options.paths)
    known = reasons(read(paths, "report", "counters.cc"))
    if not known:
        sys.exit("component/report/counters.cc: no reasons found")
    page = read(paths, "packaging", "man", "coll-strata.7")
    if options.without:
        page = re.sub(rf"\b{options.without}\b,?", "", page)
    with open(f"{paths['source']}/mca-params/strata-rules.schema.json", encoding="utf-8") as file:
        schema = json.load(file)
    wrong = list(complaints(page, known + options.also, schema))
    if wrong:
        sys.exit("coll-strata(7): " + "\n".join(wrong))
    print(f"{len(known)} reasons are explained")


if __name__ == "__main__":
    main()
