#!/usr/bin/env python3
"""Checks that mkdocs makes a site of docs/ that has every page: check_site.py ROOT. Exit status 77 without mkdocs."""
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

OUTSIDE = re.compile(r"contains a link to '\.\./.*' which is not found in the documentation files")  # files of the sources


def complaints(root, site, output):
    for line in output.splitlines():
        if ("WARNING" in line or "ERROR" in line) and not OUTSIDE.search(line):
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
