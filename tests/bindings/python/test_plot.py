"""kubature.plot. What is drawn is tested where matplotlib is installed, regions everywhere; --pictures FOLDER keeps what the
tests draw, to be looked at."""

import contextlib
import dataclasses
import importlib.util
import io
import math
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import kubature
from kubature import _kubature, _plot_command, _recorded, plot

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
            levels, recorded = _recorded.regions(f, [tuple(map(float, side)) for side in BOX], **options)
            result = kubature.integrate(f, BOX, method="pagani", close_look=False, **options)
            self.assertEqual(len(levels), len(result.iterations))
            self.assertEqual(recorded.value, result.value)
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
        above, errors, below = figure.axes
        self.assertEqual([text.get_text() for text in above.get_legend().get_texts()].count("left out"), 1)
        line = next(line for line in above.lines if line.get_label() == "so far")
        self.assertEqual(list(line.get_xdata()), list(range(6, 16)))
        self.assertEqual(line.get_ydata()[-1], result.value)
        self.assertEqual(len(below.lines[1].get_xdata()), 9)
        self.keep(figure, "convergence")
        self.assertEqual(errors.get_yscale(), "log")
        drawn = next(line for line in errors.lines if line.get_label() == "error")
        self.assertEqual(drawn.get_ydata()[-1], result.error)
        with self.assertRaisesRegex(ValueError, "no iterations"):
            plot.convergence(dataclasses.replace(result, iterations=(), averages=()))

    def labels(self, axes):
        return [text.get_text() for text in axes.get_legend().get_texts()]

    def test_convergence_to_a_tolerance(self):
        peaks = "exp(-200*((x-.3)^2+(y-1.4)^2)) + exp(-200*((x-.7)^2+(y-.7)^2))"
        figure = plot.convergence(peaks, BOX, method="pagani", relative=1e-9, truth=math.pi / 100)
        (errors,) = figure.axes
        self.assertEqual(self.labels(errors), ["error", "tolerance", "distance from exact"])
        line = next(line for line in errors.lines if line.get_label() == "tolerance")
        self.assertAlmostEqual(line.get_ydata()[0] / (1e-9 * math.pi / 100), 1, delta=1e-6)
        self.assertGreater(max(errors.lines[0].get_ydata()) / min(errors.lines[0].get_ydata()), 1e3)
        self.keep(figure, "convergence-pagani")
        for method in ("vegas+", "qmc", "mc"):
            self.keep(plot.convergence(peaks, BOX, method=method, relative=3e-3, seed=1), f"convergence-{method}")
        single = plot.convergence("x*y", BOX, method="pagani", relative=1e-3)
        self.assertEqual(single.axes[0].get_xlim(), (0.5, 1.5))
        self.assertEqual(list(single.axes[0].get_xticks()), [1])
        self.keep(single, "convergence-single")

    def test_convergence_of_several_components(self):
        moments = lambda x: {"norm": two_peaks(x), "mean": x * two_peaks(x)[:, None]}  # noqa: E731
        for method, options in (("vegas+", dict(evaluations=5000, relative=3e-3)), ("pagani", dict(relative=1e-8)), ("qmc", dict(relative=1e-6))):
            figure = plot.convergence(moments, BOX, method=method, seed=1, **options) if method != "pagani" else \
                plot.convergence(moments, BOX, method=method, **options)
            errors = next(axes for axes in figure.axes if axes.get_yscale() == "log")
            self.assertEqual(self.labels(errors), ["norm: error", "mean 1: error", "mean 2: error", "tolerances"])
            self.keep(figure, f"convergence-several-{method}")
        figure = plot.convergence("exp(i*3*x)", [(0, 1)], complex=True, method="mc", evaluations=1000, seed=1)
        self.assertEqual(self.labels(figure.axes[1]), ["real: error", "imaginary: error"])
        figure = plot.convergence("x;y", BOX, method="mc", evaluations=1000, seed=1)
        self.assertEqual(self.labels(figure.axes[1]), ["component 1: error", "component 2: error"])
        self.assertEqual(figure.axes[0].get_ylabel(), "component 1")

    def test_formulas_are_drawn_as_functions_are(self):
        formula = "exp(-a*((x-.3)^2+(y-1.4)^2)); let r = (x-.7)^2+(y-.7)^2; exp(-a*r)"
        for component, (p, q) in enumerate(((0.3, 1.4), (0.7, 0.7))):
            of_formula = plot.regions(formula, BOX, component, relative=1e-3, a=200)
            of_points = plot.regions(lambda x, y: math.exp(-200 * ((x - p) ** 2 + (y - q) ** 2)), BOX, relative=1e-3)
            counts = [[len(each.get_paths()) for each in figure.axes[0].collections] for figure in (of_formula, of_points)]
            self.assertEqual(*counts)
            shaded = [figure.axes[0].images[0].get_array() for figure in (of_formula, of_points)]
            np.testing.assert_allclose(*shaded, atol=1e-12)
            self.keep(of_formula, f"regions-component-{component + 1}")
            self.keep(of_points, "regions-points")
        figure = plot.map("exp(-a*((x-.3)^2+(y-1.4)^2))", BOX, a=200, evaluations=1e4, seed=1)
        self.assertIn("map of vegas+: 0.0157", figure.axes[0].get_title())
        self.keep(figure, "map-formula")
        named = plot.regions("1/(0.01+(p-q)^2)", {"p": (0, 3), "q": (0, 1)})
        self.assertEqual((named.axes[0].get_xlabel(), named.axes[0].get_ylabel()), ("p", "q"))
        self.assertEqual(named.axes[0].get_aspect(), 1)
        self.keep(named, "regions-named")
        plot.regions("t(x)*y", [(0, 1)] * 2, parameters={"t": kubature.Table([0, 1], [0, 1])}, relative=1e-3)
        wild = plot.regions("1/sqrt(abs(x-y))", [(0, 1)] * 2, relative=1e-2)
        self.keep(wild, "regions-pole")
        narrow = plot.map("exp(-200*(x-.3)^2)+y", [(0, 1), (0, 30)], evaluations=1e4)
        self.assertEqual(narrow.axes[0].get_aspect(), "auto")
        self.keep(narrow, "map-narrow")

    def test_points(self):
        for method in ("vegas+", "mc", "qmc", "pagani"):
            figure = plot.points(two_peaks, BOX, method=method)
            points = figure.axes[0].collections[-1].get_offsets()
            self.assertTrue(1000 < len(points) <= 3000, (method, len(points)))
            self.assertTrue(((points > 0) & (points < [1, 2])).all())
            near = (np.hypot(*(points - [0.3, 1.4]).T) < 0.2) | (np.hypot(*(points - [0.7, 0.7]).T) < 0.2)
            if method == "mc":
                self.assertAlmostEqual(near.mean(), math.pi * 0.04, delta=0.05)
            if method == "vegas+":
                self.assertGreater(near.mean(), 0.4)
            self.keep(figure, f"points-{method}")
        line = plot.points("exp(-50*(x-.3)^2)", [(0, 1)], method="pagani")
        self.assertEqual(line.axes[0].get_xlabel(), "x")
        self.keep(line, "points-line")
        self.keep(plot.points("x+2", kubature.Ball([0, 0], 1), number=1000), "points-ball")
        self.keep(plot.points("exp(-50*(x-y)^2)*z", [(0, 1)] * 3), "points-three")
        self.keep(plot.points(lambda x: x[:, 0], [(0, 1), (0, lambda x: x)]), "points-triangle")

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


class Command(unittest.TestCase):
    def run_it(self, *arguments, module="kubature.plot", **environment):
        return subprocess.run(
            [sys.executable, "-m", module, *arguments], capture_output=True, text=True, env={**os.environ, **environment}, check=False
        )

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is not installed: scripts/python-peers")
    def test_draws(self):
        with tempfile.TemporaryDirectory() as temporary:
            place = folder or temporary
            for name, arguments, module in (
                ("command-regions", ("exp(-50*((x-.3)^2+(y-.7)^2))",), "kubature.plot"),
                ("command-map", ("plot", "exp(-50*((x-.3)^2+(y-.7)^2))", "--kind", "map", "--box", "0:1,0:pi/2"), "kubature"),
                ("command-points", ("exp(-a*x)", "--parameter", "a=3", "--method", "pagani"), "kubature.plot"),
                ("command-convergence", ("x*y*z;x", "--relative", "1e-8", "--method", "qmc", "--max-evaluations", "1e5"), "kubature.plot"),
                ("command-named", ("p*q", "--box", "p=0:1,q=0:2", "--evaluations", "1e4"), "kubature.plot"),
            ):
                file = os.path.join(place, f"{name}.png")
                run = self.run_it(*arguments, "--output", file, module=module)
                self.assertEqual((run.returncode, run.stderr), (0, ""))
                with open(file, "rb") as written:
                    self.assertEqual(written.read(4), b"\x89PNG")
            for sentence, arguments in (
                ("expression = x[*]: column", ("x*",)),
                ("--box = 0-1: sides lower:upper", ("x", "--box", "0-1")),
                ("--box = q: must be a number", ("x", "--box", "0:q")),
                ("relative = much", ("x*y", "--relative", "much")),
                ("--method = qmc: regions are those of pagani", ("x*y", "--kind", "regions", "--method", "qmc")),
                ("needs two variables", ("x*y*z", "--kind", "map")),
            ):
                told = io.StringIO()
                with contextlib.redirect_stderr(told):
                    self.assertEqual(_plot_command.main([*arguments, "--output", os.path.join(temporary, "none.png")]), 2)
                self.assertRegex(told.getvalue(), f"^kubature: (?s:.*){sentence}")
                self.assertEqual(told.getvalue().count("\n"), 1)

    @unittest.skipIf(
        os.path.exists(os.path.join(os.path.dirname(kubature.__file__), "bin", "kubature")), "the package has its own program"
    )
    def test_passes_on_to_the_program(self):
        with tempfile.TemporaryDirectory() as temporary:
            run = self.run_it("integrate", "x", module="kubature", PATH=temporary)
            self.assertEqual(run.returncode, 2)
            self.assertIn("without the program", run.stderr)
            program = os.path.join(temporary, "kubature")
            with open(program, "w", encoding="utf-8") as file:
                file.write("#!/bin/sh\necho called $*; exit 3\n")
            os.chmod(program, 0o755)
            run = self.run_it("integrate", "x", "--json", module="kubature", PATH=f"{temporary}:{os.environ['PATH']}")
            self.assertEqual((run.returncode, run.stdout), (3, "called integrate x --json\n"))


if __name__ == "__main__":
    if "--pictures" in sys.argv:
        place = sys.argv.index("--pictures")
        folder = sys.argv[place + 1]
        os.makedirs(folder, exist_ok=True)
        del sys.argv[place : place + 2]
    unittest.main()
