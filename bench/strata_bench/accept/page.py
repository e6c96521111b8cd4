"""The page to keep, as text and, with the tables of the comparison, as one HTML file."""

import os
import shlex
import sys

from ..measuring.folders import ROOT
from .checks import Result

sys.path.append(os.path.join(ROOT, "component", "packaging"))
import strata_page as html  # installed with strata-info

_BACK = "Take the plugin back"
_TITLES = {Result.PASSED: "accepted", Result.FAILED: "NOT ACCEPTED", Result.UNDECIDED: "undecided"}


def outcome(checks):
    """Returns the worst result of all."""
    found = {check.result for check in checks}
    return next((one for one in (Result.FAILED, Result.UNDECIDED) if one in found), Result.PASSED)


def title(checks):
    return f"coll/strata: {_TITLES[outcome(checks)]}"


def back(folder):
    """Returns how to take the plugin back. `folder`: Open MPI's, of the parameters for all users."""
    # Debian's file ends without a newline.
    return ("one job       mpirun --mca coll ^strata ..., or with srun: OMPI_MCA_coll=^strata in the environment",
            f"all users     printf '\\n%s\\n' 'coll = ^strata' >>{shlex.quote(os.path.join(folder, 'openmpi-mca-params.conf'))}",
            "              as root, on every node; then strata-info says what excludes it, and ends with 1")


def text(checks, facts, folder):
    """`facts` are (name, value): what was checked, where, when. `folder`: see back()."""
    lines = [title(checks), ""]
    for check in checks:
        found = [line for part in (*check.lines, *check.table) for line in part.splitlines()]
        lines += [f"  {check.name:8}{check.result.value:12}{found[0] if found else ''}", *(" " * 22 + line for line in found[1:])]
    return [*lines, "", *(f"  {name:12}{value}" for name, value in facts), "", f"{_BACK}:",
            *(f"  {line}" for line in back(folder))]


def as_html(checks, facts, folder, tables):
    """`tables` is {title: lines} to add; they contain the checks' own."""
    rows = [[html.element("b", check.name), html.element("td", check.result.value, class_=check.result.value),
             "\n".join(check.lines)] for check in checks]
    known = [[html.element("b", name), html.element("code", value)] for name, value in facts]
    return html.page(title(checks), html.table(rows), html.section("What was checked", html.table(known)),
                     html.section(_BACK, html.element("pre", "\n".join(back(folder)))),
                     *(html.section(name, html.element("pre", "\n".join(lines))) for name, lines in tables.items()))
