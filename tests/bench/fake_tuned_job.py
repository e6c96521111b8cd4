#!/usr/bin/env python3
"""Replaces mpirun with link_probe or collective_latency on the artificial cluster of fake_model. STRATA_FAKE:
  good     times with noise, different for every STRATA_FAKE_SEED
  equal    the same; and all contenders take the same time
  broken   the contender "small" delivers wrong data
  other    the plugin uses "near" where "small" is requested, and takes its time
  forward  forward takes half the time of the best
  order    the same; but see fake_topo
  unruly   as good; but see fake_topo
  misled   as good; but under a file with links the model chooses "large"
  silent   the plugin's report is lost
  crash    jobs with messages of 1 KiB end with an error
  die      the same, but it stops bench/tune
STRATA_FAKE_COUNT names a file that gets a line for every job."""

import json
import os
import random
import signal
import sys

import fake_model

ARGUMENTS, MODE = sys.argv[1:], os.environ["STRATA_FAKE"]
NAME = os.path.basename(ARGUMENTS[0])


def option(name):
    return ARGUMENTS[ARGUMENTS.index(name) + 1] if name in ARGUMENTS else None


def noisy(middle, count, *what):
    """Returns a skewed time, with an occasional fast or slow day, and 3 % from job to job. The same input
    has the same time in the same job, whatever number of repetitions a busy machine completes."""
    chance = random.Random(repr((os.environ["STRATA_FAKE_SEED"], NAME, JOB, what)))
    middle *= chance.lognormvariate(0, 0.03)
    return [middle * (chance.lognormvariate(0, 0.02) + (chance.random() < 0.05) * chance.random())
            for _ in range(count)]


def true_us(way, size):
    if MODE in ("forward", "order") and way == "forward":
        return min(fake_model.true_us(name, size) for name in fake_model.WAYS) / 2
    return fake_model.true_us("near" if MODE == "equal" else way, size)


def probe():
    half = fake_model.LATENCY_US + 2 * fake_model.OVERHEAD_US
    with open(option("--experiments"), encoding="utf-8") as file:
        lines = [line.split("#")[0].split() for line in file]
    for kind, size, count, *pairs in lines:
        size, count = int(size), int(count) or 64
        if kind == "pingpong":
            time = 2 * count * half
        else:
            time = 2 * half + (count - 1) * max(fake_model.OVERHEAD_US, len(pairs) * size / fake_model.RATE)
        yield {"kind": kind, "bytes": size, "count": count, "times": noisy(time, 7, kind, size, len(pairs)),
               "pairs": [[int(rank) for rank in pair.split("-")] for pair in pairs]}


def measure():
    operation, repetitions = option("--op"), int(option("--reps"))
    sizes = [0] if operation == "barrier" else [int(size) for size in option("--sizes").split(",")]
    if 1024 in sizes and MODE == "die":
        os.kill(os.getppid(), signal.SIGTERM)
        signal.pause()
    if 1024 in sizes and MODE == "crash":
        sys.exit("a crash, made up")
    rules = fake_model.load(os.environ.get("OMPI_MCA_coll_strata_rules"))
    contenders = fake_model.load(option("--contenders"))
    for one in contenders:
        yield {"contender": one["name"], "communicator": 3}
    for size in sizes:
        for one in contenders:
            if size not in one.get("sizes", sizes):
                continue
            way = fake_model.of_info(one["info"], operation, size) if one["info"] else fake_model.chosen(
                rules, operation, size)
            did = "near" if (MODE, way) == ("other", "small") else way
            levels = ", ".join(f"{level['level']} {level['algorithm']}/{level['segment']}"
                               for level in fake_model.WAYS.get(did, {"levels": []})["levels"])
            skipped = ", ".join(one["level"] for one in fake_model.WAYS.get(did, {}).get("skipped", ()))
            levels += f"; skips {skipped}" if skipped else ""
            if MODE != "silent":
                print(f"[n0:1] coll:strata: why: {one['name']} {operation} of {size} bytes from rank 0: "
                      f"{f'tree ({levels})' if levels else did}, predicted 1 us", file=sys.stderr)
            wrong = MODE == "broken" and way == "small"
            yield {"contender": one["name"], "size": size, "bytes": size, "wrong_bytes": 3 * wrong, "left_early": 0,
                   "times": noisy(true_us(way, size), repetitions, operation, size, way)}


with open(os.environ["STRATA_FAKE_COUNT"], "a+", encoding="utf-8") as file:
    file.seek(0)
    JOB = sum(line.startswith(f"{NAME} {option('--op')} ") for line in file)  # of this kind so far
    file.write(f"{NAME} {option('--op')} {option('--sizes')} {option('--reps')}\n")
if picture := os.environ.get("OMPI_MCA_coll_strata_dump"):
    with open(picture, "w", encoding="utf-8") as file:
        json.dump(fake_model.PICTURE, file)
elif option("--json"):
    with open(option("--json"), "w", encoding="utf-8") as out:
        records = list(probe() if NAME == "link_probe" else measure())
        out.writelines(json.dumps(record) + "\n" for record in records)
    sys.exit(any(record.get("wrong_bytes") for record in records))
