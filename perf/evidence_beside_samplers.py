#!/usr/bin/env python3
"""log-evidence of the standard problems of the nested-sampling papers, and of others with several narrow peaks, by
kubature and by other codes, whichever can be imported: prints a line of JSON for each call.

    evidence_beside_samplers.py CODE [PROBLEM ...] [--seeds N] [--most EVALUATIONS] [--seconds S] [--beside FILE.jsonl]
                                [--sources STUDY]

CODE is ultranest, nautilus, dynesty, vegas, paris (parismc), sunburst; log_evidence or log_evidence:short (fewer
evaluations of search and iterations, error 0.1); or a method with its channels, vegas+:always, which integrates exp(L) to
0.01. With --beside, codes of kubature repeat the calls in a file, without a tolerance: with as many evaluations, and
with as many as take the same time, up to --most. All codes get L as a function of arrays of points in the unit cube;
times are those of the processor, without imports.

The problems: two Gaussian shells (Feroz, Hobson and Bridges, MNRAS 398 (2009) 1601, section 6.2), an eggbox (there,
6.1), the LogGamma mixture of Beaujean and Caldwell (arXiv:1304.7808, section 4.2), Rosenbrock's function (Lange,
"nautilus", MNRAS 525 (2023) 3181, section 4.1), four narrow Gaussians, three Student's t densities in two degrees of
freedom, and two crossing filaments, fifty times as long as wide."""

from __future__ import annotations

import argparse
import contextlib
import functools
import importlib
import json
import math
import os
import signal
import sys
import tempfile
import time

import numpy as np

import digest


class Problem:
    """A log-likelihood in the unit cube of its box, for arrays (n, d), and its log-evidence."""

    def __init__(self, box, log_l, log_z, top=0.0):
        self.box, self.log_z, self.top = np.array(box, float), log_z, top
        self.calls = 0
        self._log_l = log_l

    def __call__(self, u):
        u = np.atleast_2d(u)
        self.calls += len(u)
        return self._log_l(self.box[:, 0] + u * (self.box[:, 1] - self.box[:, 0]))

    def scaled(self, u):
        """exp(L), divided by a constant so that it is a double."""
        return np.exp(self(u) - self.top)

    @property
    def d(self):
        return len(self.box)


def trapezoidal(lower, upper, n):
    """Points and weights."""
    x = np.linspace(lower, upper, n)
    weights = np.full(n, x[1] - x[0])
    weights[[0, -1]] /= 2
    return x, weights


def log_of_sum(logarithms):
    top = np.max(logarithms, axis=0)
    return top + np.log(np.sum(np.exp(np.array(logarithms) - top), axis=0))


def shells(d):
    radius, width, centres = 2.0, 0.1, (-3.5, 3.5)
    normal = math.log(math.sqrt(2 * math.pi) * width)

    def log_l(x):
        rest = np.sum(x[:, 1:] ** 2, axis=1)
        r = [np.sqrt((x[:, 0] - c) ** 2 + rest) for c in centres]
        return np.logaddexp(*(-((each - radius) ** 2) / (2 * width**2) for each in r)) - normal

    sphere = 2 * math.pi ** (d / 2) / math.gamma(d / 2)
    r, weights = trapezoidal(0, 2 * radius, 400001)
    one = float(np.sum(weights * r ** (d - 1) * np.exp(-((r - radius) ** 2) / (2 * width**2))))
    return Problem([(-6, 6)] * d, log_l, math.log(2 * one * sphere) - normal - d * math.log(12))


def eggbox(d):
    def log_l(x):
        return (2 + np.prod(np.cos(x / 2), axis=1)) ** 5

    a = np.linspace(0, 10 * math.pi, 1001)[:-1] + 10 * math.pi / 2000
    values = (2 + np.cos(a[:, None] / 2) * np.cos(a[None, :] / 2)) ** 5
    return Problem([(0, 10 * math.pi)] * d, log_l, float(np.log(np.mean(np.exp(values - 243))) + 243), 243.0)


def loggamma(d):
    half = math.log(0.5)
    normal = -0.5 * math.log(2 * math.pi)
    last = (d + 2) // 2

    def of_gamma(z):
        return z - np.exp(z)

    def log_l(x):
        sum_of = np.logaddexp(half + of_gamma(x[:, 0] - 10), half + of_gamma(x[:, 0] + 10))
        sum_of = sum_of + np.logaddexp(half - (x[:, 1] - 10) ** 2 / 2, half - (x[:, 1] + 10) ** 2 / 2) + normal
        for i in range(2, d):
            sum_of = sum_of + (of_gamma(x[:, i] - 10) if i < last else normal - (x[:, i] - 10) ** 2 / 2)
        return sum_of

    return Problem([(-30, 30)] * d, log_l, -d * math.log(60))


def rosenbrock(d):
    def log_l(x):
        return -np.sum((1 - x[:, :-1]) ** 2 + 100 * (x[:, 1:] - x[:, :-1] ** 2) ** 2, axis=1)

    # From the last variable on: a function of each is the integral over those that follow.
    x, weights = trapezoidal(-5, 5, 20001)
    inner = np.ones_like(x)
    for _ in range(d - 1):
        inner = np.array([np.sum(weights * np.exp(-((1 - a) ** 2) - 100 * (x - a * a) ** 2) * inner) for a in x])
    return Problem([(-5, 5)] * d, log_l, math.log(np.sum(weights * inner)) - d * math.log(10))


def centres(d, count):
    return np.array([[0.2 + 0.15 * ((3 * k + 2 * i) % 5) for i in range(d)] for k in range(count)])


def gaussians(d):
    widths = (0.01, 0.02, 0.04, 0.06)
    logs = [-0.5 * d * math.log(2 * math.pi * w * w) - math.log(4) for w in widths]

    def log_l(x):
        return log_of_sum([c - np.sum((x - m) ** 2, axis=1) / (2 * w * w) for m, w, c in zip(centres(d, 4), widths, logs)])

    return Problem([(0, 1)] * d, log_l, 0.0)


def student(d):
    """Their mass in the box is that of normal variables whose variance is w^2 / u, where u has the density exp(-u)."""
    freedom, widths = 2, (0.01, 0.02, 0.04)
    normal = math.lgamma((freedom + d) / 2) - math.lgamma(freedom / 2) - d / 2 * math.log(freedom * math.pi)
    logs = [normal - d * math.log(w) - math.log(3) for w in widths]

    def log_l(x):
        return log_of_sum([c - (freedom + d) / 2 * np.log1p(np.sum((x - m) ** 2, axis=1) / (freedom * w * w))
                           for m, w, c in zip(centres(d, 3), widths, logs)])

    erf = np.vectorize(math.erf)
    s, weights = trapezoidal(0, 7, 20001)  # u = s^2

    def inside(m, w):
        near, far = (side[:, None] * s / (w * math.sqrt(2)) for side in (m, 1 - m))
        return np.sum(weights * 2 * s * np.exp(-s * s) * np.prod((erf(near) + erf(far)) / 2, axis=0))

    return Problem([(0, 1)] * d, log_l, math.log(sum(inside(m, w) for m, w in zip(centres(d, 3), widths)) / 3))


def filaments(d):
    long, thin = 0.1, 0.002
    normal = -0.5 * d * math.log(2 * math.pi) - math.log(long) - (d - 1) * math.log(thin) - math.log(2)
    signs = np.array([[1] * d, [(-1) ** i for i in range(d)]]) / math.sqrt(d)

    def log_l(x):
        def one(m, along):
            y = x - m
            t = y @ along
            return normal - (np.sum(y * y, axis=1) - t * t) / (2 * thin**2) - t * t / (2 * long**2)

        return np.logaddexp(one(0.4, signs[0]), one(0.6, signs[1]))

    return Problem([(0, 1)] * d, log_l, 0.0)


PROBLEMS = {f"{make.__name__}-{d}": functools.cache(functools.partial(make, d))
            for make, numbers in ((shells, (2, 5, 10, 20, 30)), (eggbox, (2,)), (loggamma, (2, 10, 20)), (rosenbrock, (2, 4)),
                                  (gaussians, (2, 4, 8, 16)), (student, (2, 5, 10)), (filaments, (2, 5, 10)))
            for d in numbers}


def by_log_evidence(how):
    import kubature

    def run(f, seed, most):
        few = {"search": 20_000, "samples": 5_000, "error": 0.1} if how == "short" else {}
        r = kubature.log_evidence(f, [(0, 1)] * f.d, seed=seed, evaluations=most, keep=False, **few)
        return r.log_evidence, r.error, r.status

    def spend(f, seed, evaluations):
        r = kubature.log_evidence(f, [(0, 1)] * f.d, seed=seed, evaluations=evaluations, error=1e-9, keep=False,
                                  search=max(1000, min(1_200_000, evaluations // 4)), samples=max(1000, evaluations // 20))
        return r.log_evidence, r.error, r.status

    return run, spend


def by_method(method, channels):
    import kubature

    def integral(f, seed, most, **options):
        if method != "pagani":
            options["seed"] = seed
        r = kubature.integrate(f.scaled, [(0, 1)] * f.d, method=method, channels=channels, max_evaluations=most,
                               components=1, bar=False, **options)
        return math.log(r.value) + f.top if r.value > 0 else -math.inf, r.error / r.value if r.value else math.nan, r.status

    sampling = method in ("vegas+", "mcubes")

    def run(f, seed, most):
        return integral(f, seed, most, relative=0.01, **({"evaluations": 100_000} if sampling else {}))

    def spend(f, seed, evaluations):
        if sampling:  # iterations without a tolerance; of channels, after an eighth for the search and a tenth for trials
            part = 30 if channels == "always" else 20
            return integral(f, seed, evaluations, relative=0, evaluations=max(1000, evaluations // part), iterations=20)
        return integral(f, seed, evaluations, relative=1e-9)

    return run, spend


def by_ultranest(f, seed, most):
    import logging

    import ultranest
    import ultranest.stepsampler as steps

    logging.getLogger("ultranest").setLevel(logging.ERROR)
    np.random.seed(seed)
    sampler = ultranest.ReactiveNestedSampler([f"x{i}" for i in range(f.d)], f, lambda u: u, vectorized=True)
    if f.d >= 10:
        sampler.stepsampler = steps.SliceSampler(nsteps=2 * f.d, generate_direction=steps.generate_mixture_random_direction)
    r = sampler.run(max_ncalls=most, show_status=False, viz_callback=False)
    return r["logz"], r["logzerr"]


def by_nautilus(f, seed, most):
    import nautilus

    sampler = nautilus.Sampler(lambda u: u, f, n_dim=f.d, vectorized=True, seed=seed, pass_dict=False)
    sampler.run(verbose=False, n_like_max=most)
    return sampler.log_z, 1 / math.sqrt(sampler.n_eff)


def by_dynesty(f, seed, most):
    import dynesty

    sampler = dynesty.NestedSampler(lambda u: float(f(u)[0]), lambda u: u, f.d, rstate=np.random.default_rng(seed))
    sampler.run_nested(print_progress=False, maxcall=most)
    return sampler.results.logz[-1], sampler.results.logzerr[-1]


def by_vegas(f, seed, most):
    import vegas

    np.random.seed(seed)
    integ = vegas.Integrator([[0, 1]] * f.d)
    integ(vegas.lbatchintegrand(f.scaled), nitn=10, neval=100_000)
    r = integ(vegas.lbatchintegrand(f.scaled), nitn=10, neval=100_000)
    return math.log(r.mean) + f.top, r.sdev / r.mean


def by_parismc(f, seed, most):
    import parismc

    np.random.seed(seed)
    n = 10
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        sampler = parismc.Sampler(f.d, n, f, [1e-4 * np.eye(f.d)] * n,
                                  config=parismc.SamplerConfig(boundary_limiting=True, use_pool=False))
        sampler.save_state = lambda *_: None  # it would pickle f
        sampler.prepare_lhs_samples(10_000, 1000)
        sampler.run_sampling(min(5000, most // n), folder, stop_dlogZ=0.1)
    return sampler._last_logZ_for_stop, math.nan  # which states no error


def by_sunburst(f, seed, most):
    import sunburst

    r = sunburst.compute_evidence(f, [(0, 1)] * f.d, seed=seed, use_gpu=False)
    return r.log_evidence, r.log_evidence_std


def of_kubature(code):
    """The two functions of a code of kubature: to a tolerance, and with given evaluations."""
    name, _, how = code.partition(":")
    return by_log_evidence(how) if name == "log_evidence" else by_method(name, how)


def finite(number):
    return float(number) if math.isfinite(number) else None


def timed(name, code, seed, run, most, seconds, **more):
    """Prints the line of a call, which ends after that much time of the processor."""
    f = PROBLEMS[name]()
    f.calls = 0

    def stop(*_):
        raise TimeoutError

    signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    begun = time.process_time()
    log_z, error, status = math.nan, math.nan, []
    try:
        with contextlib.redirect_stdout(sys.stderr):
            log_z, error, *status = run(f, seed, most)
    except TimeoutError:
        status = ["time_limit"]
    except (ValueError, ArithmeticError, ImportError) as why:
        status = [str(why)[:200]]
    finally:
        took = time.process_time() - begun
        signal.setitimer(signal.ITIMER_PROF, 0)
    print(json.dumps({"problem": name, "code": code, "seed": seed, "log_z": finite(log_z), "error": finite(error),
                      "off": finite(log_z - f.log_z), "evaluations": f.calls, "seconds": round(took, 3),
                      **({"status": status[0]} if status else {}), **more}), flush=True)
    return f.calls, took


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("code")
    parser.add_argument("problem", nargs="*", choices=[[], *PROBLEMS])
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--most", type=int, default=2_000_000)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--beside")
    parser.add_argument("--sources", metavar="STUDY", help=digest.SOURCES)
    given = parser.parse_args()
    os.environ["TQDM_DISABLE"] = "1"
    peers = {"ultranest": by_ultranest, "nautilus": by_nautilus, "dynesty": by_dynesty, "vegas": by_vegas,
             "paris": by_parismc, "sunburst": by_sunburst}
    if given.code in peers:
        run = peers[given.code]
        importlib.import_module(run.__name__.removeprefix("by_"))
    else:
        import kubature

        kubature.integrate("x", [(0, 1)])  # so that no call has the time of the library's start
        about = digest.heading(__file__, digest.of_build("python", kubature.info(), given.sources))
        print(json.dumps({"kubature": kubature.info(), "digest": about["digest"], "arguments": about["arguments"]}))
        run, spend = of_kubature(given.code)
    calls = [(name, seed) for name in PROBLEMS if name in (given.problem or PROBLEMS) for seed in range(given.seeds)]
    if not given.beside:
        for name, seed in calls:
            timed(name, given.code, seed, run, given.most, given.seconds)
        return
    with open(given.beside, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    for row in rows:
        if (row["problem"], row["seed"]) not in calls or row["off"] is None:
            continue
        which = (row["problem"], given.code, row["seed"], spend)
        made, took = timed(*which, min(row["evaluations"], given.most), given.seconds, beside=row["code"], equal="evaluations")
        fit = min(given.most, int(made * row["seconds"] / max(took, 1e-3)))
        timed(*which, max(2000, fit), given.seconds, beside=row["code"], equal="time")


if __name__ == "__main__":
    sys.exit(main())
