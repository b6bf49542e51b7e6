#!/usr/bin/env python3
"""Writes the measured part of docs/gpu.md from bench/results/gpu_*.csv, which scripts/gpu_show.sh has measured.

    scripts/gpu_page.py [FOLDER]     takes the tables of a run in from FOLDER first
"""
import csv
import pathlib
import shutil
import sys

root = pathlib.Path(__file__).resolve().parent.parent
results = root / "bench" / "results"
names = ["hashes", "accuracy", "throughput", "blocks", "launches", "memory"]


def read(name):
    path = results / f"gpu_{name}.csv"
    return list(csv.DictReader(path.open())) if path.exists() else []


def rate(text):
    return f"{float(text):.2g}".replace("e+0", "e")


def throughput(rows):
    """Per scene: the device by worlds, at its best number of substeps per launch; the processor."""
    scenes = list(dict.fromkeys(row["scene"] for row in rows))
    counts = sorted({int(row["worlds"]) for row in rows if not row["machine"].startswith("processor")})
    lines = ["| world-substeps/s | " + " | ".join(f"{count:,} worlds" for count in counts) + " | one core | 16 cores |",
             "|---" * (len(counts) + 3) + "|"]
    for scene in scenes:
        cells = []
        for count in counts:
            own = [row for row in rows if row["scene"] == scene and row["worlds"] == str(count)
                   and not row["machine"].startswith("processor")]
            cells.append(rate(max((row["world_substeps_per_s"] for row in own), key=float)) if own else "")
        for threads in ("(1 threads)", "(16 threads)"):
            own = [row for row in rows if row["scene"] == scene and threads in row["machine"] and row["by"] == "worlds"]
            cells.append(rate(own[0]["world_substeps_per_s"]) if own else "")
        lines.append(f"| {scene} | " + " | ".join(cells) + " |")
    return lines


def main():
    if len(sys.argv) > 1:
        for name in names:
            source = pathlib.Path(sys.argv[1]) / f"gpu_{name}.csv"
            if source.exists():
                shutil.copy(source, results / source.name)
    lines = throughput(read("throughput")) + [""]
    for row in read("hashes"):
        lines.append(f"- {row['scene']}: after {int(row['substeps']):,} substeps {int(row['equal_host_device']):,} of "
                     f"{int(row['worlds']):,} worlds have the host's hash,")
        lines.append(f"  and {int(row['equal_device_twice']):,} the same in a second run.")
    for row in read("accuracy"):
        lines.append(f"- {row['scene']}: the worst of {int(row['worlds']):,} worlds is off by {row['worst_error_m']} m "
                     f"after {row['time_s']} s.")
    for row in read("memory"):
        if row["status"] == "ok":
            lines.append(f"- {int(row['worlds']):,} worlds of {row['scene']} take {row['bytes_per_world']} bytes each.")
        else:
            lines.append(f"- {int(row['worlds']):,} worlds are refused:")
            lines.append(f"  \"{row['message']}\".")
    page = root / "docs" / "gpu.md"
    text = page.read_text()
    head, rest = text.split("<!-- gpu: scripts/gpu_page.py -->\n", 1)
    tail = rest.split("<!-- /gpu -->", 1)[1]
    page.write_text(head + "<!-- gpu: scripts/gpu_page.py -->\n" + "\n".join(lines) + "\n<!-- /gpu -->" + tail)


main()
