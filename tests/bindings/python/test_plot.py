"""kubature.plot. What is drawn is tested where matplotlib is installed, regions everywhere; --pictures FOLDER keeps what the
tests draw, to be looked at."""

import dataclasses
import importlib.util
import math
import os
import sys
import tempfile
import unittest

import numpy as np

import kubature
from kubature import _kubature, plot

BOX = [(0, 1), (0, 2)]
folder = None


def two_peaks(x):
    return sum(np.exp(-200 * ((x[:, 0] - a) ** 2 + (x[:, 1] - b) ** 2)) for a, b in ((0.3, 1.4), (0.7, 0.7)))


def disc(x):
    return (x[:, 0] ** 2 + x[:, 1] ** 2 < 1) * 1.0


@unittest.skipUnless(_kubature.device() == 1, "regions can only be recorded in builds for hosts")
class Regions(unittest.TestCase):
    def test_fill_the_box_and_halve(self):
        for f, rule in ((two_peaks, "13"), (disc, "7")):
            options = dict(relative=1e-3, rule=rule)
            levels = plot.recorded(f, [tuple(map(float, side)) for side in BOX], **options)
            result = kubature.integrate(f, BOX, method="pagani", close_look=False, **options)
            self.assertEqual(len(levels), len(result.iterations))
            self.assertGreater(len(levels), 3)
            area = [sum(4 * w * h for _, (w, h) in level) for level in levels]
            self.assertAlmostEqual(area[0], 2, delta=1e-9)
            self.assertTrue(all(later <= 2 + 1e-9 for later in area))
            first = levels[0][0][1]
            for level in levels:
                for (x, y), half in level:
                    self.assertTrue(half[0] - 1e-9 < x < 1 - half[0] + 1e-9 and half[1] - 1e-9 < y < 2 - half[1] + 1e-9)
                    for size, whole in zip(half, first):
                        halvings = math.log2(whole / size)
                        self.assertAlmostEqual(halvings, round(halvings), delta=1e-6)

    def test_other_boxes_are_refused(self):
        for box in ([(0, 1)], [(0, 1)] * 3, [(0, 1), (0, math.inf)]):
            with self.assertRaisesRegex(ValueError, "needs two variables"):
                plot.regions(disc, box, relative=0.1)


@unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is not installed: scripts/python-peers")
class Pictures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        import matplotlib

        matplotlib.use("Agg")

    def keep(self, figure, name):
        from matplotlib import pyplot

        with tempfile.TemporaryDirectory() as temporary:
            for kind, start in (("png", b"\x89PNG"), ("svg", b"<?xml")):
                file = os.path.join(folder or temporary, f"{name}.{kind}")
                figure.savefig(file, dpi=80)
                with open(file, "rb") as written:
                    self.assertEqual(written.read(len(start)), start)
        pyplot.close(figure)

    def test_of_numbers_at_the_ends_of_the_range(self):
        from matplotlib import pyplot

        numbers = (math.nan, math.inf, 0.0, 5e-324, 1e200, 1.7e308)
        result = kubature.integrate("x", [(0, 1)], evaluations=1000, iterations=3)
        for value in numbers:
            for error in numbers:
                first, *others = result.iterations
                iterations = (first._replace(value=value, error=error), *others)
                averages = tuple(
                    kubature.Average(each.value, each.error, error, dof) for dof, each in enumerate(iterations)
                )
                figure = plot.convergence(dataclasses.replace(result, iterations=iterations, averages=averages))
                figure.canvas.draw()
                pyplot.close(figure)

    def test_convergence(self):
        result = kubature.integrate(two_peaks, BOX, evaluations=20000, iterations=15, seed=3)
        figure = plot.convergence(result, truth=2 * math.pi / 200)
        above, below = figure.axes
        self.assertEqual([text.get_text() for text in above.get_legend().get_texts()].count("left out"), 1)
        line = next(line for line in above.lines if line.get_label() == "so far")
        self.assertEqual(list(line.get_xdata()), list(range(6, 16)))
        self.assertEqual(line.get_ydata()[-1], result.value)
        self.assertEqual(len(below.lines[1].get_xdata()), 9)
        self.keep(figure, "convergence")
        several = kubature.integrate(lambda x: x, BOX, evaluations=2000, iterations=3, seed=1)
        self.keep(plot.convergence(several), "convergence-several")
        with self.assertRaisesRegex(ValueError, "no iterations"):
            plot.convergence(dataclasses.replace(result, iterations=(), averages=()))

    def test_maps(self):
        vegas = kubature.Integrator(BOX, evaluations=20000, iterations=10, seed=1)
        vegas(two_peaks)
        figure = plot.map(vegas, BOX, two_peaks, lines=30)
        vertical = [line for line in figure.axes[0].lines if line.get_xdata()[0] == line.get_xdata()[1]]
        self.assertEqual((len(vertical), len(figure.axes[0].lines)), (31, 62))
        self.keep(figure, "map")
        self.keep(plot.map(vegas.map(), BOX), "map-alone")
        with self.assertRaisesRegex(ValueError, "3 axes"):
            plot.map([[0, 1]] * 3, BOX)

    @unittest.skipUnless(_kubature.device() == 1, "regions can only be recorded in builds for hosts")
    def test_regions(self):
        figure = plot.regions(disc, BOX, relative=1e-3)
        self.assertGreater(len(figure.axes[0].collections), 5)
        self.keep(figure, "regions")
        self.keep(plot.regions(two_peaks, BOX, relative=1e-6), "regions-peaks")

    def test_precisions(self):
        peak = "1/(1e-4 + (x-.3)^2 + (y-1.4)^2)"
        mixed = kubature.integrate(peak, BOX, method="mixed", strategy="region", relative=1e-4, seed=1)
        self.assertAlmostEqual(sum(part.share for part in mixed.parts), 1)
        figure = plot.precisions(mixed, BOX, lambda x: np.log(1 / (1e-4 + (x[:, 0] - 0.3) ** 2 + (x[:, 1] - 1.4) ** 2)))
        drawn = sum(len(collection.get_paths()) for collection in figure.axes[0].collections)
        self.assertEqual(drawn, len(mixed.parts))
        self.keep(figure, "precisions")
        with self.assertRaisesRegex(ValueError, "not chosen by region"):
            plot.precisions(kubature.integrate(peak, BOX, evaluations=1000), BOX)


if __name__ == "__main__":
    if "--pictures" in sys.argv:
        place = sys.argv.index("--pictures")
        folder = sys.argv[place + 1]
        os.makedirs(folder, exist_ok=True)
        del sys.argv[place : place + 2]
    unittest.main()
