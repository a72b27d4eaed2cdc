"""kubature.vegas runs what the documentation of the package vegas shows, with results that agree."""

import dataclasses
import importlib.util
import io
import math
import os
import pickle
import tempfile
import unittest

import numpy as np

from kubature import vegas

peers = {}
if importlib.util.find_spec("vegas"):
    import vegas as peer

    peers["vegas"] = peer
WITHOUT = "vegas is not installed: scripts/python-peers"
gvar = importlib.util.find_spec("gvar")
UNIT = 4 * [[0, 1]]
#: (integral of exp(-200 (x - 1/2)^2))^4 over the unit cube, and the mean and mean square of x there.
NORM, MEAN, SQUARE = (math.sqrt(math.pi / 200) * math.erf(math.sqrt(50))) ** 4, 0.5, 0.25 + 1 / 400


def ridge(x):
    """The tutorial's first integrand: a peak in the middle of the diagonal, whose integral is 1."""
    dx2 = 0
    for d in range(4):
        dx2 += (x[d] - 0.5) ** 2
    return math.exp(-dx2 * 100.0) * 1013.2118364296088


@vegas.lbatchintegrand
def moments(x):
    f = np.exp(-200 * np.sum((x - 0.5) ** 2, axis=1))
    return {"1": f, "x": f * x[:, 0], "x**2": f * x[:, 0] ** 2}


class Documentation(unittest.TestCase):
    def near(self, number, truth):
        self.assertLess(abs(number.mean - truth), 5 * number.sdev)

    def test_basic_integrals(self):
        integ = vegas.Integrator([[-1, 1], [0, 1], [0, 1], [0, 1]], seed=2)
        self.near(integ(ridge, nitn=10, neval=1000), 1)
        result = integ(ridge, nitn=10, neval=1000)
        self.near(result, 1)
        lines = result.summary().splitlines()
        self.assertEqual(lines[0], "itn   integral        wgt average     chi2/dof        Q")
        self.assertEqual((lines[1], len(lines)), (55 * "-", 12))
        self.assertRegex(lines[2], r"^  1   \S+ +\S+ +0\.00     1\.00$")
        self.assertEqual({len(line) for line in lines[2:]}, {55})
        self.assertEqual(lines[11].split()[2], str(result))
        self.assertRegex("%s    Q = %.2f" % (result, result.Q), r"^\d\.\d+\(\d\d\)    Q = [01]\.\d\d$")
        self.assertEqual((result.dof, result.nitn, len(result.itn_results)), (9, 10, 10))
        self.assertAlmostEqual(result.Q, result.result.q_value)
        self.assertLess(abs(result.sum_neval - 10000), 200)
        self.assertAlmostEqual(result.avg_neval * 10, result.sum_neval)
        self.assertTrue(result.converged(0.1, 0) and not result.converged(0, 1e-9))

    def test_training_and_freezing(self):
        integ = vegas.Integrator(UNIT, seed=1)
        untrained = integ(moments, nitn=1, neval=2000)
        integ(moments, nitn=10, neval=2000)
        trained = integ(moments, nitn=1, neval=2000)
        self.assertLess(trained["1"].sdev, 0.2 * untrained["1"].sdev)
        before = integ.map.extract_grid()
        frozen = integ(moments, nitn=5, neval=2000, adapt=False)
        self.near(frozen["1"], NORM)
        np.testing.assert_allclose(before, integ.map.extract_grid(), rtol=0, atol=1e-12)
        self.assertTrue(integ.adapt)  # of that call alone
        self.assertLess(integ(moments, nitn=20, neval=2000, alpha=0.1)["1"].sdev, frozen["1"].sdev)

    def test_several_integrals(self):
        integ = vegas.Integrator(UNIT, seed=4)
        integ(moments, nitn=10, neval=2000)
        result = integ(moments, nitn=10, neval=10000)
        self.near(result["1"], NORM)
        self.assertEqual(list(result), ["1", "x", "x**2"])
        self.assertEqual(result.dof, 27)
        self.assertGreater(result.Q, 1e-3)
        told = result.result
        for ratio, truth in ((told.ratio("x", "1"), MEAN), (told.ratio("x**2", "1"), SQUARE)):
            self.assertLess(abs(ratio.value - truth), 5 * ratio.error)
            self.assertLess(ratio.error / ratio.value, 0.5 * result["1"].sdev / NORM)  # correlated

        @vegas.rbatchintegrand
        def to_the_right(x):
            f = np.exp(-200 * np.sum((x - 0.5) ** 2, axis=0))
            return [f, f * x[0]]

        def one_by_one(x):
            f = math.exp(-200 * sum((x - 0.5) ** 2))
            return [f, f * x[0]]

        for f, neval in ((to_the_right, 10000), (one_by_one, 1000)):
            result = integ(f, nitn=5, neval=neval)
            self.assertEqual(result.shape, (2,))
            self.near(result[0], NORM)
            self.assertEqual(result.mean.shape, (2,))

    @unittest.skipUnless(gvar, "gvar is not installed: scripts/python-peers")
    def test_results_are_variables_of_gvar(self):
        import gvar

        result = vegas.Integrator(UNIT, seed=4)(moments, nitn=20, neval=5000)
        mean = result["x"] / result["1"]
        variance = result["x**2"] / result["1"] - mean**2
        self.near(mean, MEAN)
        self.near(variance, 1 / 400)
        self.assertGreater(gvar.evalcorr([result["1"], result["x"]])[0, 1], 0.9)
        self.assertIn("x**2", result.summary(extended=True))
        one = vegas.Integrator([[0, 1]], seed=1)(lambda x: x[0])
        self.assertIsInstance(one, gvar.GVar)
        self.near(gvar.sqrt(one) * 2, math.sqrt(2))
        self.assertEqual(str(one), gvar.gvar(one.mean, one.sdev).fmt())

    def test_no_arithmetic_raises(self):
        numbers = (math.nan, math.inf, 0.0, 5e-324, 1e-200, 1.0, 1e200, 1.7e308)
        of = vegas.Integrator([[0, 1]], seed=1)("x", nitn=3, neval=1000).result
        for value in numbers:
            for error in numbers:
                made = vegas.RAvg(dataclasses.replace(of, value=value, error=error, values=(value,), errors=(error,)))
                made.var, made.Q, made.itn_results, made.converged(1e-3, 1e-300)
                self.assertLess(len(str(made)) + len(made.summary()), 1000)

    def test_regions_of_any_shape(self):
        integ = vegas.Integrator(dict(r=(0, 1), angles=[(0, np.pi), (0, 2 * np.pi)]), seed=1)
        self.near(integ(lambda x: x["r"] ** 2 * np.sin(x["angles"][0]), neval=2000), 4 * np.pi / 3)

        @vegas.lbatchintegrand
        def ball(x):
            return x["r"] ** 2 * np.sin(x["angles"][:, 0])

        self.near(integ(ball, neval=2000), 4 * np.pi / 3)

        @vegas.rbatchintegrand
        def right(x):
            return x["r"] ** 2 * np.sin(x["angles"][0, :])

        self.near(integ(right, neval=2000), 4 * np.pi / 3)
        nested = vegas.Integrator([[[0, 1], [0, 2]], [[0, 1], [0, 1]]], seed=1)
        self.near(nested(lambda x: x[0, 1] * x[1, 0], neval=2000), 1)

    def test_classes_as_integrands(self):
        class f(vegas.LBatchIntegrand):
            def __init__(self, dim):
                self.norm = 1 / dim

            def __call__(self, x):
                return self.norm * np.sum(x, axis=1)

        class g(vegas.RBatchIntegrand):
            def __call__(self, x):
                return np.sum(x, axis=0)

        integ = vegas.Integrator(UNIT, seed=1)
        self.near(integ(f(4)), 0.5)
        self.near(integ(g()), 2)
        self.near(integ(vegas.LBatchIntegrand(lambda x: x[:, 0])), 0.5)
        self.near(integ(vegas.batchintegrand(lambda x: x[:, 0])), 0.5)
        self.near(integ("x1*x2 + 0*x4"), 0.25)

    def test_tolerances_end_a_call(self):
        integ = vegas.Integrator(UNIT, seed=1)
        integ(moments, nitn=10, neval=5000)
        one = vegas.lbatchintegrand(lambda x: moments(x)["1"])
        result = integ(one, nitn=50, neval=5000, rtol=2e-3)
        self.assertLess(result.nitn, 20)
        self.assertLess(result.sdev, 2e-3 * NORM)
        self.assertEqual(integ(one, nitn=50, neval=5000, atol=1).nitn, 1)
        several = integ(moments, nitn=50, neval=5000, rtol=2e-3)
        self.assertLess(several.nitn, 20)
        self.assertTrue(several.converged(2.01e-3, 0))

    def test_results_and_integrators_are_kept(self):
        with tempfile.TemporaryDirectory() as folder:
            results, everything = os.path.join(folder, "results.pkl"), os.path.join(folder, "all.pkl")
            integ = vegas.Integrator(UNIT, seed=1)
            integ(moments, nitn=10, neval=2000)
            result = integ(moments, nitn=5, neval=2000, save=results, saveall=everything)
            with open(results, "rb") as file:
                self.assertEqual(pickle.load(file).summary(), result.summary())
            with open(everything, "rb") as file:
                same, again = pickle.load(file)
        self.assertEqual(same["x"].sdev, result["x"].sdev)
        goes_on = again(moments, nitn=1, neval=2000)
        self.near(goes_on["1"], NORM)
        self.assertLess(goes_on["1"].sdev, 3e-6)  # 3e-5 untrained
        out = io.BytesIO()
        scalar = integ("x1*x4", save=out)
        self.assertEqual(pickle.loads(out.getvalue()).mean, scalar.mean)
        array = integ(vegas.lbatchintegrand(lambda x: x))
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(array)).mean, array.mean)

    def test_maps(self):
        m = vegas.AdaptiveMap([[0, 0.1, 1], [-1, 0, 1]])
        np.testing.assert_allclose(m([[0.25, 0.25], [0.75, 0.5]]), [[0.05, -0.5], [0.55, 0]])
        np.testing.assert_allclose(m.jac1d([0.25, 0.25]), [0.2, 2])
        np.testing.assert_allclose(m.jac([[0.25, 0.25], [0.75, 0.5]]), [0.4, 3.6])
        self.assertEqual((m.dim, list(m.ninc), m.region(1), m.region()), (2, [2, 2], (-1, 1), [(0, 1), (-1, 1)]))
        y, jac = np.random.default_rng(1).random((50, 2)), np.empty(50)
        back, x = np.empty_like(y), np.empty_like(y)
        m.map(y, x, jac)
        np.testing.assert_allclose(jac, m.jac(y))
        m.invmap(x, back, jac)
        np.testing.assert_allclose(back, y, atol=1e-14)
        fine = vegas.AdaptiveMap(m, ninc=[4, 8])
        np.testing.assert_allclose(fine(y), m(y), atol=1e-14)
        fine.make_uniform(2)
        self.assertEqual(fine.extract_grid(), [[0, 0.5, 1], [-1, 0, 1]])
        integ = vegas.Integrator(m, seed=1)
        self.near(integ(lambda x: x[0] * (1 + x[1])), 1)
        self.near(vegas.Integrator(integ, seed=2)(lambda x: x[0]), 1)
        for bad in ([], [[0, 0]], [[1, 0]], [[0, math.nan]], [0, 1], [[0]]):
            with self.assertRaises(ValueError):
                vegas.AdaptiveMap(bad)

    def test_maps_are_trained_by_hand(self):
        """As in the documentation: a map for a peak, from random samples of it."""
        m = vegas.AdaptiveMap([[0, 1], [-1, 1]], ninc=100)
        x = np.random.default_rng(1).random((5000, 2)) * [1, 2] - [0, 1]
        peak = lambda x: np.exp(-50 * np.sum((x - [0.3, 0.2]) ** 2, axis=1))  # noqa: E731
        m.adapt_to_samples(x, peak, nitn=5)
        y = np.random.default_rng(2).random((20000, 2))
        weighted, flat = m.jac(y) * peak(m(y)), 2 * peak(y * [1, 2] - [0, 1])
        self.assertAlmostEqual(weighted.mean() / flat.mean(), 1, delta=0.1)
        self.assertLess(weighted.std(), 0.3 * flat.std())
        again = vegas.AdaptiveMap(m)
        again.adapt_to_samples(x, peak(x), nitn=1)
        self.assertLess(np.max(np.abs(np.array(again.grid) - np.array(m.grid))), 0.05)
        again.add_training_data(y, np.zeros(len(y)))
        again.adapt(alpha=1.5)  # nothing learned
        again.adapt(ninc=7)
        self.assertEqual(list(again.ninc), [7, 7])
        self.assertEqual(again.region(), [(0, 1), (-1, 1)])
        one = lambda x: peak(x[None])[0]  # noqa: E731
        trained = vegas.Integrator(m, seed=1)(one, nitn=1, neval=1000)
        self.assertLess(trained.sdev, 0.3 * vegas.Integrator(m.region(), seed=1)(one, nitn=1, neval=1000).sdev)

    def test_samples_of_a_map(self):
        integ = vegas.Integrator(UNIT, seed=1)
        integ(moments, nitn=10, neval=5000)
        np.random.seed(1)
        wgt, x = integ.sample(20000, mode="lbatch")
        self.assertAlmostEqual(np.sum(wgt * moments(x)["1"]) / NORM, 1, delta=0.05)
        self.assertAlmostEqual(sum(w * moments(x[None])["1"][0] for x, w in integ.random()) / NORM, 1, delta=0.1)
        self.assertEqual(integ.sample(10)[1].shape, (4, 10))

    def test_parameters(self):
        integ = vegas.Integrator(UNIT, nitn=3, neval=500, nproc=4, seed=1)
        old = integ.set(nitn=5)
        self.assertEqual((old, integ.nitn, integ.neval, integ.alpha, integ.dim), ({"nitn": 3}, 5, 500, 0.5, 4))
        integ.set(old)
        self.assertEqual(integ("x1+x4").nitn, 3)
        text = integ.settings(ngrid=3)
        self.assertIn("    500 (approx) integrand evaluations in each of 3 iterations\n", text)
        self.assertEqual(text.count("grid["), 4)
        with self.assertRaisesRegex(ValueError, "uses_jac = True"):
            integ.set(uses_jac=True)
        for wrong in (dict(nitm=3), dict(bins=4)):
            with self.assertRaises(AttributeError):
                integ.set(**wrong)
        for wrong in (dict(neval=1), dict(alpha=-1), dict(nitn=-1)):
            with self.assertRaises(ValueError):
                integ("x1+x4", **wrong)
        for region in ([], [1, 2], [[0, 1, 2]], {}, [[1, 0]], {"a": 3}):
            with self.assertRaises(ValueError):
                vegas.Integrator(region)("x")
        with self.assertRaises(ValueError):
            integ(lambda x: math.nan)
        with self.assertRaises(TypeError):
            integ(3)
        with self.assertRaises(ZeroDivisionError):
            integ(lambda x: 1 / 0)

    def test_seeds(self):
        same = [vegas.Integrator(UNIT, seed=1)(moments)["1"].mean for _ in range(2)]
        self.assertEqual(*same)
        np.random.seed(5)
        other = [vegas.Integrator(UNIT)(moments)["1"].mean for _ in range(2)]
        np.random.seed(5)
        self.assertNotEqual(*other)
        self.assertEqual(vegas.Integrator(UNIT)(moments)["1"].mean, other[0])


@unittest.skipUnless(peers, WITHOUT)
class BesideVegas(unittest.TestCase):
    def both(self, region, f, **parameters):
        """The result of the second call by each, trained by the first; f is marked for both."""
        results = []
        for package in (vegas, peers["vegas"]):
            integ = package.Integrator(region)
            integ(f, nitn=10, neval=2000)
            results.append(integ(f, **parameters))
        return results

    def test_values_and_errors_agree(self):
        import gvar

        gvar.ranseed(3)  # of vegas
        np.random.seed(3)  # of kubature.vegas
        mine, other = self.both(UNIT, peers["vegas"].lbatchintegrand(moments), nitn=10, neval=10000)
        self.assertEqual(list(mine), list(other))
        for key in mine:
            self.assertLess(abs(mine[key].mean - other[key].mean), 5 * math.hypot(mine[key].sdev, other[key].sdev))
            self.assertLess(abs(math.log(mine[key].sdev / other[key].sdev)), math.log(1.6))
        self.assertEqual(mine.dof, other.dof)
        mine, other = self.both([[-1, 1], [0, 1], [0, 1], [0, 1]], ridge, nitn=10, neval=1000)
        self.assertLess(abs(mine.mean - other.mean), 5 * math.hypot(mine.sdev, other.sdev))
        self.assertLess(abs(math.log(mine.sdev / other.sdev)), math.log(2))

    def test_summaries_are_laid_out_alike(self):
        mine, other = self.both(UNIT, peers["vegas"].lbatchintegrand(moments), nitn=3, neval=1000)

        def layout(text):
            import re

            return re.sub(r"[\d.e+()-]+ *", lambda found: "n" * len(found.group()), text)

        self.assertEqual(layout(mine.summary()), layout(other.summary()))

    def test_maps_agree(self):
        grid = [[0, 0.1, 0.5, 1], [-1, 0.5, 2, 3]]
        mine, other = vegas.AdaptiveMap(grid), peers["vegas"].AdaptiveMap(grid)
        y = np.random.default_rng(1).random((20, 2))
        np.testing.assert_allclose(mine(y), other(y), rtol=1e-13)
        np.testing.assert_allclose(mine.jac(y), other.jac(y), rtol=1e-13)
        np.testing.assert_allclose(mine.jac1d(y), other.jac1d(y), rtol=1e-13)
        self.assertEqual(mine.settings(4), other.settings(4))
        self.assertEqual(mine.region(), other.region())
        x = 4 * np.random.default_rng(3).random((20000, 2)) - [0, 1]
        f = np.exp(-5 * np.sum(x**2, axis=1))
        mine, other = (package.AdaptiveMap([[0, 4], [-1, 3]], ninc=50) for package in (vegas, peers["vegas"]))
        for m in (mine, other):
            m.adapt_to_samples(x, f, nitn=10)
        y = np.linspace(0.05, 0.95, 19)[:, None].repeat(2, axis=1)
        np.testing.assert_allclose(mine(y), other(y), atol=0.05)  # whose map has 1000 intervals now


if __name__ == "__main__":
    unittest.main()
