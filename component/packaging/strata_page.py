"""A self-contained HTML page for strata-info, strata-report and bench/accept: style, and elements that escape text."""
import base64
import html
import re

# The page fetches nothing and runs nothing.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_STYLE = """
:root { color-scheme: light dark; --line: #d0d7de; --soft: #f3f5f7; --good: #1a7f37; --bad: #b3261e; --bar: #5b94c9 }
@media (prefers-color-scheme: dark) {
  :root { --line: #3d444d; --soft: #20262d; --good: #4cc168; --bad: #ff8a80; --bar: #4a83b8 }
}
body { font: 16px/1.45 system-ui, sans-serif; max-width: 66rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere }
h1 { font-size: 1.5rem; margin: .5rem 0 }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem }
table { border-collapse: collapse }
th, td { text-align: left; vertical-align: top; padding: .25rem 1rem .25rem 0; border-bottom: 1px solid var(--line) }
td { white-space: pre-line }
th { font-weight: 600; vertical-align: bottom }
td b, td.ok, td.NO, td.passed, td.FAILED, td.undecided { white-space: nowrap; overflow-wrap: normal }
.number { text-align: right; font-variant-numeric: tabular-nums }
td.number { white-space: nowrap }
.wide { overflow-x: auto }
.wide table { min-width: 60rem; overflow-wrap: normal; font-size: .9rem }
pre { overflow-x: auto; background: var(--soft); border-radius: 4px; padding: .6rem; font-size: .85rem }
img { display: block; height: auto; max-width: 100%; background: white }
.ok, .passed { color: var(--good) }
.NO, .FAILED { color: var(--bad); font-weight: 600 }
.bar { display: block; width: 6rem; height: .35rem; background: var(--line) }
.bar span { display: block; height: 100%; background: var(--bar) }
@media print {
  body { max-width: none; padding: 0; font-size: 10pt }
  .wide { overflow: visible }
  .wide table { min-width: 0; font-size: 7.5pt }
  .wide th, .wide td { padding-right: .5rem }
  pre { white-space: pre-wrap }
  tr, img { break-inside: avoid }
  h2 { break-after: avoid }
  .bar, .bar span { print-color-adjust: exact }
}
"""


class Markup(str):
    """Text that is HTML already; all other text is escaped when it becomes part of an element."""


def join(parts, between="\n"):
    return Markup(between.join(part if isinstance(part, Markup) else html.escape(str(part)) for part in parts))


def element(name, *content, **attributes):
    """`attributes` whose names are words of Python end with _."""
    words = "".join(f' {word.rstrip("_")}="{html.escape(str(value))}"' for word, value in attributes.items() if value)
    return Markup(f"<{name}{words}>{join(content, '')}</{name}>")


def table(rows, head=(), **attributes):
    """`rows`: lists of cells, each its content or an element of the name td or th."""
    def line(cells, name):
        ready = [isinstance(cell, Markup) and cell.startswith(("<td", "<th")) for cell in cells]
        return element("tr", *(cell if is_cell else element(name, cell) for cell, is_cell in zip(cells, ready)))
    lines = [line(head, "th")] if head else []
    return element("table", join([*lines, *(line(cells, "td") for cells in rows)]), **attributes)


def number(text, name="td"):
    return element(name, text, class_="number")


def wide(content):
    """Content that scrolls by itself on narrow screens."""
    return element("div", content, class_="wide", tabindex="0")


def bar(share):
    """`share` of a whole, 0 to 1 and more, as a bar with its number."""
    filled = Markup(f'<span style="width:{min(100, 100 * share):.0f}%"></span>')
    return join([f"{100 * share:.0f} %", element("span", filled, class_="bar")], "")


def picture(svg, description):
    """An SVG file. As an image it can neither run nor fetch anything."""
    width = re.search(r'<svg[^>]* width="([0-9]+)', svg)
    data = base64.b64encode(svg.encode()).decode()
    shown = Markup(f'<img src="data:image/svg+xml;base64,{data}" alt="{html.escape(description)}" '
                   f'style="min-width:min({width[1] if width else 0}px,40rem)">')
    return wide(shown)


def section(title, *content):
    return element("section", element("h2", title), join(content))


def page(title, *content):
    """Returns the text of the file."""
    return "\n".join([
        "<!doctype html>", '<html lang="en">', "<head>", '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        element("title", title), f"<style>{_STYLE}</style>", "</head>", "<body>", element("h1", title), join(content),
        "</body>", "</html>", ""])
