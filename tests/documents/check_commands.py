#!/usr/bin/env python3
"""Runs the commands of README.md and docs/**/*.md: those of code blocks, and those of code spans with an argument.

They run in a copy of the sources, with an installation of this build in $HOME/strata, on a synthetic cluster with at
most 4 ranks. Each must exit with 0, and cause no message of the plugin. not_run.txt lists what does not run, and why:
options of these commands are compared with --help. Parameters must exist. The C blocks of a page are compiled together.
"""
import argparse
import collections
import glob
import itertools
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "plugin"))

import check_documents  # noqa: E402
import check_parameters  # noqa: E402
import install  # noqa: E402
from job import MESSAGES, Paths, environment  # noqa: E402

Command = collections.namedtuple("Command", "place text before")  # before: exports above it in its block
Mark = collections.namedtuple("Mark", "pattern reason statuses")  # statuses: allowed ones of a command that runs

# A code span is a command if it begins so, with an argument. Those of ./bench and ./tests may have none; options of
# Open MPI get a program.
INLINE = re.compile(r"(\w+=\S+ )*(mpirun|srun|mpicc|mpifort|ompi_info|strata-[a-z]+|lstopo|man|mkdocs|getent|env|free|"
                    r"ls|grep|cmake|spack|module|apt-get|export|\.|(\./)?(build|bench|component|tests)/\S+) \S|"
                    r"\./(bench|tests)/\S+$|--mca \S+ \S")
# What a document leaves to the reader, as it is here.
SAMPLES = ((r"-n \d\d+", "-n 4"), ("file:/etc/slurm/", "file:"), (r"\bPREFIX/", "$HOME/strata/"),
           ("--network FILE --hosts LIST", "--network file:topology.conf --hosts n[0-3]"),
           ("coll_strata_OP_", "coll_strata_allreduce_"), ("FOLDER$", "."), ("^lstopo ", "lstopo --force "))
TEXT = "not a command"  # the reason of marks that concern blocks, by their first line
ENVIRONMENT = re.compile(r"(FOLDER|\$HOME/strata/lib/\S+)/strata.sh")
NODE = "tests/topo/machines/two-nics.xml"
MPIRUN = """#!/bin/sh
case " $* " in *" -n "*) ;; *) set -- -n 4 "$@" ;; esac
exec {} --oversubscribe "$@"
"""
PROGRAM = """#include <mpi.h>
#include <MPIX_Hardware.h>
#include <MPI_Monitoring.h>
#include <MPIX_Reorder.h>
enum {{ ranks = 4, n = 8 }};
int main(int argc, char **argv) {{
    MPI_Init(&argc, &argv);
{}
    return MPI_Finalize();
}}
"""


def blocks(lines):
    """Yields (line number, lines) of every code block; an empty line ends one."""
    block = []
    for line in [*lines, check_documents.Line(0, "", False)]:
        if line.code and line.text.strip() and not re.match(r"\s*(```|~~~)", line.text):
            block.append(line)
        elif block:
            yield block[0].number, [part.text.strip() for part in block]
            block = []


class Collected:
    """Commands of the pages, files that they show, and C text by page."""

    def __init__(self, pages, marks):
        self.commands, self.files, self.c, self.unused = [], {}, collections.defaultdict(list), set(marks)
        for page in pages.files():
            name, lines = os.path.relpath(page, pages.root), check_documents.read(page)
            for number, block in blocks(lines):
                self._block(f"{name}:{number}", name, block, marks)
            text = "\n".join("" if line.code else line.text for line in lines)
            for found in check_documents.CODE_SPAN.finditer(text):
                span = " ".join(found[2].replace("\\|", "|").split())
                if INLINE.match(span):
                    number = text.count("\n", 0, found.start()) + 1
                    self.commands.append(Command(f"{name}:{number}", span, ()))

    def _block(self, place, page, block, marks):
        texts = [mark for mark in marks if mark.reason == TEXT and mark.pattern.search(block[0])]
        if texts:
            self.unused.discard(texts[0])
        elif re.match(r"MPIX?_\w+.*;", block[0]):
            self.c[page] += block
        elif block[0] == "{":
            self.files["rules.json"] = "\n".join(block)
        elif block[0].startswith("SwitchName="):
            self.files["topology.conf"] = "\n".join(block)
        else:
            before = []
            for text in re.sub(r"\\\n", "", "\n".join(block)).splitlines():
                text = re.sub(r"\s+# .*", "", text)
                self.commands.append(Command(place, text, tuple(before)))
                if re.match(r"export |\. ", text):
                    before.append(text)


def read_marks(path):
    """Returns the marks of a file: a line without indentation is the reason of the patterns below it."""
    marks, reason = [], ""
    with open(path, encoding="utf-8") as file:
        for line in file.read().splitlines():
            if line.startswith(" "):
                statuses = re.match(r"exit status ([\d ]+)", reason)
                marks.append(Mark(re.compile(line.strip()), reason, statuses and tuple(map(int, statuses[1].split()))))
            elif line and not line.startswith("#"):
                reason = line.rstrip(":")
    return marks


def write(folder, files):
    for name, text in files.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)


class User:
    """A user's folder: a copy of the sources, an installation, programs and files that the documents name."""

    def __init__(self, paths, scratch, collected):
        self.clone, self.home, programs = (os.path.join(scratch, name) for name in ("clone", "home", "programs"))
        shutil.copytree(paths["source"], self.clone, symlinks=True,
                        ignore=lambda folder, _: {".git", "build", "results"} if folder == paths["source"] else ())
        os.makedirs(os.path.join(self.clone, "build"))
        os.makedirs(os.path.join(scratch, "build"))
        os.mkdir(programs)
        os.symlink(install.configured(paths, scratch), os.path.join(self.clone, "build", "plugin"))
        os.symlink(paths["build"], os.path.join(self.clone, "build", "release"))
        mpicc, mpifort = (re.sub(r"mpic(xx|\+\+)", name, paths["mpicxx"]) for name in ("mpicc", "mpifort"))
        for name, path in {"ompi_info": paths["ompi_info"], "mpicc": mpicc, "mpifort": mpifort}.items():
            write(programs, {name: f'#!/bin/sh\nexec {path} "$@"\n'})
        write(programs, {"mpirun": MPIRUN.format(paths["mpirun"])})
        for name in os.listdir(programs):
            os.chmod(os.path.join(programs, name), 0o755)
        for name, source in {"your_program": paths["probe"], "node.xml": NODE,
                             "program.f90": "introspection/examples/barrier_messages.f90",
                             "app_sizes.0.prof": "tests/introspection/mapping/matrices/app_sizes.0.prof"}.items():
            shutil.copy(os.path.join(paths["source"], source), os.path.join(self.clone, name))
        self.c = []
        for page, text in collected.c.items():
            self.c.append("program.c" if page == "docs/introspection.md" else page.replace("/", "-") + ".c")
            write(self.clone, {self.c[-1]: PROGRAM.format("\n".join(text))})
        self.variables = environment(paths, {
            "btl": "self,vader", "mpi_yield_when_idle": "1", "coll_strata_placement": "0@n0;4@n0;0@n1;4@n1",
            "coll_strata_topology": os.path.join(paths["source"], NODE)})
        del self.variables["OMPI_MCA_opal_mca_base_component_path"]
        self.variables |= {"HOME": self.home, "PATH": f"{programs}:{self.variables['PATH']}"}
        self.prepare("cmake --install build/plugin --prefix $HOME/strata")
        self.environment = glob.glob(os.path.join(self.home, "strata", "**", "strata.sh"), recursive=True)[0]
        values = self.prepare(f". {self.environment}; env -0").split("\0")
        self.variables = dict(value.split("=", 1) for value in values if value)
        self.prepare("mpirun --mca coll_strata_dump job.json ./your_program")

    def run(self, script):
        return subprocess.run(["timeout", "--kill-after=5", "120", "bash", "-c", script], cwd=self.clone,
                              env=self.variables, text=True, check=False, errors="replace", stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def prepare(self, script):
        done = self.run(script)
        if done.returncode:
            sys.exit(f"{script}: exit status {done.returncode}\n{done.stdout}")
        return done.stdout

    def script(self, command):
        """Returns what runs for a command."""
        text = command.text
        for pattern, sample in SAMPLES:
            text = re.sub(pattern, lambda _, sample=sample: sample, text)
        if text.startswith("--mca "):
            text = f"mpirun {text}"
        if text.startswith("mpirun ") and not any(self.found(word) for word in text.split()[1:]):
            text += " ./your_program"
        return "\n".join(ENVIRONMENT.sub(lambda _: self.environment, line) for line in (*command.before, text))

    def found(self, word):
        return shutil.which(word if "/" not in word else os.path.join(self.clone, word), path=self.variables["PATH"])


def unknown_options(user, text, helps):
    """Yields the options of a command that does not run, if it is one of the sources, that its --help lacks."""
    words = shlex.split(text.split(";")[0])
    program = words[0] if words[0].startswith(("./", "bench/", "component/", "tests/")) else None
    if not program or program.endswith(".py"):
        return
    if program not in helps:
        helps[program] = user.run(f"{program} --help; if [ {program} = ./bench/cluster ]; then {program} up --help; fi")
    own = itertools.takewhile(lambda word: word not in ("mpirun", "srun", "run"), words[1:])
    if helps[program].returncode:
        yield f"{program} --help fails: {helps[program].stdout}"
    for word in own:
        option = word.split("=")[0]
        if option.startswith("-") and not re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", helps[program].stdout):
            yield f"{program} --help has no {option}"


def check(user, collected, marks, parameters):
    """Runs what is to run, and yields complaints."""
    done, helps, page = set(), {}, None
    for source in user.c:
        compiled = user.run(f"mpicc -fsyntax-only -Wall -Werror {source} -I introspection/include")
        print(f"compiled: {source}")
        if compiled.returncode:
            yield f"{source}: {compiled.stdout}"
    for command in collected.commands:
        if page != (page := command.place.split(":")[0]):
            write(user.clone, collected.files)
        mark = next((mark for mark in marks if mark.reason != TEXT and mark.pattern.search(command.text)), None)
        collected.unused.discard(mark)
        script = user.script(command)
        for name in re.findall(r"(?:--mca |OMPI_MCA_|\")(coll_strata_\w+)", script):
            if name not in parameters:
                yield f"{command.place}: {command.text}: there is no parameter {name}"
        if script in done:
            continue
        done.add(script)
        if mark and mark.statuses is None:
            print(f"not run ({mark.reason}): {command.text}")
            for wrong in unknown_options(user, command.text, helps):
                yield f"{command.place}: {command.text}: {wrong}"
            continue
        begin = time.monotonic()
        ended = user.run(script)
        print(f"{time.monotonic() - begin:5.1f} s  {command.place}: {command.text}", flush=True)
        is_job = "mpirun" in script and "ompi_info" not in script
        messages = [text for text in MESSAGES.values() if is_job and text in ended.stdout]
        if ended.returncode not in (mark.statuses if mark else (0,)) or messages:
            yield f"{command.place}: {command.text}: exit status {ended.returncode} {messages or ''}\n{ended.stdout}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths")
    parser.add_argument("--root", help="folder with README.md, docs/ and not_run.txt, instead of the sources'")
    options = parser.parse_args()
    file = os.path.join(options.root or HERE, "not_run.txt")
    paths, marks = Paths(options.paths), read_marks(file)
    collected = Collected(check_documents.Pages(options.root or paths["source"]), marks)
    with tempfile.TemporaryDirectory() as scratch:
        user = User(paths, scratch, collected)
        listed = user.prepare("ompi_info --param coll strata --level 9 --parsable").splitlines()
        wrong = list(check(user, collected, marks, check_parameters.listed(listed)))
    wrong += [f"{file}: {mark.pattern.pattern} matches no command" for mark in marks if mark in collected.unused]
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{len(collected.commands)} commands")


if __name__ == "__main__":
    main()
