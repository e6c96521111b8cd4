#!/usr/bin/env python3
"""Tests the pages of strata-info and strata-report: page.py PATHS CASE [FAULT].

content    the numbers of a job are those of the job's own text and of strata-explain
commands   what the commands write, with and without a job
escaping   text from a job becomes no element of the page
rendering  Chromium shows all of it at the width of a phone; exit status 77 without Chromium
"""
import html
import html.parser
import importlib.machinery
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from job import SKIPPED, Failure, Paths, conclude, environment, synthetic

sys.dont_write_bytecode = True
HOSTILE = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>&"
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="40"><rect width="1200" height="40"/></svg>'
PHONE = 400  # pixels
HEADINGS = ["Job", "Hierarchy", "Measured calls", "Choices", "Messages of Open MPI", "Report a problem"]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def strata_info(paths):
    """Returns the command as a module."""
    path = os.path.join(paths["source"], "component", "packaging", "strata-info")
    loader = importlib.machinery.SourceFileLoader("strata_info", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


class Reader(html.parser.HTMLParser):
    """Elements, rows of tables, headings, and visible text of a page."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.rows, self.headings, self.texts = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")
        elif tag == "h2":
            self.headings.append("")

    def handle_data(self, data):
        last = [tag for tag, _ in self.elements if tag in ("td", "th", "h2", "pre", "p", "style")]
        if last and last[-1] in ("td", "th") and self.rows and data.strip():
            self.rows[-1][-1] += data
        elif last and last[-1] == "h2" and data.strip():
            self.headings[-1] += data
        self.texts.append(data)


def expect(text, *pieces):
    for piece in pieces:
        if piece not in text:
            raise Failure(f"'{piece}' is missing in\n{text}")


def expect_self_contained(read):
    for tag, attributes in read.elements:
        if tag in ("script", "link", "iframe", "object"):
            raise Failure(f"the page has an element {tag}")
        for name, value in attributes.items():
            if name.startswith("on") or name == "href" or (name == "src" and not value.startswith("data:")):
                raise Failure(f"the page has the attribute {name}={value}")


def job(paths, *words):
    return [paths["mpirun"], "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "--mca", "btl", "self,vader", "-n",
            "4", *(words or [paths["probe"], "--sizes", "8,100000"])]


def dumped(paths, ending):
    """Returns the dump that a job wrote, and its path's folder is removed."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "dump." + ending)
        own = environment(paths, synthetic(2, 2) | {"coll_strata_setup_after": "0", "coll_strata_dump": path,
                                                    "coll_strata_rules": "ethernet-cluster"})  # with bandwidths
        done = subprocess.run(job(paths), env=own, text=True, capture_output=True, timeout=120, check=False)
        if done.returncode:
            raise Failure(f"exit status {done.returncode}:\n{done.stdout}{done.stderr}")
        explained = ""
        if ending == "json":
            tool = os.path.join(paths["build"], "bin", "strata-explain")
            explained = subprocess.run([tool, path], text=True, capture_output=True, timeout=60, check=True).stdout
        with open(path, encoding="utf-8") as file:
            return file.read(), explained


def page_of(info, dump, svg=SVG, **texts):
    """Returns the page of a dump with a job's usual texts."""
    screen = info.Screen()
    screen.check(True, "file", "/usr/lib/" + 12 * "a-long-path/" + "mca_coll_strata.so")
    screen.check(False, "priority", texts.get("text", "10"), "Below 0:\nswitched off.")
    info.show_job(screen, dump)
    found = info.Found((texts.get("text", "No such interface"),), dump, svg)
    return info.page_text("strata-info", screen, ["mpirun", "-n", "4", texts.get("text", "./program")], found,
                          [(texts.get("text", "system"), texts.get("text", "Debian"))])


def slower(dump):
    """The fault of `content`: the page's predictions differ from the text's."""
    for plan in dump["plans"]:
        plan["chosen"]["predicted_us"] *= 1.5


def tighter(dump):
    """The same for the lower bounds of calls."""
    for one in dump["communicators"]:
        for call in one["calls"]:
            call["bound_us"] = call["least_us"]


def expect_bound(explained, heading, share):
    """The page has whole numbers, strata-explain three digits."""
    lines = explained[explained.index(heading):].split("\n\n", maxsplit=1)[0]
    found = re.search(r"\n  bound +\S+ us .*, (\S+) % of the fastest call", lines)
    if not re.fullmatch("[0-9]+ %", share) or found is None or abs(float(found[1]) - float(share[:-2])) > 0.51:
        raise Failure(f"the lower bound is {share} of the fastest call, strata-explain has\n{lines}")


def test_content(paths, fault):
    info = strata_info(paths)
    text, explained = dumped(paths, "json")
    dump = json.loads(text)
    if fault:
        {"slower": slower, "tighter": tighter}[fault](dump)
    read = Reader(page_of(info, dump))
    if read.headings != [*HEADINGS[:-1], "System", HEADINGS[-1]]:
        raise Failure(f"the headings are {read.headings}")
    expect_self_contained(read)
    listing, _ = dumped(paths, "txt")
    lines = [re.sub(" +", " ", line).strip() for line in listing.splitlines()]
    rows = [row for row in read.rows if len(row) == 7][1:]
    if len(rows) != len(dump["plans"]):
        raise Failure(f"{len(rows)} choices, expected {len(dump['plans'])}")
    operation = ""
    for name, size, predicted, underlying, bound, choice, why in rows:
        operation = name or operation
        engine, _, levels = choice.replace("passed through", "forward").partition(": ")
        wanted = " ".join(part for part in (size, engine, levels, predicted, underlying, bound) if part)
        if not any(line.startswith(wanted) and line.endswith(why) for line in lines):
            found = [size, predicted, underlying, bound, choice, why]
            raise Failure(f"the text of the job lacks {operation} {found}:\n{listing}")
    calls = [row for row in read.rows if len(row) == 10][1:]
    if not calls or len(calls) != explained.count(" on MPI_COMM_WORLD, 4 ranks\n"):
        raise Failure(f"{len(calls)} calls, strata-explain has\n{explained}")
    for name, size, mean, predicted, share, of_bound, _, count, communicator, path in calls:
        expect(explained, f"{name} of {size} on {communicator}, 4 ranks\n  path      {path}\n",
               f"expected  {predicted} us; ", f"measured  {mean} us, on process 0")
        if count != "1" or not re.fullmatch("[0-9]+ %", share):
            raise Failure(f"{count} calls, share {share}")
        expect_bound(explained, f"{name} of {size} on {communicator}, 4 ranks\n", of_bound)
    expect("".join(read.texts), "It counts bandwidth only, so it means nothing for short messages.")
    expect(page_of(info, artificial()), "There is no lower bound: it needs link bandwidths from a preset")


def run(paths, command, folder, *words, expected=0, **parameters):
    own = environment(paths, synthetic(2, 2) | parameters)
    program = os.path.join(paths["source"], "component", "packaging", command)
    done = subprocess.run([program, *words], env=own, cwd=folder, text=True, timeout=200, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    if done.returncode != expected or "Traceback" in done.stdout:
        raise Failure(f"exit status {done.returncode}, expected {expected}:\n{done.stdout}")
    return done.stdout


def test_commands(paths, _):
    with tempfile.TemporaryDirectory() as folder:
        def written(name):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                text = file.read()
            read = Reader(text)
            expect_self_contained(read)
            return read, text
        screen = run(paths, "strata-info", folder, "--html", "info.html", *job(paths))
        read, _ = written("info.html")
        if read.headings != HEADINGS or sum(tag == "img" for tag, _ in read.elements) != 1:
            raise Failure(f"the page has the headings {read.headings}")
        shown = "\n".join(read.texts)
        for line in screen[screen.index("coll/strata on "):].splitlines()[1:]:  # the page has all of the screen
            expect(shown, line[15:])
        run(paths, "strata-info", folder, "--quiet", "--html", "excluded.html",
            *job(paths, "--mca", "coll", "^strata", paths["probe"]), expected=1)
        read, text = written("excluded.html")
        expect(text, "Wrong: selected", "strata-report /usr", "Messages of Open MPI</h2><pre>none</pre>")
        expect(run(paths, "strata-report", folder, "-o", "report.txt", "--html", "report.html", *job(paths),
                   coll_strata_dump=os.path.join(folder, "own.svg")), "wrote report.txt and report.html")
        read, text = written("report.html")
        expect(text, "Nothing is wrong.")
        if read.headings != [*HEADINGS[:-1], "System", "Versions", "Plugins", "Parameters", "This machine",
                             "Log of the job", HEADINGS[-1]]:
            raise Failure(f"the report has the headings {read.headings}")
        run(paths, "strata-report", folder, "-o", "alone.txt", "--html", "alone.html")
        expect(written("alone.html")[1], "Nothing is wrong.", "This machine")
        _, before = written("alone.html")
        for command in ("strata-info", "strata-report"):
            for path, wrong in (("/no/such/page.html", " cannot be written: No such file or directory"),
                                ("alone.txt", " must have the ending .html")):
                expect(run(paths, command, folder, "--html", path, expected=2), path + wrong)
        expect(run(paths, "strata-report", folder, "-o", "./alone.html", "--html", "alone.html", expected=2),
               "--output and --html both name ./alone.html")
        run(paths, "strata-report", folder, "-o", "/no/such/report.txt", "--html", "alone.html", expected=2)
        if not os.path.getsize(os.path.join(folder, "alone.txt")) or written("alone.html")[1] != before:
            raise Failure("a refused file was changed")
        named = ("info.", "excluded.", "report.", "alone.", "strata-report-")
        left = [name for name in os.listdir(folder) if not name.startswith(named)]
        if left:
            raise Failure(f"they leave {left}")


def artificial(text="MPI_COMM_WORLD"):
    """A dump with `text` in all places that a job or a machine can name."""
    def plan(engine, size):
        levels = [{"level": text, "algorithm": "binomial", "segment": 4096}]
        chosen = {"engine": engine, "levels": levels, "predicted_us": 29, "forward_us": 32, "reason": text}
        return {"collective": "bcast", "bytes": size, "to_bytes": 4 * size, "predicted_to_us": 1234.5,
                "forward_to_us": 2e6, "chosen": chosen}
    call = {"collective": "bcast", "bytes": 8, "to_bytes": 16, "path": "tree", "levels": text, "why": text, "calls": 3,
            "predicted_us": 29, "forward_us": 32, "total_us": 100, "least_us": 30, "most_us": 40}
    calls = [call, dict(call, path="forward", levels="", predicted_us=0)]
    return {"ranks": 4, "levels": [{"kind": text, "groups": [1]}], "nics": [{"name": text, "near": text}],
            "plans": [plan("tree", 8), plan("forward", 1 << 20)],
            "communicators": [{"name": text, "ranks": 4, "calls": calls}]}


def test_escaping(paths, fault):
    info = strata_info(paths)
    if fault == "raw":
        html.escape = lambda text, **_: text
    read = Reader(page_of(info, artificial(HOSTILE), f"</svg>{HOSTILE}", text=HOSTILE))
    expect_self_contained(read)
    images = [attributes for tag, attributes in read.elements if tag == "img"]
    if len(images) != 1 or "".join(read.texts).count("<script>alert(1)</script>") < 12:
        raise Failure(f"the page has {len(images)} images and the text\n{''.join(read.texts)}")


_MEASURE = """
onerror = message => console.error(message);
document.querySelector('iframe').onload = event => {
  const page = event.target.contentDocument;
  document.querySelector('pre').textContent = JSON.stringify({
    width: page.documentElement.scrollWidth, colour: page.defaultView.getComputedStyle(page.body).color,
    images: [...page.images].map(image => image.naturalWidth),
    headings: [...page.querySelectorAll('h2')].map(heading => heading.textContent) });
};
"""


def rendered(browser, page, dark=False):
    """Returns what Chromium measures in a page of PHONE pixels, and its console. A window can be wider than that."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "outer.html")
        with open(path, "w", encoding="utf-8") as file:
            text = json.dumps(page).replace("</", r"<\/")
            file.write(f"<!doctype html><meta charset=utf-8><pre></pre><iframe width={PHONE} style='border:0'></iframe>"
                       f"<script>{_MEASURE}document.querySelector('iframe').srcdoc = {text};</script>")
        options = ["--headless", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr", "--dump-dom",
                   f"--user-data-dir={folder}/user", "--virtual-time-budget=5000",
                   f"--blink-settings=preferredColorScheme={0 if dark else 1}"]
        options += [] if os.geteuid() else ["--no-sandbox"]
        done = subprocess.run([browser, *options, "file://" + path], text=True, capture_output=True, timeout=100,
                              check=False)
    measured = re.search(r"<pre>(\{.*?\})</pre>", done.stdout)
    if done.returncode or not measured:
        raise Failure(f"{browser} ended with {done.returncode}:\n{done.stdout[:500]}\n{done.stderr[-2000:]}")
    console = [line for line in done.stderr.splitlines() if ":CONSOLE" in line]
    return json.loads(html.unescape(measured[1])), console


def spoiled(page, fault):
    """Faults of `rendering`."""
    if fault == "wide":
        return page.replace("</h1>", "</h1><div style='width:900px'>wide</div>")
    if fault == "empty":
        return re.sub("<h2>Choices</h2>", "", page)
    return page.replace("</h1>", "</h1><img src='https://localhost/no-such-picture'>") if fault == "loud" else page


def test_rendering(paths, fault):
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        print("skipped: Chromium is not installed (Debian: chromium)")
        sys.exit(SKIPPED)
    page = spoiled(page_of(strata_info(paths), artificial()), fault)
    for dark, colour in ((False, "rgb(0, 0, 0)"), (True, "rgb(255, 255, 255)")):
        found, console = rendered(browser, page, dark)
        if console:
            raise Failure(f"{browser} prints {console}")
        for heading in HEADINGS:
            if heading not in found["headings"]:
                raise Failure(f"the page lacks '{heading}': {found}")
        if found["width"] > PHONE:
            raise Failure(f"the page is {found['width']} pixels wide at {PHONE}")
        if found["images"] != [1200] or found["colour"] != colour:
            raise Failure(f"expected one image of 1200 pixels and text in {colour}: {found}")


def main():
    paths, case, *fault = sys.argv[1:]
    test = {"content": test_content, "commands": test_commands, "escaping": test_escaping,
            "rendering": test_rendering}[case]
    conclude(lambda: test(Paths(paths), fault[0] if fault else ""))


main()
