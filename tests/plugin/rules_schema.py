#!/usr/bin/env python3
"""Tests that mca-params/strata-rules.schema.json agrees with the plugin's parser: the same keys and names, and the
same verdict on thousands of changed files, except for errors that a schema cannot express.

--without KEY: removes that key from the schema; --presets-without KEY: removes it from the presets; must fail.
"""
import argparse
import copy
import json
import os
import random
import re
import subprocess
import sys
import tempfile

from job import SKIPPED, Failure, Paths, conclude

SEED = 4711
FILES = 3000
GOOD = {
    "$schema": "x", "comment": "c", "version": 1,
    "links": [{"level": "switch1", "latency_us": 2e3, "overhead_us": 0.5, "mbytes_per_s": 25, "eager_bytes": "64k",
               "parallel": 2, "far_share": 0.25, "far_send_share": 0.5, "handshake_us": 1.5, "bus_mbytes_per_s": 900,
               "offloaded": True, "gap_us": 0.1, "comment": "c"}],
    "rules": [
        {"collective": ["bcast", "reduce"], "bytes": {"from": "4k", "below": 65536}, "engine": "tree", "levels": [
            {"level": "node", "group": {"from": 3}, "algorithm": "chain:2", "segment": 0, "comment": "c"},
            {"algorithm": "binomial"}]},
        {"collective": "allgather", "ranks": {"below": 9}, "engine": "ring", "comment": "c",
         "hierarchy": [{"level": "node", "group": {"from": 3, "below": 4}}, {"level": "switch1"}]},
        {"levels": [{"level": "numa", "segment": "60k"}]}],
}
VALUES = [None, True, -1, 0, 1, 1.5, 2, 2.0, 4096, 1e7, 2e7, "", "node", "Node", "switch1", "switch300", "bcast",
          "ring", "tree", "forward", "sm", "60k", "60x", "chain:2", "binary:2", "a b", "x" * 70, [], {}, ["bcast"],
          ["bcast", "bcast"], {"from": 1}, {"below": "1k"}, {"to": 1}]
KEYS = ["version", "rules", "links", "comment", "collective", "bytes", "ranks", "hierarchy", "engine", "levels",
        "level", "group", "algorithm", "segment", "from", "below", "latency_us", "unknown"]
# Errors that a schema does not know.
BEYOND = re.compile(r"empty range|know a number of bytes|has no engine|needs the engine|no engine of|"
                    r"no such algorithm|the radix of|takes no radix|have no links|sets nothing|at least 1|"
                    r"unknown algorithm 'x|too many bytes")


def verdicts(program, documents):
    with tempfile.TemporaryDirectory() as folder:
        names = []
        for number, document in enumerate(documents):
            names.append(os.path.join(folder, str(number)))
            with open(names[-1], "w", encoding="utf-8") as file:
                file.write(document if isinstance(document, str) else json.dumps(document, indent=1))
        done = subprocess.run([program, *names], text=True, check=True, stdout=subprocess.PIPE)
        return done.stdout.splitlines()


def known(program, document):
    """Returns the list at the end of the parser's error message."""
    line = verdicts(program, [document])[0]
    return set(re.search(r"known: (.*?)(, with a height as in switch1)?$", line).group(1).split(", "))


def check_names(program, schema):
    parts = schema["$defs"]
    unknown = {"?": 1}
    keys = {
        "a file": (known(program, unknown), schema),
        "a link": (known(program, {"version": 1, "links": [unknown]}), parts["link"]),
        "a rule": (known(program, {"version": 1, "rules": [unknown]}), parts["rule"]),
        "a level": (known(program, {"version": 1, "rules": [{"levels": [unknown]}]}), parts["levelRule"]),
        "a level of a hierarchy": (known(program, {"version": 1, "rules": [{"hierarchy": [unknown]}]}),
                                   parts["condition"]),
        "a range of bytes": (known(program, {"version": 1, "rules": [{"bytes": unknown}]}), parts["sizes"]),
        "a range": (known(program, {"version": 1, "rules": [{"ranks": unknown}]}), parts["counts"]),
    }
    for what, (names, part) in keys.items():
        if names != set(part["properties"]):
            raise Failure(f"keys of {what}: {sorted(names)}, in the schema {sorted(part['properties'])}")
    words = {
        "collectives": (known(program, {"version": 1, "rules": [{"collective": "?"}]}), parts["collective"]),
        "engines": (known(program, {"version": 1, "rules": [{"engine": "?"}]}),
                    parts["rule"]["properties"]["engine"]),
        "levels": (known(program, {"version": 1, "rules": [{"levels": [{"level": "?"}]}]}),
                   parts["level"]["anyOf"][0]),
        "algorithms": (known(program, {"version": 1, "rules": [{"levels": [{"algorithm": "?:1"}]}]}),
                       parts["algorithm"]["anyOf"][0]),
    }
    former = {"engines": {"lanes"}}  # still accepted, not listed
    for what, (names, part) in words.items():
        if names | former.get(what, set()) != set(part["enum"]):
            raise Failure(f"{what}: {sorted(names)}, in the schema {sorted(part['enum'])}")
    for engine in former["engines"]:
        rule = {"collective": "allgather", "engine": engine}
        if (found := verdicts(program, [{"version": 1, "rules": [rule]}])) != ["accepted"]:
            raise Failure(f"engine {engine}: {found}")


def places(node):
    """Yields every container of a document."""
    yield node
    for child in node.values() if isinstance(node, dict) else node:
        if isinstance(child, (dict, list)):
            yield from places(child)


def changed(rng):
    document = copy.deepcopy(GOOD)
    for _ in range(rng.randint(1, 2)):
        node = rng.choice(list(places(document)))
        value = copy.deepcopy(rng.choice(VALUES))
        if isinstance(node, list):
            if node and rng.random() < 0.7:
                node[rng.randrange(len(node))] = value
            else:
                node.append(value)
        elif node and rng.random() < 0.6:
            key = rng.choice(list(node))
            if rng.random() < 0.4:
                del node[key]
            else:
                node[key] = value
        else:
            node[rng.choice(KEYS)] = value
    return document


def check_verdicts(program, schema, jsonschema):
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    rng = random.Random(SEED)
    documents = [GOOD] + [changed(rng) for _ in range(FILES)]
    accepted = 0
    for document, verdict in zip(documents, verdicts(program, documents), strict=True):
        error = jsonschema.exceptions.best_match(validator.iter_errors(document))
        accepted += verdict == "accepted"
        if (error is None) != (verdict == "accepted") and not (error is None and BEYOND.search(verdict)):
            raise Failure(f"the parser says: {verdict}\nthe schema says: {error.message if error else 'accepted'}\n"
                          f"of: {json.dumps(document)}")
    if verdicts(program, [GOOD]) != ["accepted"] or not FILES / 20 < accepted < FILES / 2:
        raise Failure(f"{accepted} of {FILES} files were accepted: this compares nothing")


def check_presets(paths, schema, jsonschema, lacking):
    """Tests that the files of mca-params are rules files, and every part gives its reasons."""
    folder = os.path.join(paths["source"], "mca-params")
    files = [name for name in sorted(os.listdir(folder)) if name.endswith(".json") and "schema" not in name]
    if len(files) < 4:
        raise Failure(f"{folder} has {len(files)} presets")
    for name in files:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            text = file.read()
        preset = json.loads(text)
        parts = [preset, *preset.get("links", []), *preset.get("rules", [])]
        for part in parts:
            part.pop(lacking, None)
        error = jsonschema.exceptions.best_match(jsonschema.Draft202012Validator(schema).iter_errors(preset))
        if error is not None:
            raise Failure(f"{name}: {error.message}")
        if verdicts(paths["rules_verdict"], [text]) != ["accepted"]:
            raise Failure(f"{name}: {verdicts(paths['rules_verdict'], [text])}")
        for part in parts:
            if len(part.get("comment", "")) < 50:
                raise Failure(f"{name}: no comment says why: {part}")
        if not os.path.exists(os.path.join(folder, name.replace(".json", ".conf"))):
            raise Failure(f"{name} has no parameter file")


def without(schema, key):
    """Returns the schema without that key in any object."""
    for part in [schema, *schema["$defs"].values()]:
        part.get("properties", {}).pop(key, None)
    return schema


def test(arguments):
    paths = Paths(arguments.paths)
    with open(os.path.join(paths["source"], "mca-params/strata-rules.schema.json"), encoding="utf-8") as file:
        schema = without(json.load(file), arguments.without)
    check_names(paths["rules_verdict"], schema)
    try:
        import jsonschema
    except ImportError:
        print("skipped: the names are equal; verdicts need python3-jsonschema")
        sys.exit(SKIPPED)
    check_verdicts(paths["rules_verdict"], schema, jsonschema)
    check_presets(paths, schema, jsonschema, arguments.presets_without)


parser = argparse.ArgumentParser()
parser.add_argument("paths")
parser.add_argument("--without")
parser.add_argument("--presets-without")
conclude(lambda: test(parser.parse_args()))
