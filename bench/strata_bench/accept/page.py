"""The page to keep, as text and, with the tables of the comparison, as one HTML file."""

import html

from .checks import Result

BACK = ("Take the plugin back:",
        "  one job       mpirun --mca coll ^strata ..., or with srun: OMPI_MCA_coll=^strata in the environment",
        "  all users     a line `coll = ^strata` in openmpi-mca-params.conf, on every node",
        "                (its folder: ompi_info --path sysconfdir)")
_TITLES = {Result.PASSED: "accepted", Result.FAILED: "NOT ACCEPTED", Result.UNDECIDED: "undecided"}
_STYLE = ("body{font:15px/1.4 sans-serif;max-width:70em;margin:2em auto;padding:0 1em}pre{font-size:13px;overflow:auto}"
          ".passed{color:#1a7f37}.FAILED{color:#b3261e}td{vertical-align:top;padding:.2em 1em .2em 0}")


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
    rows = "".join(f"<tr><td><b>{check.name}</b></td><td class={check.result.value}>{check.result.value}</td>"
                   f"<td>{'<br>'.join(map(html.escape, check.lines))}</td></tr>\n" for check in checks)
    known = "".join(f"<tr><td>{html.escape(name)}</td><td><code>{html.escape(value)}</code></td></tr>\n" for name, value in facts)
    added = "".join(f"<h2>{html.escape(name)}</h2>\n<pre>{html.escape(chr(10).join(lines))}</pre>\n"
                    for name, lines in tables.items())
    back = html.escape("\n".join(BACK))
    return (f"<!doctype html>\n<meta charset=utf-8>\n<title>{title(checks)}</title>\n<style>{_STYLE}</style>\n"
            f"<h1>{title(checks)}</h1>\n<table>\n{rows}</table>\n<table>\n{known}</table>\n<pre>{back}</pre>\n{added}")
