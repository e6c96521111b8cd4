"""The HPC Challenge benchmark, which checks its results."""
import os
import re

from obtain import Unavailable, require

from .test import Test, ended_badly, judged_by_counts

TITLE = "HPC Challenge: HPL, PTRANS, RandomAccess, FFT with their checks (Debian package hpcc)"
_EXAMPLE = "/usr/share/doc/hpcc/examples/_hpccinf.txt"


def prepare(workshop):
    require("hpcc")
    if not os.path.exists(_EXAMPLE):
        raise Unavailable(f"{_EXAMPLE} is missing")
    with open(_EXAMPLE, encoding="utf-8") as file:
        text = file.read()
    settings = workshop.path("hpccinf.txt")
    with open(settings, "w", encoding="utf-8") as file:
        file.write(re.sub(r"^1000( +Ns)$", r"400 \1", text, flags=re.MULTILINE))
    return [Test("hpcc", "hpcc", 4, ("/usr/bin/hpcc",), judge, ranks_on_nodes=8, files=(settings,),
                 limit=300)], []


def judge(ended):
    bad = ended_badly(ended)
    path = os.path.join(ended.folder, "hpccoutf.txt")
    if bad or not os.path.exists(path):
        return bad or "fail (no output file)"
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    failed = len(re.findall(r"FAILED|^.*_Failure=[^0]|Success=0", text, re.MULTILINE))
    return judged_by_counts(len(re.findall("PASSED", text)), failed)
