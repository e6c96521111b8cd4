"""Reads and writes files: text, JSON, lines of JSON, CSV."""

import contextlib
import csv
import json
import os


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def read_json_lines(path, missing_ok=False):
    """Reads a program's records, one per line, up to the first line that is none: a killed program may leave half of
    one. `missing_ok`: without a file there are no records."""
    records = []
    if missing_ok and not os.path.exists(path):
        return records
    with open(path, "rb") as file, contextlib.suppress(ValueError):
        for line in file:
            records.append(json.loads(line))
    return records


def read_lines(path):
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def write_json(path, content):
    """Writes the file as a whole: an interruption leaves the old or the new file."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(content, file, indent=1)
    os.replace(path + ".new", path)


def write_text(path, lines):
    """Writes the text without the empty lines that set it apart on a terminal."""
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines).strip("\n") + "\n")


def write_csv(path, columns, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(rows)


def write_tables(folder, content, lines):
    """Writes measurements.json and table.txt. Returns their paths."""
    text, data = (os.path.join(folder, name) for name in ("table.txt", "measurements.json"))
    write_json(data, content)
    write_text(text, lines)
    return text, data
