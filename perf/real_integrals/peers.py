"""The peers: Lepage's vegas, the integrators of SciPy and those of Cuba, on the same formulas by NumPy.

Cuba is used as a shared library, to which the environment variable CUBA_LIBRARY is the path."""

import ctypes
import math
import os
import signal
import time
import warnings

import formula

CUBA = ("cuba-vegas", "cuba-suave", "cuba-divonne", "cuba-cuhre")
PEERS = ("vegas", "scipy-quad", "scipy-cubature", "scipy-qmc") + CUBA


class OutOfTime(Exception):
    """The time of a call is over."""


def call(method, text, box, tolerance, limits):
    """Runs a peer, which has no limit of time itself, until the clock interrupts its integrand."""
    f = formula.of_numpy(text, len(box))
    if method in CUBA:
        return call_cuba(method, to_unit_box(f, box), len(box), tolerance, limits)
    evaluations = [0]

    def counted(x):
        evaluations[0] += len(x)
        return f(x)

    def interrupt(number, frame):
        raise OutOfTime

    signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, limits["seconds"])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value, error, fine = _RUNS[method](counted, box, tolerance, limits["seed"])
    except OutOfTime:
        return dict(status="time_limit", evaluations=evaluations[0])
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    met = fine and math.isfinite(value) and error <= tolerance * abs(value)
    return dict(status="converged" if met else "completed", value=value, error=error, evaluations=evaluations[0])


def to_unit_box(f, box):
    """f over the unit box: t/(1-t) for sides that are infinite upwards, tan for lines. What is not finite counts as
    zero, as callers of vegas do it."""
    import numpy

    def of_unit(t):
        x, weight = numpy.empty_like(t), numpy.ones(len(t))
        with numpy.errstate(all="ignore"):
            for i, (a, b) in enumerate(box):
                u = t[:, i]
                if math.isinf(a) and math.isinf(b):
                    x[:, i] = numpy.tan(math.pi * (u - 0.5))
                    weight *= math.pi * (1 + x[:, i] ** 2)
                elif math.isinf(b):
                    x[:, i] = a + u / (1 - u)
                    weight /= (1 - u) ** 2
                elif math.isinf(a):
                    x[:, i] = b - u / (1 - u)
                    weight /= (1 - u) ** 2
                else:
                    x[:, i] = a + u * (b - a)
                    weight *= b - a
            values = f(x) * weight
        return numpy.where(numpy.isfinite(values), values, 0)

    return of_unit


def by_vegas(f, box, tolerance, seed):
    """10 iterations of 1e5 to train, and 10 that count."""
    import gvar
    import vegas

    gvar.ranseed(seed)
    g = vegas.lbatchintegrand(to_unit_box(f, box))
    integrator = vegas.Integrator([(0, 1)] * len(box))
    integrator(g, nitn=10, neval=100_000)
    result = integrator(g, nitn=10, neval=100_000)
    return float(result.mean), float(result.sdev), True


def by_quad(f, box, tolerance, seed):
    import numpy
    from scipy import integrate

    point = lambda *x: float(f(numpy.array([x]))[0])
    if len(box) == 1:
        value, error, _, *words = integrate.quad(point, *box[0], epsabs=0, epsrel=tolerance, full_output=1)
        return value, error, not words
    value, error = integrate.nquad(point, box, opts=dict(epsabs=0, epsrel=tolerance))
    return value, error, True


def by_cubature(f, box, tolerance, seed):
    from scipy import integrate

    lower, upper = [a for a, _ in box], [b for _, b in box]
    result = integrate.cubature(f, lower, upper, rtol=tolerance, atol=0, max_subdivisions=10_000)
    return float(result.estimate), float(result.error), result.status == "converged"


def by_qmc(f, box, tolerance, seed):
    """8 times 2^17 points of a scrambled Sobol sequence."""
    from scipy import integrate, stats

    d, g = len(box), to_unit_box(f, box)
    engine = stats.qmc.Sobol(d=d, seed=seed)
    of_columns = lambda x: g(x.T if x.ndim == 2 else x[None])
    result = integrate.qmc_quad(of_columns, [0] * d, [1] * d, n_points=2**17, qrng=engine)
    return float(result.integral), float(result.standard_error), True


def call_cuba(method, g, d, tolerance, limits):
    """Runs a method of Cuba with the options of its demonstration, in one process."""
    import numpy

    os.environ["CUBACORES"] = "0"
    library = ctypes.CDLL(os.environ["CUBA_LIBRARY"], mode=os.RTLD_LAZY)
    number, real = ctypes.c_int, ctypes.c_double
    reals, numbers = ctypes.POINTER(real), ctypes.POINTER(number)
    out_of_time = -999  # ends a call of Cuba
    deadline = time.perf_counter() + limits["seconds"]

    @ctypes.CFUNCTYPE(number, numbers, reals, numbers, reals, ctypes.c_void_p, numbers, numbers)
    def integrand(_ndim, x, _ncomp, f, _data, nvec, _core):
        n = nvec[0]
        numpy.ctypeslib.as_array(f, (n,))[:] = g(numpy.ctypeslib.as_array(x, (n, d)))
        return out_of_time if time.perf_counter() > deadline else 0

    vectors, most, nothing = 1000, 2**31 - 1, None
    regions, evaluations, fail = number(), number(), number()
    value, error, chance = real(), real(), real()
    found = [ctypes.byref(evaluations), ctypes.byref(fail)] + [ctypes.byref(x) for x in (value, error, chance)]
    if method in ("cuba-suave", "cuba-divonne", "cuba-cuhre"):
        found.insert(0, ctypes.byref(regions))
    asked = [number(d), number(1), integrand, nothing, number(vectors), real(tolerance), real(0), number(0)]
    seed, work = [number(limits["seed"])], [number(0), number(most)]
    own = {
        "cuba-vegas": seed + work + [number(each) for each in (1000, 500, 1000, 0)],
        "cuba-suave": seed + work + [number(1000), number(2), real(25)],
        "cuba-divonne": seed
        + work
        + [number(each) for each in (47, 1, 1, 5)]
        + [real(each) for each in (0, 10, 0.25)]
        + [number(0), number(d), nothing, number(0), nothing],
        "cuba-cuhre": work + [number(0)],
    }[method]
    getattr(library, method.removeprefix("cuba-").capitalize())(*asked, *own, nothing, nothing, *found)
    if fail.value < 0:
        return dict(status="time_limit" if time.perf_counter() > deadline else "completed", evaluations=evaluations.value)
    status = "converged" if fail.value == 0 else "completed"
    return dict(status=status, value=value.value, error=error.value, evaluations=evaluations.value)


_RUNS = {"vegas": by_vegas, "scipy-quad": by_quad, "scipy-cubature": by_cubature, "scipy-qmc": by_qmc}


def version(method):
    if method == "vegas":
        import vegas

        return vegas.__version__
    if method in CUBA:
        return "4.1"
    import scipy

    return scipy.__version__
