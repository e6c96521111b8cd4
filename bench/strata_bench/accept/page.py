"""The page to keep, as text and, with the tables of the comparison, as one HTML file."""

import os
import sys

from ..measuring.folders import ROOT
from .checks import Result

sys.path.append(os.path.join(ROOT, "component", "packaging"))
import strata_page as html  # installed with strata-info

BACK = ("Take the plugin back:",
        "  one job       mpirun --mca coll ^strata ..., or with srun: OMPI_MCA_coll=^strata in the environment",
        "  all users     `coll = ^strata` on a line of its own in openmpi-mca-params.conf, on every node",
        "                (its folder: ompi_info --path sysconfdir)")
_TITLES = {Result.PASSED: "accepted", Result.FAILED: "NOT ACCEPTED", Result.UNDECIDED: "undecided"}


def outcome(checks):
    """Returns the worst result of all."""
    found = {check.result for check in checks}
    return next((one for one in (Result.FAILED, Result.UNDECIDED) if one in found), Result.PASSED)


def title(checks):
    return f"coll/strata: {_TITLES[outcome(checks)]}"


def text(checks, facts):
    """`facts` are (name, value): what was checked, where, when."""
    lines = [title(checks), ""]
    for check in checks:
        found = [line for part in check.lines for line in part.splitlines()]
        lines += [f"  {check.name:8}{check.result.value:12}{found[0] if found else ''}", *(" " * 22 + line for line in found[1:])]
    return [*lines, "", *(f"  {name:12}{value}" for name, value in facts), "", *BACK]


def as_html(checks, facts, tables):
    """`tables` is {title: lines} to add."""
    rows = [[html.element("b", check.name), html.element("td", check.result.value, class_=check.result.value),
             "\n".join(check.lines)] for check in checks]
    known = [[html.element("b", name), html.element("code", value)] for name, value in facts]
    return html.page(title(checks), html.table(rows), html.section("What was checked", html.table(known)),
                     html.section(BACK[0].rstrip(":"), html.element("pre", "\n".join(BACK[1:]))),
                     *(html.section(name, html.element("pre", "\n".join(lines))) for name, lines in tables.items()))
