#!/usr/bin/env python3
"""Draws docs/pictures/demo.svg: price, busy GPUs and waiting jobs of two runs over time.

usage: draw-demo.py OUT_DIR [POLICY POLICY] > docs/pictures/demo.svg

OUT_DIR is what `penstock simulate data/demo.toml --out OUT_DIR` wrote; POLICY is the name of one
of its folders (default: fifo las). One site is drawn: the first.
"""
import csv
import datetime
import json
import pathlib
import sys

WIDTH, LEFT, RIGHT = 860, 64, 16
COLOURS = ["#0072b2", "#d55e00"]
INK, FAINT, PAPER = "#24292f", "#d0d7de", "#ffffff"
STRIPS = [(58, 70), (160, 120), (312, 120)]  # top and height of price, busy GPUs and waiting jobs
HEIGHT = 464
DAY = 86400


def read_timeline(folder):
    with open(folder / "timeline.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    return [row for row in rows if row["site"] == rows[0]["site"]]


def number(value):
    return f"{value:.1f}".rstrip("0").rstrip(".")


class Strip:
    """One band of the figure, from `low` to `high` over [0, end] seconds."""

    def __init__(self, place, low, high, end):
        self.top, self.height = place
        self.low, self.high, self.end = low, high, end

    def x(self, seconds):
        return LEFT + (WIDTH - LEFT - RIGHT) * seconds / self.end

    def y(self, value):
        return self.top + self.height * (1 - (value - self.low) / (self.high - self.low))

    def frame(self, title, ticks):
        out = [text(LEFT, self.top - 10, title, weight="600")]
        for tick in ticks:
            y = number(self.y(tick))
            out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}" stroke="{FAINT}"/>')
            out.append(text(LEFT - 8, self.y(tick) + 4, f"{tick:,}".replace(",", " "), anchor="end"))
        return out

    def steps(self, points, colour, width=1.6):
        """A line that holds each value until the next."""
        path, last = [], None
        for seconds, value in points:
            if value == last:
                continue
            x, y = number(self.x(seconds)), number(self.y(value))
            path.append(f"M{x} {y}" if last is None else f"H{x}V{y}")
            last = value
        path.append(f"H{number(self.x(points[-1][0]))}")
        return f'<path d="{"".join(path)}" fill="none" stroke="{colour}" stroke-width="{width}"/>'


def text(x, y, words, anchor="start", colour=INK, weight="400"):
    return (f'<text x="{number(x)}" y="{number(y)}" text-anchor="{anchor}" fill="{colour}" '
            f'font-weight="{weight}">{words}</text>')


def column(rows, name, scale=1.0):
    return [(float(row["time_s"]), float(row[name]) * scale) for row in rows]


def round_up(value, step):
    return int(-(-value // step) * step)


def folder_of(run):
    return "-".join([run["policy"], *(f"{name}={value}" for name, value in run["options"].items())])


def legend(runs):
    """What each colour is, with the two figures that differ most."""
    out, x = [], WIDTH - RIGHT
    for run, colour in reversed(list(zip(runs, COLOURS))):
        words = f'{run["policy"]}: mean completion {run["jct_mean_s"] / 3600:.1f} h'
        out.append(text(x, 24, words, "end", colour, "600"))
        x -= 8.4 * len(words)
    return out


def axis(strip, origin):
    """Days under the lowest strip, at midnight UTC."""
    out, y = [], strip.top + strip.height
    first = -origin.timestamp() % DAY
    for i in range(int((strip.end - first) // DAY) + 1):
        x = strip.x(first + i * DAY)
        day = origin + datetime.timedelta(seconds=first + i * DAY)
        out.append(f'<line x1="{number(x)}" x2="{number(x)}" y1="{STRIPS[0][0]}" y2="{y + 5}" '
                   f'stroke="{FAINT}" stroke-dasharray="2 3"/>')
        out.append(text(x, y + 20, f"{day.day} {day:%B}", "middle" if x > LEFT + 20 else "start"))
    return out


def draw(base, names):
    summary = json.loads((base / "summary.json").read_text())
    by_folder = {folder_of(run): run for run in summary["runs"]}
    runs = [by_folder[name] for name in names]
    timelines = [read_timeline(base / name) for name in names]
    end = max(float(rows[-1]["time_s"]) for rows in timelines)
    origin = datetime.datetime.fromisoformat(runs[0]["time_origin"].replace("Z", "+00:00"))
    longest = max(timelines, key=lambda rows: float(rows[-1]["time_s"]))
    price = column(longest, "price", 1000)
    gpus = runs[0]["sites"][0]["gpus"]
    most = round_up(max(value for rows in timelines for _, value in column(rows, "queued_jobs")), 500)
    dearest = round_up(max(value for _, value in price), 250)

    strips = [Strip(STRIPS[0], min(0, min(v for _, v in price)), dearest, end),
              Strip(STRIPS[1], 0, gpus, end), Strip(STRIPS[2], 0, most, end)]
    out = [text(LEFT, 24, f'{runs[0]["jobs_finished"]:,} jobs, {gpus} GPUs'.replace(",", " ", 1), weight="600")]
    out += legend(runs)
    out += axis(strips[2], origin)
    out += strips[0].frame(f'Price, {summary["currency"]}/MWh', range(0, dearest + 1, 250))
    out += strips[1].frame("Busy GPUs", [0, gpus // 2, gpus])
    out += strips[2].frame("Waiting jobs", range(0, most + 1, 500))
    out.append(strips[0].steps(price, INK, 1.2))
    for strip, name in [(strips[1], "busy_gpus"), (strips[2], "queued_jobs")]:
        out += [strip.steps(column(rows, name), colour) for rows, colour in zip(timelines, COLOURS)]
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
            f'height="{HEIGHT}" font-family="Helvetica, Arial, sans-serif" font-size="13">\n'
            f'<rect width="{WIDTH}" height="{HEIGHT}" rx="6" fill="{PAPER}"/>\n' + "\n".join(out) + "\n</svg>")


def main():
    if len(sys.argv) not in (2, 4):
        sys.exit(__doc__)
    print(draw(pathlib.Path(sys.argv[1]), sys.argv[2:] or ["fifo", "las"]))


main()
