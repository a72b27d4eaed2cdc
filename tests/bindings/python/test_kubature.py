"""What the Python package promises; its docstrings are run, too."""

import ctypes
import dataclasses
import doctest
import gc
import importlib
import json
import math
import os
import pickle
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import tracemalloc
import unittest

import numpy as np

import kubature
from kubature import _kubature
from kubature._result import averages

SQUARE = [(0, 1), (0, 2)]
TRUTH = 0.6457524772703195
#: Whether the library computes in the memory of NumPy's arrays.
HOST = _kubature.device() == 1


def peak(x):
    return np.exp(-x[:, 0] ** 2 - x[:, 1])


class Loading(unittest.TestCase):
    def test_says_what_to_install_without_a_driver(self):
        code = """
import sys

class NoDriver:
    def find_spec(self, name, path, target=None):
        if name == "kubature._kubature":
            raise ImportError("libcuda.so.1: cannot open shared object file: No such file or directory")

sys.meta_path.insert(0, NoDriver())
import kubature
"""
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr.splitlines()[-1], "ImportError: .*no driver.*install the package kubature")


class Results(unittest.TestCase):
    def test_of_formulas_and_functions(self):
        for f in ("exp(-x*x-y)", peak, lambda x: peak(x)[:, None], lambda x: peak(x).astype(np.float32)):
            for method in ("vegas+", "mcubes", "mc"):
                result = kubature.integrate(f, SQUARE, method=method, evaluations=2e4, iterations=6, seed=3)
                self.assertEqual(result.status, "completed")
                self.assertLess(abs(result.value - TRUTH), 5 * result.error)
                self.assertEqual(len(result.iterations), 6)
                self.assertEqual((result.method, result.precision), (method, "fp64"))

    def test_formula_and_function_agree(self):
        options = dict(evaluations=2e5, iterations=3, seed=5)  # several blocks of points
        formula = kubature.integrate("exp(-x*x-y)", SQUARE, **options)
        function = kubature.integrate(peak, SQUARE, **options)
        self.assertAlmostEqual(formula.value, function.value, delta=1e-12)
        self.assertEqual(formula.evaluations, function.evaluations)

    def test_of_formulas_with_tables(self):
        x, y = np.meshgrid([0.0, 0.5, 2.0], [-1.0, 1.0, 3.0], indexing="ij")
        rows = np.column_stack([x.ravel(), y.ravel(), (1 + x * y).ravel()])
        with tempfile.TemporaryDirectory() as folder:
            for name, array in (("by rows.npy", rows), ("by columns.npy", np.asfortranarray(rows)),
                                ("single.npy", rows.astype(np.float32)), ("text.csv", rows[::-1])):
                file = os.path.join(folder, name)
                np.savetxt(file, array, delimiter=",", header="x,y,f") if name == "text.csv" else np.save(file, array)
                for function in ("table", "table_cubic"):
                    result = kubature.integrate(f'{function}("{file}", x, y)', SQUARE, method="pagani", relative=1e-8)
                    self.assertAlmostEqual(result.value, 3, 7, (function, name))
            np.save(file := os.path.join(folder, "integers.npy"), np.array([[0, 1], [1, 2]]))
            with self.assertRaisesRegex(ValueError, f"file '{re.escape(file)}': its numbers are of type '<i8'"):
                kubature.integrate(f'table("{file}", x)', [(0, 1)], evaluations=1e3)

    @unittest.skipUnless(HOST, "GPUs take up to 20 variables")
    def test_of_many_variables(self):
        for d in (21, 252, 1024):
            box, truth = [(0, 1)] * d, (d * math.expm1(1 / d)) ** d
            formula = "exp((" + "+".join(f"x{i}" for i in range(1, d + 1)) + f")/{d})"
            for method in ("vegas+", "mcubes", "mc", "qmc"):
                results = [kubature.integrate(f, box, method=method, evaluations=4e3, seed=3)
                           for f in (formula, lambda x: np.exp(x.sum(axis=1) / x.shape[1]))]
                for result in results:
                    self.assertLess(abs(result.value - truth), 5 * result.error, (d, method))
                self.assertAlmostEqual(results[0].value / results[1].value, 1, delta=1e-12)
            chosen = kubature.integrate(formula, box, relative=1e-4)
            self.assertEqual((chosen.method, chosen.status), ("qmc", "converged"))
            self.assertLess(abs(chosen.value / truth - 1), 1e-4)
        for method in ("vegas+", "mcubes", "mc"):
            for f in ("x1*x40; exp(-x30)", lambda x: np.stack([x[:, 0] * x[:, 39], np.exp(-x[:, 29])], axis=1)):
                both = kubature.integrate(f, [(0, 1)] * 40, method=method, evaluations=1e4, seed=3)
                self.assertLess(np.max(np.abs(both.value - [0.25, -math.expm1(-1)]) / both.error), 5, method)
        sides = {f"n{i}": (0, 1) for i in range(40)}
        named = kubature.integrate("n39 + n0", sides, evaluations=4e3)
        self.assertLess(abs(named.value - 1), 5 * named.error)
        first = kubature.Integrator([(0, 1)] * 30, method="vegas+", evaluations=2e4)
        first("exp(-5*x30)")
        edges = first.map()
        self.assertEqual(len(edges), 30)
        second = kubature.integrate("exp(-5*x30)", [(0, 1)] * 30, evaluations=2e4, iterations=3, map=edges)
        self.assertLess(abs(second.value + math.expm1(-5) / 5), 5 * second.error)
        broken = kubature.integrate(lambda x: np.where(x[:, 25] > 0.5, np.nan, 1), [(0, 1)] * 30, evaluations=2e4)
        self.assertEqual(broken.status, "non_finite")
        place = next(remark for remark in broken.remarks if "not finite at" in remark)
        self.assertEqual(len(re.findall(r"0\.\d+", place)), 30)

    def test_of_c_functions(self):
        returned = 0

        @kubature.CFunction
        def f(n, d, x, components, values, user):
            points = np.ctypeslib.as_array(x, (n, d))
            np.ctypeslib.as_array(values, (n,))[:] = peak(points)
            return returned if components == 1 and not user else 1

        class LikeNumba:  # whose functions say their address
            address = ctypes.cast(f, ctypes.c_void_p).value

        options = dict(evaluations=2e5, iterations=3, seed=5)
        expected = kubature.integrate(peak, SQUARE, **options).value
        self.assertAlmostEqual(kubature.integrate(f, SQUARE, **options).value, expected, delta=1e-12)
        self.assertAlmostEqual(kubature.integrate(LikeNumba(), SQUARE, **options).value, expected, delta=1e-12)
        f.concurrent = True  # called by threads at once, if there are several
        self.assertEqual(kubature.integrate(f, SQUARE, **options).value, kubature.integrate(LikeNumba(), SQUARE, **options).value)
        returned = 5
        for f.concurrent in (True, False):
            with self.assertRaisesRegex(RuntimeError, "the integrand returned 5"):
                kubature.integrate(f, SQUARE, **options)

    def test_points_lie_strictly_inside(self):
        boxes = [
            [(-1, 0), (-3, 0)],
            [(0, 1), (1e6, 1e6 + 1)],
            [(1, math.inf), (-math.inf, math.inf)],
            [(-math.inf, -1e6), (-1e9, 1e-3)],
            [(-1, 0)] * 5,
        ]
        few = dict(evaluations=1e4, iterations=6)
        calls = [dict(method=name, **few) for name in ("vegas+", "mcubes", "mc")]
        calls += [dict(method="mixed", precision="fp64", strategy="region", **few)]
        calls += [dict(method="qmc", evaluations=3e4, transform=name) for name in ("automatic", "korobov3")]
        calls += [dict(method=name, evaluations=1e5, relative=1e-6) for name in ("pagani", "auto")]
        for box in boxes:
            lower, upper = np.array(box, dtype=float).T
            end = np.where(np.isfinite(upper), upper, np.where(np.isfinite(lower), lower, 0.25))

            def f(x):
                nonlocal points, outside
                points += len(x)
                outside += np.sum(~((lower < x) & (x < upper) & np.isfinite(x)).all(axis=1))
                with np.errstate(all="ignore"):
                    distance = np.abs(x - end)
                    return np.prod(1 / np.sqrt(distance) / (1 + distance**2), axis=1)

            for options in calls:
                with self.subTest(box=box, **options):
                    points = outside = 0
                    seed = {} if options["method"] == "pagani" else dict(seed=1)
                    kubature.integrate(f, box, non_finite="discard", **seed, **options)
                    self.assertGreater(points, 0)
                    self.assertEqual(outside, 0)

    def test_print_pickle_and_turn_into_json(self):
        result = kubature.integrate("exp(-x*x-y)", SQUARE, method="pagani", relative=1e-6)
        self.assertRegex(str(result), r"^0\.64575\d*\(\d+\)$")
        self.assertRegex(repr(result), r"^0\.64575\d*\(\d+\)  converged after \d+ iterations?, ")
        self.assertEqual(f"{float(result):.5f}", "0.64575")
        again = pickle.loads(pickle.dumps(result))
        self.assertEqual(repr(again), repr(result))
        self.assertEqual(again.iterations, result.iterations)
        told = json.loads(json.dumps(result.to_dict(), allow_nan=False))
        self.assertEqual(told["value"], result.value)
        self.assertIsNone(told["chi2_per_dof"])
        self.assertIsNone(told["k_hat"])
        self.assertEqual(told["iterations"][0]["evaluations"], result.iterations[0].evaluations)
        self.assertTrue(result.converged and result.regions > 0)

    def test_k_hat_tells_heavy_tails(self):
        """Plain samples of x^-a have no variance from a = 1/2 on: a is the shape of their tail."""
        def k_hat(f, seeds=8):
            return sum(kubature.integrate(f, [(0, 1)], method="mc", evaluations=1e6, iterations=4, seed=1 + seed).k_hat
                       for seed in range(seeds)) / seeds

        self.assertAlmostEqual(k_hat("x^-0.8"), 0.8, delta=0.2)
        self.assertAlmostEqual(k_hat("x^-0.25"), 0.25, delta=0.1)
        self.assertEqual(k_hat("x; x^-0.8", 1), k_hat("x^-0.8", 1))  # the largest of both
        self.assertTrue(math.isnan(kubature.integrate("x", [(0, 1)], method="pagani", relative=1e-3).k_hat))

    def test_no_arithmetic_raises(self):
        """Estimates that differ by 1e200 and more of their errors, and numbers at the ends of the range."""
        numbers = (math.nan, math.inf, -math.inf, 0.0, 5e-324, 1e-320, 1e-200, 1.0, -1e200, 1.7e308)
        one = kubature.integrate("x", [(0, 1)], evaluations=100, iterations=3)
        two = kubature.integrate("x; x^2", [(0, 1)], evaluations=100, iterations=3)
        with np.errstate(all="ignore"):
            squares = [np.array([[e * e, e / 2], [e / 2, 1.0]]) for e in np.array(numbers)]
        for value in numbers:
            for error, covariance in zip(numbers, squares):
                first, last = (kubature.Iteration(*pair, 100, True) for pair in ((value, error), (1e200, 1e-16)))
                so_far = averages((first, last), {1: (value, error), 2: (value, error)})
                self.assertEqual(len(so_far), 2)
                for average in so_far:
                    self.assertFalse(average.q_value > 1)
                result = dataclasses.replace(
                    one, value=value, error=error, values=(value,), errors=(error,), iterations=(first, last), averages=so_far
                )
                texts = [str(result), result.table(), result._repr_html_()]
                values, errors = (value, 1.0), (error, 1.0)
                result = dataclasses.replace(two, values=values, errors=errors, covariance=covariance, averages=so_far)
                texts += [str(result), str(result.ratio(0, 1)), str(result.ratio(1, 0)), str(result.linear([1, -1]))]
                self.assertLess(max(map(len, texts)), 2000)
                json.dumps(result.to_dict(), allow_nan=False)

    def test_iterations_far_apart(self):
        calls = 0

        def f(x):
            nonlocal calls
            calls += 1
            return (1 + 1e-9 * x[:, 0]) * (1 if calls < 3 else 1e150)

        result = kubature.integrate(f, [(0, 1)], components=1, method="mc", evaluations=1000, iterations=5)
        self.assertEqual(len(result.averages), 5)
        self.assertEqual(result.averages[-1].chi2, math.inf)

    def test_ratios_of_small_and_large_numbers(self):
        two = kubature.integrate("x; x^2", [(0, 1)], evaluations=100, iterations=3)
        for size in (1e-300, 1.0, 1e200):
            covariance = np.array([[min(0.09 * size, 1e100) * size, 0.015 * size], [0.015 * size, 0.01]])
            ratio = dataclasses.replace(two, values=(3 * size, 2.0), errors=(0.3 * size, 0.1), covariance=covariance).ratio(0, 1)
            self.assertAlmostEqual(ratio.value / size, 1.5, delta=1e-12)
            self.assertAlmostEqual(ratio.error / size, math.sqrt(0.15**2 + 0.075**2 - 0.15 * 0.075), delta=1e-12)

    def test_averages_are_of_the_call_that_auto_took(self):
        ridge = "exp(-99*(x-y+z-u+v-w)^2)"
        result = kubature.integrate(ridge, [(0, 1)] * 6, relative=1e-3)
        self.assertEqual((result.method, result.converged), ("vegas+", True))
        self.assertEqual(result.averages[-1].value, result.value)
        known = [each.value for each in result.averages if not math.isnan(each.value)]
        self.assertTrue(all(abs(value / result.value - 1) < 0.5 for value in known), known)

    def test_options_and_precisions(self):
        result = kubature.integrate(
            "exp(-b)", np.array([[0, 1], [0, 2]]), variables=["a", "b"], precision="fp32", relative=1e-3, one_map=False
        )
        self.assertLess(abs(result.value - (1 - math.exp(-2))), 5 * result.error)
        self.assertEqual(result.precision, "fp32")
        kubature.integrate("x+y", SQUARE, method="mixed", evaluations=1000, costs=(1, 2, 4.5), strategy="region")


class Integrators(unittest.TestCase):
    def test_learn_and_hand_on_a_map(self):
        f = "1/(0.001 + (x-0.4)^2 + (y-0.4)^2)"
        first = kubature.Integrator(SQUARE, evaluations=2e4)
        with self.assertRaisesRegex(kubature.InvalidArgument, "integrator = vegas"):
            first.map()
        self.assertFalse(first(f).iterations[0].included)
        self.assertTrue(first(f, absolute=1e3).iterations[0].included)
        edges = pickle.loads(pickle.dumps(first.map()))
        self.assertEqual([edges[0][0], edges[1][-1], len(edges)], [0, 1, 2])
        second = kubature.integrate(f, SQUARE, evaluations=2e4, iterations=3, map=edges)
        self.assertTrue(second.iterations[0].included)

    def test_callbacks_are_told_and_stop(self):
        told = []

        def callback(progress):
            told.append(progress)
            return progress.iteration < 3

        result = kubature.integrate(peak, SQUARE, method="mcubes", evaluations=1e4, skip=0, callback=callback)
        self.assertEqual((result.status, len(result.iterations)), ("stopped", 3))
        self.assertEqual(told[-1].value, result.value)
        self.assertEqual(kubature.integrate(peak, SQUARE, evaluations=1000, callback=lambda p: None).status, "completed")

    def test_exceptions_are_raised_as_they_were(self):
        integrator = kubature.Integrator(SQUARE, evaluations=1e4)
        calls = []
        raised = KeyError("no simulation today")

        def f(x):
            calls.append(len(x))
            if len(calls) == 3:
                raise raised
            return peak(x)

        with self.assertRaises(KeyError) as caught:
            integrator(f)
        self.assertIs(caught.exception, raised)
        self.assertEqual(len(calls), 3)
        with self.assertRaises(ZeroDivisionError):
            integrator("x*y", callback=lambda progress: 1 / 0)
        result = integrator(peak)  # it goes on
        self.assertLess(abs(result.value - TRUTH), 5 * result.error)

    def test_are_of_one_call_at_a_time(self):
        integrator = kubature.Integrator(SQUARE, evaluations=1e4)

        def f(x):
            integrator("x*y")

        with self.assertRaisesRegex(RuntimeError, "one of their own"):
            integrator(f)
        result = integrator(lambda x: x[:, 0] * float(kubature.integrate("x", [(0, 1)], evaluations=1000)))
        self.assertAlmostEqual(result.value, 0.5, delta=0.1)

    def test_let_other_threads_run(self):
        counted = 0
        integrator = kubature.Integrator([(0, 1)] * 6, "mc", evaluations=1e8)
        done = threading.Event()

        def count():
            nonlocal counted
            while not done.is_set():
                counted += 1
                time.sleep(0.001)

        thread = threading.Thread(target=count)
        thread.start()
        try:
            integrator("sin(x1*x2*x3*x4*x5*x6)", seconds=0.3)
        finally:
            done.set()
            thread.join()
        self.assertGreater(counted, 30)

    def test_arrays_that_are_kept_keep_their_points(self):
        kept = []

        def f(x):
            kept.append((x, x.copy()))
            return x[:, 0]

        kubature.integrate(f, SQUARE, evaluations=5000, iterations=4)
        self.assertGreater(len(kept), 3)
        for array, copy in kept:
            np.testing.assert_array_equal(array, copy)

    def test_points_may_be_written_to(self):
        def f(x):
            x *= 2
            return x[:, 0]

        self.assertAlmostEqual(kubature.integrate(f, SQUARE, evaluations=1e4, seed=1).value, 2, delta=0.05)


class Refusals(unittest.TestCase):
    def refused(self, sentence, f="x*y", box=SQUARE, error=kubature.InvalidArgument, **options):
        with self.assertRaisesRegex(error, sentence):
            kubature.integrate(f, box, **options)

    def test_name_the_argument(self):
        self.assertTrue(issubclass(kubature.InvalidArgument, ValueError))
        self.refused("^method = vegas: ", method="vegas")
        self.refused("^precision = fp8: ", precision="fp8")
        self.refused("^option = bims: ", bims=3)
        self.refused("^evaluations = 1.5: ", evaluations=1.5)
        self.refused("^evaluations = many: ", evaluations="many")
        self.refused("^evaluations = none: ", evaluations=None)
        self.refused("^relative = -1", relative=-1)
        self.refused("^relative = nan", relative=math.nan)
        self.refused("^Box side 1 = 1:0: ", box=[(1, 0), (0, 1)])
        self.refused("^Box side 2 = ", box=[(0, 1), (0, math.nan)])
        self.refused("^box = ", box=[])
        self.refused("^box = ", box=[(0, 1, 2)])
        self.refused("^box = ", box=3)
        self.refused("^box = ", box=[("a", "b")])
        self.refused("^dimension = 1025: ", box=[(0, 1)] * 1025)
        many = [(0, 1)] * 30
        self.refused("^method = pagani: .*30; methods that do: vegas", f="x30", box=many, method="pagani", relative=1e-3)
        self.refused("^precision = fp32: ", f="x30", box=many, precision="fp32")
        of_several = "^method = qmc: .*several.*30" if HOST else "^dimension = 30: GPUs integrate over up to 20 variables"
        self.refused(of_several, f="x1;x30", box=many, method="qmc")
        self.refused(of_several, f=lambda x: x[:, :2], box=many, method="qmc")
        self.refused("^expression = x[*]: column", f="x*")
        self.refused("^f = 3: ", f=3)
        self.refused("", f="x*y*z", evaluations=1000)
        self.refused("^precision = fp32: ", f=peak, precision="fp32")
        self.refused("^map = ", map=[])
        self.refused("^map = ", map=[[0, 1], [0, 0.5, 1]])
        self.refused("VegasMap", map=[[0, 2, 1]])

    def test_of_values(self):
        self.refused("^f returned None instead of", f=lambda x: None, error=TypeError)
        self.refused("^f returned an array of shape \\(0,\\)", f=lambda x: [], error=ValueError)
        self.refused("^f returned arrays of shape \\(0,\\) at a point", f=lambda x: x[:, :0], error=ValueError)
        self.refused("^f returned an empty dictionary", f=lambda x: {}, error=ValueError)
        self.refused("^f\\['a'\\] returned None", f=lambda x: {"a": None}, error=TypeError)
        self.refused("^f returned an array of shape \\(2,\\) for ", f=lambda x: x[:2, 0], error=ValueError)
        self.refused("^f returned an array of shape \\(3,\\) for ", f=lambda x: x[:3, 0], error=ValueError)  # when it is tried, right
        self.refused("complex numbers, but real ones before", f=lambda x: x[:, 0] * (1j if len(x) > 3 else 1), error=TypeError)
        self.refused("dtype object", f=lambda x: np.array([None] * len(x)), error=TypeError)
        self.refused("dtype <U", f=lambda x: ["a"] * len(x), error=TypeError)

    def test_values_of_any_layout(self):
        read_only = np.zeros(70000)
        read_only.flags.writeable = False
        options = dict(evaluations=1e4, seed=1, iterations=2)
        self.assertEqual(kubature.integrate(lambda x: read_only[: len(x)], SQUARE, **options).status, "no_variance")
        strided = kubature.integrate(lambda x: np.repeat(x[:, 0], 2)[::2], SQUARE, **options).value
        listed = kubature.integrate(lambda x: list(x[:, 0]), SQUARE, **options).value
        self.assertEqual(strided, listed)
        self.assertEqual(kubature.integrate(lambda x: x[:, 0] * np.nan, SQUARE, **options).status, "non_finite")


class Process(unittest.TestCase):
    def run_python(self, program, act=None, status=0):
        def listen():  # shells have what they start in the background ignore interrupts
            signal.signal(signal.SIGINT, signal.SIG_DFL)

        child = subprocess.Popen(
            [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=listen
        )
        if act:
            act(child)
        out, err = child.communicate(timeout=100)
        self.assertEqual(child.returncode, status, err)
        return out, err

    def test_interrupts_raise_with_the_estimate_so_far(self):
        for f in ("'sin(x*y)'", "lambda x: x[:, 0] * x[:, 1]"):
            program = f"""
import kubature
said = []
def told(progress):
    if progress.iteration >= 7 and not said: said.append(print('begun', flush=True))
try:
    kubature.integrate({f}, [(0, 1), (0, 1)], relative=1e-9, evaluations=100000, iterations=10**9, callback=told)
except KeyboardInterrupt as interrupt:
    print(interrupt.result.status, interrupt.result.value)
    assert str(interrupt) == repr(interrupt.result)
"""

            def interrupt(child):
                self.assertEqual(child.stdout.readline(), "begun\n")
                child.send_signal(signal.SIGINT)

            out, err = self.run_python(program, interrupt)
            status, value = out.split()
            self.assertEqual((status, err), ("stopped", ""))
            self.assertAlmostEqual(float(value), 0.245, delta=0.01)

    def test_interrupts_end_a_loop(self):
        program = """
import kubature
from kubature import vegas
print('begun', flush=True)
while True:
    kubature.integrate('sin(x*y)', [(0, 1), (0, 1)], evaluations=20000, iterations=5)
    vegas.Integrator([[0, 1]] * 2)('sin(x*y)', nitn=5, neval=20000)
"""

        def interrupt(child):
            self.assertEqual(child.stdout.readline(), "begun\n")
            time.sleep(0.5)
            child.send_signal(signal.SIGINT)

        _, err = self.run_python(program, interrupt, status=-signal.SIGINT)
        self.assertIn("KeyboardInterrupt", err)

    def test_forked_processes_are_told_why_they_cannot_compute(self):
        program = """
import gc, multiprocessing, os, warnings
os.environ['OMP_NUM_THREADS'] = '{threads}'
import kubature
warnings.simplefilter('ignore')  # Python's own, about forks beside threads
forked = multiprocessing.get_context('fork')
box = [(0, 1)]
def status(act):
    try:
        return act().status
    except RuntimeError as error:
        return str(error)
def compute(_):
    return status(lambda: kubature.integrate('x', box, evaluations=1000))
with forked.Pool(1) as pool:
    print(pool.map(compute, [0])[0])  # before Kokkos has begun
kept = kubature.Integrator(box, evaluations=1000)
print(kept('x').backend)
with forked.Pool(1) as pool:
    print(pool.map(compute, [0])[0])
child = os.fork()
if child == 0:
    print(status(lambda: kept('x')), flush=True)
    if {threads} > 1:
        print(status(kept.map), flush=True)
    del kept
    gc.collect()
    raise SystemExit
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(kept('x').status)
"""
        for threads in (1, 2):
            out, err = self.run_python(program.format(threads=threads))
            before, backend, *inside, ended, after = out.splitlines()
            # Kokkos's own words, since a forked process cannot finalise it.
            err = err.replace("Kokkos::Cuda ERROR: Failed to call Kokkos::Cuda::finalize()\n", "")
            self.assertEqual((before, ended, after, err), ("completed", "0", "completed", ""))
            if backend == "Serial" or (threads == 1 and HOST):
                self.assertEqual(inside[:2], ["completed"] * 2)
            else:
                self.assertEqual(len(inside), 3 if threads > 1 else 2)
                for said in inside:
                    self.assertIn("forked after Kokkos had begun", said)

    def test_second_interrupt_ends_a_function_that_hangs(self):
        program = """
import kubature, time
def f(x):
    print('begun', flush=True)
    while True: time.sleep(0.01)
kubature.integrate(f, [(0, 1)])
"""

        def interrupt(child):
            self.assertEqual(child.stdout.readline(), "begun\n")
            for _ in range(2):
                child.send_signal(signal.SIGINT)
                time.sleep(0.3)

        _, err = self.run_python(program, interrupt, status=-signal.SIGINT)
        self.assertIn("KeyboardInterrupt", err)

    def test_threads_wait_briefly_unless_told_otherwise(self):
        def spins(**environment):
            program = f"""
import os
for name in ('GOMP_SPINCOUNT', 'OMP_WAIT_POLICY'): os.environ.pop(name, None)
os.environ.update(OMP_DISPLAY_ENV='verbose', **{environment})
import kubature
print(os.environ.get('GOMP_SPINCOUNT', ''))
"""
            out, err = self.run_python(program)
            self.assertEqual(out.strip(), environment.get("GOMP_SPINCOUNT", ""))
            return re.findall(r"GOMP_SPINCOUNT *= *'(.*?)'", err)

        if not spins():
            self.skipTest("GNU's OpenMP is not there")
        self.assertEqual(spins()[-1], "1000")
        self.assertEqual(spins(GOMP_SPINCOUNT="7")[-1], "7")
        self.assertEqual(spins(OMP_WAIT_POLICY="passive")[-1], "0")

    def test_ends_without_a_word(self):
        program = "import kubature; f = kubature.Integrator([(0, 1)]); f('x', evaluations=1000); print(kubature.info())"
        out, err = self.run_python(program)
        self.assertEqual((out.split(",")[0], err), (kubature.__version__, ""))

    def test_nothing_leaks(self):
        several = lambda x: {"a": peak(x), "b": x}  # noqa: E731
        functions = [peak, several, kubature.on_device(peak, "numpy") if HOST else peak, "x; y"]
        views = Views.counted(self)

        def calls(number):
            for i in range(number):
                integrator = kubature.Integrator(SQUARE, evaluations=200, iterations=2)
                integrator(functions[i % 4])
                try:
                    integrator(lambda x: x[i, 5])
                except IndexError:
                    pass
                integrator.use(integrator.map())
            del integrator
            gc.collect()

        def resident():
            with open("/proc/self/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

        def memory():
            return tracemalloc.get_traced_memory()[0] - sys.getsizeof(views)

        calls(20)
        before_all = resident()
        tracemalloc.start()
        calls(20)
        before, objects, alive = memory(), len(gc.get_objects()), len(views or ())
        calls(980)
        after = memory()
        tracemalloc.stop()
        self.assertLess(after - before, 20000)  # 20 bytes a call
        self.assertLess(len(gc.get_objects()) - objects, 100)
        self.assertLess(resident() - before_all, 8e6)
        if views is not None:
            self.assertEqual(len(views), alive)
            kept = kubature.Integrator(SQUARE, evaluations=200)
            kept("x*y")
            self.assertGreater(len(views), alive)  # it does count them


class Views:
    """The Views of this process that are allocated, by Kokkos's own callbacks."""

    class _Space(ctypes.Structure):
        _fields_ = [("name", ctypes.c_char * 64)]

    _told = ctypes.CFUNCTYPE(None, _Space, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_uint64)

    @classmethod
    def counted(cls, test):
        """Their addresses until the test ends; None where Kokkos's functions are not found, as in a static library."""
        kubature.integrate("x", [(0, 1)], evaluations=100)  # Kokkos begins
        found = set()
        with open("/proc/self/maps", encoding="utf-8") as file:
            paths = {line.split()[-1] for line in file if "libkokkoscore" in line}
        work = {"allocate": lambda space, name, address, size: found.add(address),
                "deallocate": lambda space, name, address, size: found.discard(address)}  # fmt: skip
        try:
            core = ctypes.CDLL(paths.pop())
            for what, tell in work.items():
                name = f"set_{what}_data_callback"
                set_callback = core[f"_ZN6Kokkos5Tools12Experimental{len(name)}{name}EPFv28Kokkos_Profiling_SpaceHandlePKcPKvmE"]
                callback = cls._told(tell)
                set_callback(callback)
                test.addCleanup(lambda set_callback=set_callback, callback=callback: set_callback(None))
        except (KeyError, AttributeError, OSError):
            return None
        return found


def load_tests(loader, tests, pattern):
    names = ("", "._expect", "._histogram", "._integrator", "._many", "._nquad", "._numbers", "._peaks", "._pointwise", "._quadrature", "._result", "._shapes", "._table",
             "._vegas_map", ".vegas")
    for name in ("._device",) * HOST + names:
        tests.addTests(doctest.DocTestSuite(importlib.import_module("kubature" + name)))
    return tests


if __name__ == "__main__":
    unittest.main()
