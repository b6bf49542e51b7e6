#!/usr/bin/env python3
"""Writes the measured parts of docs/gpu.md and docs/cluster.md from bench/results/gpu_*.csv and uncertainty_*.csv, which
scripts/gpu_show.sh has measured, and scaling.csv (scripts/scaling.sh).

    scripts/gpu_page.py [FOLDER]     takes the tables of a run in from FOLDER first (results.tar.gz, unpacked)
    scripts/gpu_page.py --check      writes nothing: do the pages say what the tables do?
"""
import csv
import math
import pathlib
import shutil
import sys

root = pathlib.Path(__file__).resolve().parent.parent
results = root / "bench" / "results"
names = ["hashes", "host", "accuracy", "throughput", "shapes", "launches", "memory"]
scenes = ["1 pushed box", "3 box on slope", "7 rod pushing a box", "two boxes pushed"]  # as bench/gpu/scenes.c has them
TARGETS = {scenes[0]: 5e8, scenes[2]: 1e8}  # world-substeps/s (issue 16)
KEYS = {"throughput": ["scene", "machine", "by", "worlds", "substeps_per_launch"], "hashes": ["scene"], "host": ["scene"], "accuracy": ["scene"]}
PROFILED = (131072, 100)  # worlds and substeps of the launch that a profiler looks at (bench/gpu/show.c)


# --- A run's files ---

def take_in(folder):
    for name in names:
        if (folder / f"gpu_{name}.csv").exists():
            merge(folder / f"gpu_{name}.csv", KEYS.get(name))
    if (folder / "pbd-r" / "gpu_throughput.csv").exists():
        shutil.copy(folder / "pbd-r" / "gpu_throughput.csv", results / "gpu_pbd-r.csv")
    # warp says what it compiles before the table begins
    warp = folder / "gpu_mujoco_warp.csv"
    lines = warp.read_text().splitlines() if warp.exists() else []
    heads = [k for k, line in enumerate(lines) if line.startswith("scene,engine,")]
    if heads:
        (results / warp.name).write_text("\n".join(lines[heads[0]:]) + "\n")
    for path in (folder / "uncertainty").glob("uncertainty_*.csv"):
        shutil.copy(path, results)
    take_in_profiles(folder)


def merge(path, keys):
    """A run of some parts replaces the rows that it has; without keys, the whole table."""
    new, old = list(csv.DictReader(path.open())), results / path.name
    rows = list(csv.DictReader(old.open())) if keys and old.exists() else []
    measured = {tuple(row[key] for key in keys or []) for row in new}
    rows = [row for row in rows if tuple(row[key] for key in keys) not in measured] + new
    if new:
        with old.open("w", newline="") as file:
            writer = csv.DictWriter(file, list(new[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


def take_in_profiles(folder):
    """What ncu printed, a file per scene, becomes one table."""
    rows = []
    for k, scene in enumerate(scenes):
        path = folder / f"profile-{k}.csv"
        lines = path.read_text().splitlines() if path.exists() else []
        for row in csv.DictReader(line for line in lines if line.startswith('"')):
            rows.append([scene, *PROFILED, row["Metric Name"], row["Metric Unit"], row["Metric Value"].replace(",", "")])
    if rows:
        with (results / "gpu_profile.csv").open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["scene", "worlds", "substeps", "metric", "unit", "value"])
            writer.writerows(rows)


def read(name):
    path = results / f"gpu_{name}.csv"
    return list(csv.DictReader(path.open())) if path.exists() else []


# --- Numbers ---

def rate(number):
    return f"{float(number):.3g}".replace("e+0", "e")


def is_host(row):
    return row["machine"].startswith("processor")


def find_best(rows, **wanted):
    """The highest rate of the rows that have these values; 0: none."""
    own = [row for row in rows if all(row[key] == str(value) for key, value in wanted.items())]
    return max((float(row["world_substeps_per_s"]) for row in own), default=0.0)


def find_cores(rows, scene, threads):
    return find_best(rows, scene=scene, machine=f"processor ({threads} threads)")


def throughput(rows):
    device = [row for row in rows if not is_host(row)]
    counts = sorted({int(row["worlds"]) for row in device})
    lines = ["| world-substeps/s | launches of | " + " | ".join(f"{count:,} worlds" for count in counts) +
             " | one core | 16 cores |", "|---" * (len(counts) + 4) + "|"]
    for scene in scenes:
        for each in (10, 100):
            cells = [find_best(device, scene=scene, worlds=count, substeps_per_launch=each) for count in counts]
            cells += [find_cores(rows, scene, threads) if each == 10 else 0.0 for threads in (1, 16)]
            lines.append(f"| {scene if each == 10 else ''} | {each} | " +
                         " | ".join(rate(cell) if cell > 0.0 else "" for cell in cells) + " |")
    return lines


def find_fastest(rows, scene):
    device = [row for row in rows if not is_host(row) and row["scene"] == scene]
    return max(device, key=lambda row: float(row["world_substeps_per_s"]))


def targets(rows):
    lines = ["| scene | target [world-substeps/s] | measured | |", "|---|---|---|---|"]
    for scene, target in TARGETS.items():
        reached = float(find_fastest(rows, scene)["world_substeps_per_s"])
        lines.append(f"| {scene} | {rate(target)} | {rate(reached)} | {'met' if reached >= target else 'missed'} |")
    return lines


def bests(rows):
    lines = []
    for scene in TARGETS:
        best = find_fastest(rows, scene)
        lines.append(f"- {scene}: {rate(float(best['world_substeps_per_s']))} world-substeps/s at best, with {int(best['worlds']):,} worlds.")
        lines.append(f"  Cold, the first ten substeps took {float(best['cold_s']):.2f} s.")
    for scene in scenes:
        own = [row for row in rows if row["scene"] == scene and not is_host(row)]
        lines.append(f"- {scene}: residuals of at most {max(float(row['worst_residual']) for row in own):.2g} of the sum of forces, "
                     f"{max(int(row['worlds_flagged']) for row in own)} worlds flagged.")
    return lines


def checks():
    lines = []
    for row in read("hashes"):
        lines.append(f"- {row['scene']}: after {int(row['substeps']):,} substeps {int(row['equal_host_device']):,} of "
                     f"{int(row['worlds']):,} worlds have the host's hash,")
        lines.append(f"  and {int(row['equal_device_twice']):,} the same in a second run; "
                     f"{row['worlds_not_converged']} have not converged.")
    device = {(row["scene"], row["worlds"], row["substeps"]): row["hash_of_hashes"] for row in read("hashes")}
    for row in read("host"):
        same = device.get((row["scene"], row["worlds"], row["substeps"])) == row["hash_of_hashes"]
        lines.append(f"- {row['scene']}: the host's compilation, looked at after each hundred substeps: "
                     f"{row['worlds_flagged_ever']} of {int(row['worlds']):,} worlds")
        lines.append(f"  flagged in any, residuals of at most {row['worst_residual']}; "
                     f"the hash of all hashes is {'' if same else 'NOT '}the device's.")
    for row in read("accuracy"):
        lines.append(f"- {row['scene']}: the worst of {int(row['worlds']):,} worlds is off by {row['worst_error_m']} m "
                     f"after {row['time_s']} s.")
    for row in read("memory"):
        if row["status"] == "ok":
            lines.append(f"- {int(row['worlds']):,} worlds of {row['scene']} take {row['bytes_per_world']} bytes each.")
        else:
            lines.append(f"- {int(row['worlds']):,} worlds are refused:")
            lines.append(f"  \"{row['message']}\".")
    return lines


def reduced(rows):
    best = {}
    for row in rows:
        best[row["scene"]] = max(best.get(row["scene"], 0.0), float(row["world_substeps_per_s"]))
    return [f"- PBD-R's kernel, {scene}: {rate(value)} world-substeps/s." for scene, value in best.items()]


def others(rows):
    """mujoco_warp, and how often ours is as fast with as many worlds."""
    lines = []
    own = [row for row in read("throughput") if not is_host(row)]
    for row in rows:
        ours = find_best(own, scene=row["scene"], worlds=row["worlds"])
        lines.append(f"- {row['engine']}, {row['scene']}, {int(row['worlds']):,} worlds: {rate(row['world_steps_per_s'])} world-steps/s" +
                     (f", {ours / float(row['world_steps_per_s']):.0f} times less than ours;" if ours else ";"))
        lines.append(f"  the worst world is off by {1000.0 * float(row['worst_error_m']):.0f} mm after {int(row['steps'])} steps; "
                     f"{row['worlds_equal_twice']} worlds are the same in a second run.")
    return lines


# --- What bounds it ---

def profile(rows):
    measured = list(dict.fromkeys(row["scene"] for row in rows))
    of = {(row["scene"], row["metric"]): float(row["value"]) for row in rows}
    worlds, substeps = PROFILED
    steps, warps = worlds * substeps, worlds / 32 * substeps

    def flops(scene):  # an instruction of doubles is one operation: nothing is contracted
        return (of[scene, "smsp__inst_executed_pipe_fp64.sum"] *
                of[scene, "smsp__thread_inst_executed_per_inst_executed.ratio"])

    def seconds(scene):
        return 1e-9 * of[scene, "gpu__time_duration.sum"]

    def roofs(scene):  # of units for doubles and of memory, from what the counters say was their share of the peak
        units = 32 * of[scene, "smsp__inst_executed_pipe_fp64.sum"] / seconds(scene) / (
            0.01 * of[scene, "sm__throughput.avg.pct_of_peak_sustained_elapsed"])
        memory = of[scene, "dram__bytes.sum"] / seconds(scene) / (
            0.01 * of[scene, "dram__throughput.avg.pct_of_peak_sustained_elapsed"])
        return units, memory * flops(scene) / of[scene, "dram__bytes.sum"]
    entries = [
        ("time of a launch of 100 substeps [ms]", lambda s: f"{1e3 * seconds(s):.1f}"),
        ("instructions per warp and substep", lambda s: f"{of[s, 'smsp__inst_executed.sum'] / warps:,.0f}"),
        ("threads of 32 at work", lambda s: f"{of[s, 'smsp__thread_inst_executed_per_inst_executed.ratio']:.1f}"),
        ("cycles per instruction of a scheduler", lambda s: f"{1 / of[s, 'smsp__inst_executed.avg.per_cycle_active']:.1f}"),
        ("warps at once, of 64", lambda s: f"{0.64 * of[s, 'sm__warps_active.avg.pct_of_peak_sustained_active']:.1f}"),
        ("units for doubles busy [%]", lambda s: f"{of[s, 'sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active']:.0f}"),
        ("operations in double [TFLOP/s]", lambda s: f"{1e-12 * flops(s) / seconds(s):.1f}"),
        ("operations per byte of memory", lambda s: f"{flops(s) / of[s, 'dram__bytes.sum']:.1f}"),
        ("roofs of units, of memory at that [TFLOP/s]", lambda s: ", ".join(f"{1e-12 * roof:.1f}" for roof in roofs(s))),
        ("share of the lower roof that is reached [%]", lambda s: f"{100 * flops(s) / seconds(s) / min(roofs(s)):.0f}"),
        ("memory per world and substep [B]", lambda s: f"{of[s, 'dram__bytes.sum'] / steps:,.0f}"),
        ("memory's share of its peak [%]", lambda s: f"{of[s, 'dram__throughput.avg.pct_of_peak_sustained_elapsed']:.0f}"),
        ("L2 per world and substep [B]", lambda s: f"{of[s, 'lts__t_bytes.sum'] / steps:,.0f}"),
        ("found in L1, in L2 [%]", lambda s: f"{of[s, 'l1tex__t_sector_hit_rate.pct']:.0f}, {of[s, 'lts__t_sector_hit_rate.pct']:.0f}"),
        ("local loads and stores per warp and substep", lambda s: f"{of[s, 'smsp__inst_executed_op_local_ld.sum'] / warps:,.0f}, "
                                                                 f"{of[s, 'smsp__inst_executed_op_local_st.sum'] / warps:,.0f}"),
    ]
    lines = ["| quick kernel | " + " | ".join(measured) + " |", "|---" * (len(measured) + 1) + "|"]
    return lines + [f"| {label} | " + " | ".join(show(scene) for scene in measured) + " |" for label, show in entries]


def find_time(scene, each):
    """Milliseconds of a hundred substeps of the profiled number of worlds, in launches of so many."""
    own = [row for row in read("throughput") if row["scene"] == scene and row["worlds"] == str(PROFILED[0]) and
           row["substeps_per_launch"] == str(each)]
    return 1e3 * float(own[0]["seconds"]) / int(own[0]["launches"]) * 100 / each


def shares(rows):
    """How much of a launch is the quick kernel's."""
    times = {row["scene"]: 1e-6 * float(row["value"]) for row in rows if row["metric"] == "gpu__time_duration.sum"}
    return [f"- {scene}: the quick kernel took {quick:.1f} ms for {PROFILED[1]} substeps of {PROFILED[0]:,} worlds;\n"
            f"  all of them took {find_time(scene, 10):.0f} ms in launches of 10, {find_time(scene, 100):.0f} ms in launches of 100."
            for scene, quick in times.items()]


def left(rows):
    lines = ["| Test 7 | launches of | worlds that a launch leaves [%] | substeps that are left [%] |", "|---|---|---|---|"]
    for row in rows:
        lines.append(f"| {row['from_s']} s to {row['to_s']} s | {row['substeps_per_launch']} | {row['worlds_left_percent']} | "
                     f"{row['substeps_left_percent']} |")
    return lines


# --- What it is worth ---

def match(points, wanted):
    """With how many worlds a device does as much: between two measured counts by their logarithms, or a bound."""
    points = sorted(points)
    if points[0][1] >= wanted:
        return f"fewer than {points[0][0]:,}"
    for (few, slow), (many, fast) in zip(points, points[1:]):
        if slow < wanted <= fast:
            share = math.log(wanted / slow) / math.log(fast / slow)
            return f"about {float(f'{few * (many / few) ** share:.1g}'):,.0f}"
    return f"more than {points[-1][0]:,}"


def worth(rows):
    lines = ["| | device, at best | by one core | by 16 cores | worlds that 16 cores match |", "|---|---|---|---|---|"]
    device = [row for row in rows if not is_host(row)]
    for scene in scenes:
        best, one, all_cores = find_best(device, scene=scene), find_cores(rows, scene, 1), find_cores(rows, scene, 16)
        points = [(count, find_best(device, scene=scene, worlds=count))
                  for count in sorted({int(row["worlds"]) for row in device if row["scene"] == scene})]
        if scene == scenes[0]:  # whose launches are measured with fewer worlds
            points += [(int(row["worlds"]), 1e6 * int(row["worlds"]) / float(row["us_per_launch"]))
                       for row in read("launches") if row["how"].startswith("one launch") and int(row["worlds"]) < points[0][0]]
        lines.append(f"| {scene} | {rate(best)} | {best / one:,.0f} x | {best / all_cores:,.0f} x | {match(points, all_cores)} |")
    return lines


# --- Shapes of launches ---

def shapes(rows):
    if not rows:
        return ["Not measured yet: `scripts/gpu_show.sh` on a device, part `shapes`."]
    keys = ["threads", "parts", "warps", "turns"]
    lines = ["| worlds | kernels | " + " | ".join(keys) + " | world-substeps/s |", "|---" * (len(keys) + 3) + "|"]
    return lines + [f"| {int(row['worlds']):,} | {row.get('kernels', 'these')} | " + " | ".join(row[key] for key in keys) +
                    f" | {float(row['world_substeps_per_s']):.3g} |".replace("e+0", "e") for row in rows]


# --- The study of uncertainty ---

def read_spread(name):
    return list(csv.DictReader((results / f"uncertainty_{name}.csv").open()))


def spread():
    lines = ["| position error at 10 s [m] | runs | mean | 5 % | median | 95 % | most |", "|---|---|---|---|---|---|---|"]
    for label, name in (("", "table"), (", true surface", "surface_table")):
        for row in read_spread(name):
            if row["quantity"] == "dynamic_tilt_final_position_m":
                numbers = [f"{float(row[key]):.3g}" for key in ("mean", "q05", "median", "q95", "most")]
                lines.append(f"| {row['solver']}{label} | {int(row['runs']):,} | " + " | ".join(numbers) + " |")
    return lines


def tail():
    lines = ["| | runs | without a reference | caught | their mean [m] | others' mean [m] | median | 95 % | most |",
             "|---|---|---|---|---|---|---|---|---|"]
    for row in read_spread("tail"):
        if row["setting"] == "all":
            numbers = [f"{float(row[key]):.3g}" if row[key] else "" for key in
                       ("caught_mean_m", "others_mean_m", "others_median_m", "others_q95_m", "others_most_m")]
            lines.append(f"| {row['solver']} | {int(row['runs']):,} | {row['without_reference']} | {row['caught']} | " +
                         " | ".join(numbers) + " |")
    return lines


def scaling(name, by):
    """By the wall, or where cores were shared by processor time, against the model of docs/cluster.md."""
    rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader((results / f"{name}.csv").open())]
    one = rows[0][by]
    start = one - rows[0]["jobs_own_s"]
    others = {"wall_s": "wall [s]", "largest_rank_s": "the largest rank's processor time [s]", "processor_s": "all ranks' [s]"}
    first = others.pop(by)
    lines = [f"| ranks | {first} | one rank's over it | model [s] | jobs' own time [s] | {' | '.join(others.values())} | load before |",
             "|---" * 8 + "|"]
    for row in rows:
        cells = [f"{row['ranks']:.0f}", f"{row[by]:.1f}", f"{one / row[by]:.2f}", f"{start + row['jobs_own_s'] / row['ranks']:.1f}",
                 f"{row['jobs_own_s']:.1f}", *(f"{row[key]:.1f}" for key in others), f"{row['load']:.1f}"]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def main():
    check = sys.argv[1:] == ["--check"]
    if len(sys.argv) > 1 and not check:
        take_in(pathlib.Path(sys.argv[1]))
    rows = read("throughput")
    pages = {"gpu": {"gpu": throughput(rows) + [""] + bests(rows) + checks() + reduced(read("pbd-r")) + others(read("mujoco_warp")),
                     "gpu-profile": profile(read("profile")) + [""] + shares(read("profile")),
                     "gpu-left": left(read("left")),
                     "gpu-shapes": shapes(read("shapes")),
                     "gpu-worth": worth(rows)},
             "cluster": {"gpu-spread": spread(), "gpu-spread-tail": tail(), "gpu-scaling": scaling("scaling", "wall_s"),
                         "gpu-scaling-two": scaling("scaling_two_cores", "largest_rank_s")},
             "project/targets": {"gpu-targets": targets(rows)}}
    for page, parts in pages.items():
        path = root / "docs" / f"{page}.md"
        text = path.read_text()
        for name, lines in parts.items():
            begin, end = f"<!-- {name}: scripts/gpu_page.py -->\n", f"<!-- /{name} -->"
            head, rest = text.split(begin, 1)
            text = head + begin + "".join(line + "\n" for line in lines) + end + rest.split(end, 1)[1]
        if check and text != path.read_text():
            sys.exit(f"docs/{page}.md: not what the files in bench/results say: run scripts/gpu_page.py")
        if not check:
            path.write_text(text)


main()
