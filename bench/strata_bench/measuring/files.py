"""Files that are written and read: text, JSON, lines of JSON, CSV."""

import csv
import json
import os


def read_json(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def read_json_lines(path):
    """A program's records, a line each. The last line of a program that was ended may be half of one."""
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.endswith("\n")]


def write_json(path, content):
    """As a whole: whoever is interrupted leaves the old file or the new one."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(content, file, indent=1)
    os.replace(path + ".new", path)


def write_text(path, lines):
    """Without the empty lines that set the text apart on a terminal."""
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines).strip("\n") + "\n")


def write_csv(path, columns, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(rows)


def write_tables(folder, content, lines):
    """measurements.json and table.txt. Returns their paths."""
    text, data = (os.path.join(folder, name) for name in ("table.txt", "measurements.json"))
    write_json(data, content)
    write_text(text, lines)
    return text, data
