"""The page to keep: the same as text and as HTML without other files."""

import datetime
import html
import platform

from .checks import Result

BACK = ("Taking it back: for one job `mpirun --mca coll ^strata`; for all users a line `coll = ^strata` in\n"
        "openmpi-mca-params.conf (its folder: ompi_info --path sysconfdir), on every node.")
_STYLE = ("body{font:15px/1.4 sans-serif;max-width:70em;margin:2em auto;padding:0 1em}pre{font-size:13px;overflow:auto}"
          ".passed{color:#1a7f37}.FAILED{color:#b3261e}td{vertical-align:top;padding:.2em 1em .2em 0}")


def outcome(checks):
    """Returns the worst result of all."""
    found = {check.result for check in checks}
    return next((one for one in (Result.FAILED, Result.UNFINISHED) if one in found), Result.PASSED)


def title(checks):
    return {Result.PASSED: "accepted", Result.FAILED: "NOT ACCEPTED",
            Result.UNFINISHED: "not finished: the same command goes on"}[outcome(checks)]


def text(checks):
    lines = [f"coll/strata: {title(checks)}", ""]
    for check in checks:
        lines += [f"  {check.name:8}{check.result.value:14}{check.lines[0] if check.lines else ''}",
                  *(" " * 24 + line for line in check.lines[1:])]
    return [*lines, "", *BACK.splitlines()]


def as_html(checks, command, tables):
    """`tables` is {title: lines} to add."""
    rows = "".join(f"<tr><td><b>{check.name}</b></td><td class={check.result.value.split()[0]}>{check.result.value}</td>"
                   f"<td>{'<br>'.join(map(html.escape, check.lines))}</td></tr>\n" for check in checks)
    added = "".join(f"<h2>{html.escape(name)}</h2>\n<pre>{html.escape(chr(10).join(lines))}</pre>\n"
                    for name, lines in tables.items())
    when = datetime.datetime.now().astimezone().isoformat(" ", "minutes")
    return (f"<!doctype html>\n<meta charset=utf-8>\n<title>coll/strata: {title(checks)}</title>\n<style>{_STYLE}</style>\n"
            f"<h1>coll/strata: {title(checks)}</h1>\n<p>{html.escape(platform.node())}, {when}<br>"
            f"<code>{html.escape(command)}</code></p>\n<table>\n{rows}</table>\n<p>{html.escape(BACK)}</p>\n{added}")
