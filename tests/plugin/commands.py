#!/usr/bin/env python3
"""Tests the installed commands: each has a manual page and completion in bash, and no page or completion lacks its
command.

options: `--help`, the manual page and the completion have the same options. --also OPTION: adds one to each page;
--without OPTION: removes one from each page; --unoffered OPTION: removes one from each completion; these must fail.
complete: bash completes options, values, lists and a job's command. --expect WORD: expects one more operation; this
must fail.
"""
import argparse
import glob
import os
import re
import subprocess
import sys
import tempfile

from job import Failure, Paths, conclude
from manifests import set_aside

OPTION = r"-(?:-[a-z][-a-z]*|[a-z])\b"
SAME_IN_ALL = {"-h", "--help"}


def run(*command, **environment):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          env=os.environ | environment)
    if done.returncode:
        raise Failure(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def install(paths, prefix):
    """Installs the commands and all that belongs to them."""
    with set_aside(paths["build"]):
        run(paths["cmake"], "--install", paths["build"], "--component", "tools", "--prefix", prefix)


def names(*pattern):
    return {os.path.basename(path).split(".")[0] for path in glob.glob(os.path.join(*pattern))}


def of_help(text):
    """Returns the options at the start of the lines of a --help."""
    lines = re.findall(rf"^  ({OPTION}(?:[ =][A-Z]+)?(?:, ?{OPTION})*)", text, re.MULTILINE)
    return set(re.findall(rf"(?<![\w-]){OPTION}", " ".join(lines)))


def of_page(path):
    """Returns the options in the marked-up lines of a page's section OPTIONS, also those that refer to another page."""
    with open(path, encoding="utf-8") as file:
        text = re.search(r"^\.SH OPTIONS\n(.*?)^\.SH", file.read(), re.MULTILINE | re.DOTALL)[1]
    marked = re.findall(r"^\.B[IR]? (.*)$", text.replace("\\-", "-"), re.MULTILINE)
    return set(re.findall(rf"(?<![\w-]){OPTION}", re.sub(r"\\f[A-Z]", " ", " ".join(marked))))


def difference(what, found, expected):
    if found != expected:
        yield f"{what}: only there {sorted(found - expected)}, missing {sorted(expected - found)}"


def check_options(prefix, asked):
    commands = names(prefix, "bin", "*")
    completions = names(prefix, "share/bash-completion/completions/*") - {"strata-completion"}
    wrong = [*difference("manual pages of commands", names(prefix, "share/man/man1/*"), commands),
             *difference("completions", completions, commands)]
    for command in sorted(commands):
        program = os.path.join(prefix, "bin", command)
        options = of_help(run(program, "--help"))
        offered = {line.split()[0] for line in run(program, "--completion").splitlines()} - {"COMMAND"}
        page = of_page(f"{prefix}/share/man/man1/{command}.1")
        wrong += difference(f"{command}(1)", page - {asked.without} | {asked.also} - {None}, options)
        wrong += difference(f"completion of {command}", offered - {asked.unoffered}, options)
        if not SAME_IN_ALL <= options or "--completion" in options:
            wrong.append(f"{command} --help lists {sorted(options)}")
    if wrong:
        raise Failure("\n".join(wrong))
    print(f"{len(commands)} commands: {', '.join(sorted(commands))}")


def completed(prefix, *words):
    """Returns what bash offers for the last of the words, as a shell does after loading the command's file."""
    script = ('. "$1/share/bash-completion/completions/$2"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
              '[[ $(complete -p "$1") == *"-o default -F _strata_complete"* ]] || exit 9; '
              '_strata_complete "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"; '
              'printf "%s\\n" "${COMPREPLY[@]}"')
    offered = run("bash", "--norc", "-euc", script, "bash", prefix, *words,
                  PATH=os.path.join(prefix, "bin") + os.pathsep + os.environ["PATH"])
    return set(offered.split())


def check_completion(prefix, asked):
    operations = {"allgather", "allgatherv", "allreduce"} | {asked.expect} - {None}
    for words, expected in ((("strata-topo", "--pl"), {"--placement", "--plans"}),
                            (("strata-topo", "--plans", "--op", "all"), {"all"} | operations),
                            (("strata-topo", "--op", "=", "allr"), {"allreduce"}),
                            (("strata-topo", "--op", "="), None),
                            (("strata-topo", ""), set()),  # file names
                            (("strata-explain", "--op", "bcast,allg"), {"bcast,allgather", "bcast,allgatherv"}),
                            (("strata-topo", "--hierarchy", "node,nu"), {"node,numa"}),
                            (("strata-traffic", "--format", "s"), {"svg", "sparse"}),
                            (("strata-reorder", "--engine", ""), {"scotch", "greedy"}),
                            (("strata-topo", "--plans", "--rules", "ether"), {"ethernet-cluster"}),
                            (("strata-topo", "--rules", "./"), set()),  # file names
                            (("strata-topo", "--output", ""), set()),  # file names: bash's default
                            (("strata-info", "--q"), {"--quiet"}),
                            (("strata-report", "-o", "x", "--h"), {"--help", "--html"}),
                            (("strata-monitor", "--"), {"--help", "--user-only"}),
                            (("strata-report", "-o", "x", "strata-topo", "--pl"), set()),  # options of the job
                            (("strata-info", "strata-to"), {"strata-topo"}),
                            (("strata-traffic", "--run", "--", "strata-to"), {"strata-topo"})):
        found = completed(prefix, *words)
        if found != expected and (expected is not None or "barrier" not in found):
            raise Failure(f"{' '.join(words)}: bash offers {sorted(found)}, expected {sorted(expected or ['barrier'])}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("paths")
    parser.add_argument("what", choices=["options", "complete"])
    for option in ("also", "without", "unoffered", "expect"):
        parser.add_argument("--" + option)
    asked = parser.parse_args()
    paths = Paths(asked.paths)
    os.environ["OMPI_MCA_mca_base_component_path"] = os.path.join(paths["build"], "plugin")  # has the presets
    with tempfile.TemporaryDirectory() as prefix:
        install(paths, prefix)
        (check_options if asked.what == "options" else check_completion)(prefix, asked)


conclude(main)
