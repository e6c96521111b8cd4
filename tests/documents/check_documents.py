#!/usr/bin/env python3
"""Checks README.md and docs/**/*.md below a folder: relative links and #anchors resolve, no page has more than 2,000
words (as `wc -w` counts), README.md has at most 150 lines and no sentence of more than 30 words.

A word of a sentence contains a letter or a digit. Sentences of README.md exclude code blocks; list items, headings and
cells of tables are sentences of their own."""
import argparse
import collections
import glob
import os
import re
import sys
import urllib.parse

Line = collections.namedtuple("Line", "number text code")

_HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*$")
CODE_SPAN = re.compile(r"(`+)((?:(?!\n\n).)+?)\1", re.DOTALL)
_LINK = re.compile(r"\[([^\[\]]*)\]\(\s*<?([^()\s<>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
_ITEM = re.compile(r"^\s*([*+-]|\d+[.)])\s+")
_WORD = re.compile(r"\w")


def read(path):
    """Returns the lines of a page, each marked as code or not."""
    lines, fence, code = [], None, False
    with open(path, encoding="utf-8") as file:
        for number, text in enumerate(file.read().splitlines(), 1):
            mark = re.match(r"\s*(```+|~~~+)", text)
            if fence:
                lines.append(Line(number, text, True))
                fence = None if mark and mark[1].startswith(fence) else fence
                continue
            if mark:
                fence = mark[1]
            elif text.strip():
                # An indented block begins after an empty line.
                code = text.startswith("    ") and (code or not lines or not lines[-1].text.strip())
            lines.append(Line(number, text, code or fence is not None))
    return lines


def plain(text):
    """Returns a text without the marks of code, links and emphasis."""
    text = CODE_SPAN.sub(lambda found: found[2], text)
    return re.sub(r"\*\*|(?<!\w)[*_]|[*_](?!\w)", "", re.sub(r"\[([^\[\]]*)\]\([^()]*\)", r"\1", text))


def anchors(lines):
    """Returns the anchors of a page's headings, as GitHub makes them."""
    found = collections.Counter()
    names = set()
    for line in lines:
        heading = None if line.code else _HEADING.match(line.text)
        if heading:
            text = CODE_SPAN.sub(lambda code: code[2], re.sub(r"\[([^\[\]]*)\]\([^()]*\)", r"\1", heading[1]))
            name = re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")
            names.add(f"{name}-{found[name]}" if found[name] else name)
            found[name] += 1
    return names


def links(lines):
    """Yields (line number, target) of every inline link outside of code."""
    text = "\n".join("" if line.code else line.text for line in lines)
    text = CODE_SPAN.sub(lambda found: re.sub(r"[\[\]()]", " ", found[0]), text)
    for found in _LINK.finditer(text):
        yield text.count("\n", 0, found.start()) + 1, found[2]


class Pages:
    def __init__(self, root):
        self.root = os.path.realpath(root)
        self.links = 0
        self._anchors = {}

    def files(self):
        return [path for path in (os.path.join(self.root, "README.md"),
                                  *sorted(glob.glob(os.path.join(self.root, "docs", "**", "*.md"), recursive=True)))
                if os.path.exists(path)]

    def _anchors_of(self, path):
        if path not in self._anchors:
            self._anchors[path] = anchors(read(path))
        return self._anchors[path]

    def broken_link(self, page, target):
        """Returns what is wrong with a link; empty if nothing is."""
        if re.match(r"[a-zA-Z][a-zA-Z0-9+.-]*:|//", target):
            return ""
        self.links += 1
        path, _, anchor = urllib.parse.unquote(target).partition("#")
        if path.startswith("/"):
            return f"the link {target} is not relative"
        file = os.path.realpath(os.path.join(os.path.dirname(page), path)) if path else page
        if not os.path.exists(file) or os.path.relpath(file, self.root).startswith(".."):
            return f"the link {target} leads nowhere"
        if anchor and file.endswith(".md") and anchor not in self._anchors_of(file):
            return f"{os.path.relpath(file, self.root)} has no heading for #{anchor}"
        return ""


def words(lines):
    return sum(len(line.text.split()) for line in lines)


def sentences(lines):
    """Yields (line number, sentence) of a page without its code."""
    block = []  # (line number, text) of a paragraph so far

    def ended():
        text, begins = "", []
        for number, part in block:
            begins.append((len(text), number))
            text += part + " "
        block.clear()
        start = 0
        for end in [found.end() for found in re.finditer(r"[.!?][)\"']*(?=\s)", text)] + [len(text)]:
            sentence = text[start:end].strip()
            if sentence:
                yield [number for place, number in begins if place <= start][-1], plain(sentence)
            start = end

    for line in lines:
        text = line.text.strip()
        if line.code or not text or text.startswith(("#", "|")) or _ITEM.match(line.text):
            yield from ended()
        if line.code or not text:
            continue
        if text.startswith("|"):
            for cell in text.strip("|").split("|"):
                block.append((line.number, cell.strip()))
                yield from ended()
        elif text.startswith("#"):
            block.append((line.number, text.lstrip("# ")))
            yield from ended()
        else:
            block.append((line.number, _ITEM.sub("", text)))
    yield from ended()


def complaints(pages, limits):
    for page in pages.files():
        name = os.path.relpath(page, pages.root)
        lines = read(page)
        for number, target in links(lines):
            wrong = pages.broken_link(page, target)
            if wrong:
                yield f"{name}:{number}: {wrong}"
        if words(lines) > limits.words:
            yield f"{name}: {words(lines):,} words, at most {limits.words:,} allowed"
        if name != "README.md":
            continue
        if len(lines) > limits.lines:
            yield f"{name}: {len(lines)} lines, at most {limits.lines} allowed"
        for number, sentence in sentences(lines):
            length = sum(1 for word in sentence.split() if _WORD.search(word))
            if length > limits.sentence:
                yield f"{name}:{number}: a sentence of {length} words, at most {limits.sentence} allowed: {sentence[:60]}..."


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", help="folder with README.md and docs/")
    parser.add_argument("--words", type=int, default=2000, help="of a page (%(default)s)")
    parser.add_argument("--lines", type=int, default=150, help="of README.md (%(default)s)")
    parser.add_argument("--sentence", type=int, default=30, help="words of a sentence of README.md (%(default)s)")
    limits = parser.parse_args()
    pages = Pages(limits.root)
    if not pages.files():
        sys.exit(f"{limits.root}: no pages found")
    wrong = list(complaints(pages, limits))
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{len(pages.files())} pages, {pages.links} links")


if __name__ == "__main__":
    main()
