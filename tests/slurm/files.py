#!/usr/bin/env python3
"""Tests unusual and broken topology.conf files: this project accepts what slurmctld accepts, and rejects with file
and line what it rejects, except for the listed differences."""
import os
import re
import sys

from slurm import Failure, SlurmNodes, read_network, slurm_release

from job import Paths, conclude

FIRST = "SwitchName=s0 Nodes=n[0-3]\n"
BOTH_TAKE = {
    "small letters": "switchname=s0 NODES=n[0-3]\n",
    "blanks around =": "SwitchName = s0\tNodes = n[0-3]\n",
    "double quotes": 'SwitchName="s0" Nodes="n0, n1 n2,n3"\n',
    "comment": "# one\nSwitchName=s0 Nodes=n[0-3]# two\n",
    "comment that ends in a backslash": "# one \\\n" + FIRST,
    "continued line": "SwitchName=s0 \\\n  Nodes=n0,\\\nn[1-3]\n",
    "blank behind the backslash": "SwitchName=s0 \\ \n Nodes=n[0-3]\n",
    "last line continued": "SwitchName=s0 Nodes=n[0-3] \\\n",
    "end of line as in DOS": FIRST.replace("\n", "\r\n"),
    "no end of line": FIRST.strip(),
    "empty": "",
    "speed": "SwitchName=s0 Nodes=n[0-3] LinkSpeed=100\n",
    "name with a dot": "SwitchName=ib.s0 Nodes=n[0-3]\n",
    "comma at the end": "SwitchName=s0 Nodes=n[0-3],\n",
    "node named twice": "SwitchName=s0 Nodes=n0,n[0-3]\n",
    "node below two leaf switches": FIRST + "SwitchName=s1 Nodes=n3\n",
    "switch below two others": FIRST + "SwitchName=a Switches=s0\nSwitchName=b Switches=s0,s0\n",
    "unknown node": "SwitchName=s0 Nodes=n[0-9]\n",
    "node without a switch": "SwitchName=s0 Nodes=n[0-2]\n",
    "Nodes=ALL, which is a node of that name": "SwitchName=s0 Nodes=ALL\n",
    "upper switch first": "SwitchName=t Switches=s0\n" + FIRST,
    "include": "Include {folder}/more.conf\n",
}
BOTH_REFUSE = {  # name -> text, line of the mistake
    "unknown keyword": (FIRST + "SwitchName=s1 Nodes=n3 Colour=red\n", 2),
    "unknown line": ("Colour=red\n" + FIRST, 1),
    "a block": (FIRST + "\nBlockName=b0 Nodes=n[0-3]\n", 3),
    "speed in words": ("SwitchName=s0 Nodes=n[0-3] LinkSpeed=fast\n", 1),
    "speed left out": ("SwitchName=s0 LinkSpeed= Nodes=n[0-3]\n", 1),
    "nodes and switches": (FIRST + "SwitchName=s1 Nodes=n3 Switches=s0\n", 2),
    "defined twice": (FIRST + "SwitchName=s0 Nodes=n3\n", 2),
    "undefined switch": ("SwitchName=t Switches=s[0-1]\n" + FIRST, 1),
    "cycle": (FIRST + "SwitchName=a Switches=b\nSwitchName=b Switches=a\n", 2),
    "below itself": (FIRST + "SwitchName=a Switches=a\n", 2),
    "blank in a list": ("SwitchName=s0 Nodes=n0, n1\n", 1),
}
# For Slurm a list as a name is one odd name; of a keyword that occurs twice it takes the last.
ONLY_SLURM_TAKES = {
    "list as a name": ("SwitchName=s[0-1] Nodes=n[0-3]\n", 1),
    "keyword twice": ("SwitchName=s0 Nodes=n[0-1] Nodes=n[2-3]\n", 1),
}
# Differences of Slurm 24.11 from 22.05: name -> text, line of the error in this project.
UNTIL_22 = {"name of 100 letters": (f"SwitchName={'x' * 100} Nodes=n[0-3]\n", None)}
SINCE_24 = {"single quotes": ("SwitchName='s0' Nodes='n[0-3]'\n", 1)}
ONLY_WE_TAKE = {
    "nodes first": "Nodes=n[0-3] SwitchName=s0\n",
    "neither nodes nor switches, as Slurm 25 does": FIRST + "SwitchName=s1\n",
    "blocks, as topology/block does": "BlockName=b0 Nodes=n[0-3]\nBlockSizes=4\n",
}

# Ends by itself when it rejects the file, and answers when it does not.
TRY = """
slurmctld -D -c >/dev/null 2>&1 & daemon=$!
for i in $(seq 100); do
    sleep 0.05
    kill -0 $daemon 2>/dev/null || break
    scontrol ping >/dev/null 2>&1 && { echo taken; break; }
done
kill $daemon 2>/dev/null
wait $daemon
"""


def check(nodes, reader, name, text, slurm_takes, line):
    """`line`: where this project finds the error, None if it accepts the file."""
    nodes.write_topology(text.replace("{folder}", nodes.folder))
    taken = "taken" in nodes.execute("sh", "-c", TRY)[1]
    if taken != slurm_takes:
        raise Failure(f"{name}: slurmctld {'takes' if taken else 'refuses'} it:\n{text}\n{nodes.logs()}")
    status, output = read_network(reader, "file", nodes.network_file, *nodes.names)
    if line is None and status != 0:
        raise Failure(f"{name}: we refuse it: {output}\n{text}")
    if line is not None and not (status == 1 and re.match(f"{nodes.network_file}:{line}: ", output)):
        raise Failure(f"{name}: expected a mistake in line {line}, found {output}\n{text}")
    ours = f"we say {output.strip()}" if line else "we take it"
    print(f"{name}: slurmctld {'takes' if taken else 'refuses'} it, {ours}")


def test(paths, reader, can_fail):
    with SlurmNodes(paths, daemons=False) as nodes:
        if can_fail:
            check(nodes, reader, "cycle", BOTH_REFUSE["cycle"][0], True, None)
            return
        with open(os.path.join(nodes.folder, "more.conf"), "w", encoding="utf-8") as file:
            file.write(FIRST)
        for name, text in BOTH_TAKE.items():
            check(nodes, reader, name, text, True, None)
        for name, (text, line) in BOTH_REFUSE.items():
            check(nodes, reader, name, text, False, line)
        for name, (text, line) in UNTIL_22.items():
            check(nodes, reader, name, text, slurm_release() < 23, line)
        for name, (text, line) in SINCE_24.items():
            check(nodes, reader, name, text, slurm_release() >= 23, line)
        for name, (text, line) in ONLY_SLURM_TAKES.items():
            check(nodes, reader, name, text, True, line)
        for name, text in ONLY_WE_TAKE.items():
            check(nodes, reader, name, text, False, None)


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2], "can_fail" in sys.argv))
