#!/usr/bin/env python3
"""Checks that mkdocs makes a site of docs/ that has every page: check_site.py ROOT. Exit status 77 without mkdocs."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

# "contains a link to 'TARGET' which is not found", from release 1.5 on "contains a link 'TARGET', but the target".
LINK = re.compile(r"file '([^']+)' contains a link (?:to )?'([^']+)'")


def leaves_the_documents(root, line):
    """Checks for a link to a file of the sources, which the site lacks. mkdocs 1.4 prints targets relative to docs/."""
    found = LINK.search(line)
    if not found:
        return False
    docs = os.path.join(root, "docs")
    places = [os.path.normpath(os.path.join(folder, found[2].partition("#")[0]))
              for folder in (docs, os.path.join(docs, os.path.dirname(found[1])))]
    return any(os.path.exists(place) and os.path.relpath(place, docs).startswith("..") for place in places)


def complaints(root, site, output):
    for line in output.splitlines():
        if ("WARNING" in line or "ERROR" in line) and not leaves_the_documents(root, line):
            yield line
    if "not included in the \"nav\"" in output:
        yield output[output.index("The following pages"):]
    for page in glob.glob(os.path.join(root, "docs", "**", "*.md"), recursive=True):
        name = os.path.relpath(page, os.path.join(root, "docs"))[:-len(".md")]
        html = "index.html" if name == "README" else os.path.join(name, "index.html")
        if not os.path.exists(os.path.join(site, html)):
            yield f"the site lacks docs/{name}.md"


def main():
    root = sys.argv[1]
    mkdocs = shutil.which("mkdocs")
    if mkdocs is None:
        print("skipped: mkdocs is not installed")
        return 77
    with tempfile.TemporaryDirectory() as site:
        done = subprocess.run([mkdocs, "build", "--config-file", os.path.join(root, "mkdocs.yml"), "--site-dir", site],
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        wrong = list(complaints(root, site, done.stdout)) or ([done.stdout] if done.returncode else [])
    if wrong:
        sys.exit("\n".join(wrong))
    print("the site has all pages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
