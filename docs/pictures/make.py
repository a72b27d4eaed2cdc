#!/usr/bin/env python3
"""Draws the pictures of the documentation:

    scripts/run python3 docs/pictures/make.py

methods.svg, by the library: the regions into which PAGANI divides the unit square around a ring, and the grid that
VEGAS+ lays around a peak. domains.svg, by the library: points of a lattice in a triangle and in balls. error-time.svg, of perf/results and perf/peers: true error against time of PAGANI here and of
its authors' code."""
import math
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "perf"))
import ladder  # noqa: E402
from page_table import commit  # noqa: E402

INK, GREY, PALE, BLUE, ORANGE = "#222222", "#777777", "#dddddd", "#0072B2", "#D55E00"
# From light to dark, as regions get smaller.
LEVELS = ("#f1eef6", "#d4e3f0", "#a9cce3", "#74a9cf", "#4a90c0", "#2b7bb0", "#05609b", "#034e7b", "#02304d", "#011b2c")


class Picture:
    """An SVG that is put together line by line; y goes up within a panel."""

    def __init__(self, width, height):
        self.width, self.height, self.parts = width, height, []

    def add(self, part):
        self.parts.append(part)

    def line(self, x0, y0, x1, y1, colour, width=1.0):
        self.add(f'<path d="M{x0:.2f} {y0:.2f}L{x1:.2f} {y1:.2f}" stroke="{colour}" stroke-width="{width}" fill="none"/>')

    def text(self, x, y, words, anchor="middle", size=13, colour=INK, turned=False):
        turn = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if turned else ""
        self.add(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{colour}"{turn}>{words}</text>')

    def write(self, file, title):
        body = "\n".join(self.parts)
        file.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
                        f'font-family="Helvetica, Arial, sans-serif">\n<title>{title}</title>\n'
                        f'<rect width="{self.width}" height="{self.height}" fill="white"/>\n{body}\n</svg>\n')


# ---- the methods ---------------------------------------------------------------------------------------------

POINTS = 65  # of the rule of degree 13, which PAGANI takes in two variables


def regions_around_a_ring():
    """PAGANI's result, and all regions that it has evaluated, as (level, level, column, row): the rule's points, which come
    region beside region, tell where each is."""
    import kubature
    import numpy

    batches = []

    def ring(x):
        batches.append(numpy.array(x))
        return numpy.exp(-((numpy.hypot(x[:, 0] - 0.45, x[:, 1] - 0.5) - 0.33) / 0.012) ** 2)

    result = kubature.integrate(ring, [(0, 1)] * 2, method="pagani", relative=1e-6)
    blocks = []
    for batch in batches:
        if len(batch) % POINTS == 0:
            points = batch.reshape(POINTS, -1, 2)
            blocks.append((points.min(axis=0), points.max(axis=0)))
    # How far the points of a region reach, in units of its side, which is a power of two: 0.998.
    across = float((blocks[0][1] - blocks[0][0]).max())
    reach = across / 2.0 ** math.ceil(math.log2(across))
    regions = set()
    for low, high in blocks:
        size, middle = (high - low) / reach, (high + low) / 2
        level = -numpy.log2(size)
        column = (middle - size / 2) / size
        whole = numpy.isclose(level, numpy.round(level), atol=1e-6) & numpy.isclose(column, numpy.round(column), atol=1e-4)
        for k in range(len(size)):
            if whole[k].all(): # else these points are a second opinion's
                regions.add((*map(int, numpy.round(level[k])), *map(int, numpy.round(column[k]))))
    return result, regions


def leaves(regions):
    """Those that were not bisected any more."""
    halved = set()
    for i, j, column, row in regions:
        for parent in ((i - 1, j, column // 2, row), (i, j - 1, column, row // 2)):
            halved.add(parent)
    return regions - halved


def draw_methods(file):
    import kubature
    picture, side, top = Picture(860, 470), 380, 50

    result, regions = regions_around_a_ring()
    ends = sorted(leaves(regions))
    area = sum(2.0 ** -(i + j) for i, j, _, _ in ends)
    if abs(area - 1) > 1e-9:
        sys.exit(f"the regions found fill {area} of the square")
    left = 30
    picture.text(left + side / 2, 24, "PAGANI around a ring", size=16)
    picture.text(left + side / 2, 42, f"{len(ends)} regions, {result.evaluations} evaluations, to 1e-6", size=11, colour=GREY)
    for i, j, column, row in ends:
        width, height = side / 2**i, side / 2**j
        shade = LEVELS[min(max(i + j - 4, 0) // 2 + (i + j) % 2, len(LEVELS) - 1)]
        picture.add(f'<rect x="{left + column * width:.3f}" y="{top + side - (row + 1) * height:.3f}" width="{width:.3f}" '
                    f'height="{height:.3f}" fill="{shade}" stroke="#05609b" stroke-width="0.35"/>')

    left = 450
    x0, y0, wide, narrow = 0.32, 0.62, 0.16, 0.06
    peak = f"exp(-((x-{x0})/{wide})^2 - ((y-{y0})/{narrow})^2)"
    vegas = kubature.Integrator([(0, 1)] * 2, method="vegas+", evaluations=200_000, bins=40)
    result = vegas(peak, relative=1e-4)
    picture.text(left + side / 2, 24, "The map of VEGAS+ around a peak", size=16)
    picture.text(left + side / 2, 42, f"40 bins an axis, {len(result.iterations)} iterations, to 1e-4", size=11, colour=GREY)
    across, up = vegas.map()
    for edge in across:
        picture.line(left + edge * side, top, left + edge * side, top + side, BLUE, 0.7)
    for edge in up:
        picture.line(left, top + (1 - edge) * side, left + side, top + (1 - edge) * side, BLUE, 0.7)
    for part in (1.8, 1.2, 0.6):
        picture.add(f'<ellipse cx="{left + x0 * side:.1f}" cy="{top + (1 - y0) * side:.1f}" rx="{part * wide * side:.1f}" '
                    f'ry="{part * narrow * side:.1f}" fill="{ORANGE}" fill-opacity="0.25" stroke="{ORANGE}" stroke-width="1"/>')
    picture.text(430, 456, "by the library itself: docs/pictures/make.py", size=11, colour=GREY)
    picture.write(file, "Regions of PAGANI around a ring, and the map of VEGAS+ around a peak")


# ---- domains -------------------------------------------------------------------------------------------------

def points_in(variables, box=None, domain=None, count=1024):
    """Those of the first shift of a lattice, in the coordinates of the domain."""
    import kubature
    import numpy

    batches = []

    def record(x):
        batches.append(numpy.array(x))
        return numpy.ones(len(x))

    shifts = 2
    kubature.integrate(record, box, domain=domain, method="qmc", components=1, evaluations=shifts * count, shifts=shifts,
                       trained_map="none", transform="none")
    points = numpy.concatenate(batches)
    if points.shape[1] != variables or len(points) < count:
        sys.exit(f"{box or domain}: points of shape {points.shape}")
    return points[:count]


def draw_domains(file):
    picture, side, top = Picture(860, 330), 250, 50
    middle = top + side / 2

    def panel(number, title, text):
        left = 25 + number * 280
        picture.text(left + side / 2, 24, title, size=16)
        picture.text(left + side / 2, 42, text, size=11, colour=GREY)
        return left

    def dots(places, radius, colour):
        path = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in places)
        picture.add(f'<path d="{path}" stroke="{colour}" stroke-width="{2 * radius:.1f}" stroke-linecap="round"/>')

    left = panel(0, "A triangle", "x=0:1,y=0:x")
    dots([(left + x * side, top + (1 - y) * side) for x, y in points_in(2, box={"x": (0, 1), "y": (0, "x")})], 1.3, BLUE)
    picture.add(f'<path d="M{left} {top + side}h{side}v{-side}z" stroke="{INK}" stroke-width="0.8" fill="none"/>')

    left = panel(1, "A disc", "ball 0,0 1")
    dots([(left + (1 + x) * side / 2, top + (1 - y) * side / 2) for x, y in points_in(2, domain="ball 0,0 1")], 1.3, BLUE)
    picture.add(f'<circle cx="{left + side / 2}" cy="{middle}" r="{side / 2}" stroke="{INK}" stroke-width="0.8" fill="none"/>')

    left = panel(2, "A ball", "ball 0,0,0 1, seen from the side; nearer points are larger")
    points, layers = points_in(3, domain="ball 0,0,0 1"), 7
    for layer in range(layers): # from the farthest to the nearest
        here = [(x, y) for x, y, z in points if min(int((1 + z) / 2 * layers), layers - 1) == layer]
        dots([(left + (1 + x) * side / 2, top + (1 - y) * side / 2) for x, y in here], 0.9 + 0.15 * layer, LEVELS[2 + layer])
    picture.add(f'<circle cx="{left + side / 2}" cy="{middle}" r="{side / 2}" stroke="{INK}" stroke-width="0.8" fill="none"/>')
    picture.text(430, 322, "1024 points of a lattice each, by the library itself: docs/pictures/make.py", size=11, colour=GREY)
    picture.write(file, "Points of a lattice in a triangle, a disc and a ball")


# ---- error against time ----------------------------------------------------------------------------------------

def draw_error_time(file):
    name, record = ladder.newest(HERE.parents[1] / "perf/results/h200")
    rungs = ladder.Ladder(record)
    shown = ("f4-5d", "f5-8d", "f6")
    names = {"f4-5d": "f4, a peak, 5-D", "f5-8d": "f5, a kink, 8-D", "f6": "f6, a jump, 6-D"}
    picture = Picture(860, 350)
    width, height, top = 232, 210, 60
    picture.text(430, 24, f"PAGANI: true relative error against time, {record['backends'][0]['device']}", size=16)
    low_time, high_time, low_error, high_error = -1, 4, -13, -3  # powers of ten
    for panel, integrand in enumerate(shown):
        left = 70 + panel * (width + 28)

        def place(milliseconds, error):
            x = (math.log10(milliseconds) - low_time) / (high_time - low_time)
            y = (math.log10(max(error, 10.0**low_error)) - low_error) / (high_error - low_error)
            return left + x * width, top + (1 - y) * height

        picture.text(left + width / 2, top - 10, names[integrand])
        for power in range(low_time, high_time + 1):
            x = place(10.0**power, 1e-3)[0]
            picture.line(x, top, x, top + height, PALE, 0.8)
            label = {-1: "0.1", 0: "1", 1: "10", 2: "100", 3: "1000", 4: ""}[power]
            picture.text(x, top + height + 16, label, size=11, colour=GREY)
        for power in range(low_error, high_error + 1, 2):
            y = place(1, 10.0**power)[1]
            picture.line(left, y, left + width, y, PALE, 0.8)
            if panel == 0:
                picture.text(left - 6, y + 4, f"1e{power}", anchor="end", size=11, colour=GREY)
        for method, colour in ((ladder.PUBLISHED, ORANGE), (ladder.PAGANI, BLUE)):
            done = [rung for _, rung in sorted(rungs[integrand, method].items()) if rung.converged]
            places = [place(rung.milliseconds, rung.truth) for rung in done]
            path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
            picture.add(f'<path d="{path}" stroke="{colour}" stroke-width="1.6" fill="none"/>')
            for x, y in places:
                picture.add(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>')
    picture.text(20, top + height / 2, "true relative error", size=12, turned=True)
    picture.text(430, top + height + 36, "milliseconds of a whole call, a point for each tolerance from 1e-3 down by fives that converged", size=12)
    picture.text(852, 345, f"{name}.json, {commit(record)}", anchor="end", size=11, colour=GREY)
    for x, colour, words in ((300, BLUE, "kubature"), (420, ORANGE, "its authors' code (CUDA)")):
        picture.add(f'<circle cx="{x}" cy="{top + height + 58}" r="4" fill="{colour}"/>')
        picture.text(x + 10, top + height + 62, words, anchor="start", size=12)
    picture.write(file, "True error against time of PAGANI here and of its authors' code")


if __name__ == "__main__":
    draw_error_time(HERE / "error-time.svg")
    draw_methods(HERE / "methods.svg")
    draw_domains(HERE / "domains.svg")
