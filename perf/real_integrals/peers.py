"""The peers: Lepage's vegas and the integrators of SciPy, on the same formulas by NumPy."""

import math
import signal
import warnings

import formula

PEERS = ("vegas", "scipy-quad", "scipy-cubature", "scipy-qmc")


class OutOfTime(Exception):
    """The time of a call is over."""


def call(method, text, box, tolerance, limits):
    """Runs a peer, which has no limit of time itself, until the clock interrupts its integrand."""
    f = formula.of_numpy(text, len(box))
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


_RUNS = {"vegas": by_vegas, "scipy-quad": by_quad, "scipy-cubature": by_cubature, "scipy-qmc": by_qmc}


def version(method):
    if method == "vegas":
        import vegas

        return vegas.__version__
    import scipy

    return scipy.__version__
