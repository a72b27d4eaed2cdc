#!/usr/bin/env python3
"""log-evidence of the standard problems of the nested-sampling papers, by kubature and by other codes, whichever can be
imported: prints a line of JSON for each call. evidence_beside_samplers.py CODE [PROBLEM ...] [--seeds N] [--most CALLS]

CODE is kubature (log_evidence), vegas-plus, qmc, pagani or auto (integrals of exp(L), NaN where they do not converge to
0.01), kubature-short (fewer evaluations of search and iterations, error 0.1), ultranest, nautilus, dynesty,
vegas, paris or sunburst.
The problems: two Gaussian shells (Feroz, Hobson and Bridges, MNRAS 398 (2009) 1601, section 6.2), an eggbox (there,
6.1), the LogGamma mixture of Beaujean and Caldwell (arXiv:1304.7808, section 4.2), Rosenbrock's function (Lange,
"nautilus", MNRAS 525 (2023) 3181, section 4.1), and a sum of four narrow Gaussians in the unit cube."""

from __future__ import annotations

import argparse
import json
import math
import sys
import time

import numpy as np


class Problem:
    """A log-likelihood in the unit cube of its box, for arrays (n, d), as a formula, and its log-evidence."""

    def __init__(self, name, box, log_l, formula, log_z):
        self.name, self.box, self.formula, self.log_z = name, np.array(box, float), formula, log_z
        self._log_l = log_l

    def __call__(self, u):
        return self._log_l(self.box[:, 0] + u * (self.box[:, 1] - self.box[:, 0]))

    @property
    def d(self):
        return len(self.box)


def names(d):
    return [f"x{i + 1}" for i in range(d)]


def grid(f, lower, upper, n):
    """The integral of f over an interval, by the trapezoidal rule."""
    x = np.linspace(lower, upper, n)
    y = f(x)
    return float(np.sum(y[1:] + y[:-1]) * (x[1] - x[0]) / 2)


def shells(d):
    radius, width, centres = 2.0, 0.1, (-3.5, 3.5)

    def log_l(x):
        rest = np.sum(x[:, 1:] ** 2, axis=1)
        r = [np.sqrt((x[:, 0] - c) ** 2 + rest) for c in centres]
        return np.logaddexp(*(-((each - radius) ** 2) / (2 * width**2) for each in r)) - math.log(math.sqrt(2 * math.pi) * width)

    rest = " + ".join(f"x{i}^2" for i in range(2, d + 1))
    parts = [f"-(sqrt((x1 - {c})^2 + {rest}) - 2)^2*50" for c in centres]
    formula = f"let a = {parts[0]}; let b = {parts[1]}; max(a, b) + log1p(exp(-abs(a - b))) - {math.log(math.sqrt(2 * math.pi) * width)!r}"
    sphere = 2 * math.pi ** (d / 2) / math.gamma(d / 2)
    one = grid(lambda r: r ** (d - 1) * np.exp(-((r - radius) ** 2) / (2 * width**2)), 0, 2 * radius, 400001)
    one *= sphere / (math.sqrt(2 * math.pi) * width)
    return Problem(f"shells-{d}", [(-6, 6)] * d, log_l, formula, math.log(2 * one) - d * math.log(12))


def eggbox(d):
    end = 10 * math.pi

    def log_l(x):
        return (2 + np.prod(np.cos(x / 2), axis=1)) ** 5

    a = np.linspace(0, 10 * math.pi, 8001)[:-1] + 10 * math.pi / 16000
    values = (2 + np.cos(a[:, None] / 2) * np.cos(a[None, :] / 2)) ** 5
    log_z = float(np.log(np.mean(np.exp(values - 243))) + 243)
    return Problem("eggbox-2", [(0, end)] * 2, log_l, "(2 + cos(x1/2)*cos(x2/2))^5", log_z)


def log_gamma(d):
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

    def of(z):
        return f"({z}) - exp({z})"

    def added(a, b):
        return f"(max({a}, {b}) + log1p(exp(-abs(({a}) - ({b})))))"

    terms = [f"{added('p', 'q')} + {half!r}", f"{added('r', 's')} + {half + normal!r}"]
    terms += [of(f"x{i + 1} - 10") if i < last else f"{normal!r} - (x{i + 1} - 10)^2/2" for i in range(2, d)]
    lets = f"let p = {of('x1 - 10')}; let q = {of('x1 + 10')}; let r = -(x2 - 10)^2/2; let s = -(x2 + 10)^2/2; "
    return Problem(f"loggamma-{d}", [(-30, 30)] * d, log_l, lets + " + ".join(terms), -d * math.log(60))


def rosenbrock(d):
    def log_l(x):
        return -np.sum((1 - x[:, :-1]) ** 2 + 100 * (x[:, 1:] - x[:, :-1] ** 2) ** 2, axis=1)

    formula = " ".join(f"- (1 - x{i})^2 - 100*(x{i + 1} - x{i}^2)^2" for i in range(1, d))
    # From the last variable on: a function of each is the integral over those that follow.
    x = np.linspace(-5, 5, 20001)
    inner = np.ones_like(x)
    for _ in range(d - 1):
        inner = np.array([np.sum(np.exp(-((1 - a) ** 2) - 100 * (x - a * a) ** 2) * inner) * (x[1] - x[0]) for a in x])
    return Problem(f"rosenbrock-{d}", [(-5, 5)] * d, log_l, formula, math.log(np.sum(inner) * (x[1] - x[0])) - d * math.log(10))


def gaussians(d):
    centres = [[0.2 + 0.15 * ((3 * k + 2 * i) % 5) for i in range(d)] for k in range(4)]
    widths = [0.01, 0.02, 0.04, 0.06]
    logs = [-0.5 * d * math.log(2 * math.pi * w * w) - math.log(4) for w in widths]

    def log_l(x):
        parts = [c - np.sum((x - np.array(m)) ** 2, axis=1) / (2 * w * w) for m, w, c in zip(centres, widths, logs)]
        top = np.max(parts, axis=0)
        return top + np.log(np.sum(np.exp(np.array(parts) - top), axis=0))

    def part(m, w, c):
        square = " + ".join(f"(x{i + 1} - {at!r})^2" for i, at in enumerate(m))
        return f"{c!r} - ({square})/{2 * w * w!r}"

    lets = "; ".join(f"let p{k} = {part(*each)}" for k, each in enumerate(zip(centres, widths, logs)))
    top = "let t = max(max(p0, p1), max(p2, p3)); "
    formula = f"{lets}; {top}t + log({' + '.join(f'exp(p{k} - t)' for k in range(4))})"
    return Problem(f"gaussians-{d}", [(0, 1)] * d, log_l, formula, 0.0)


def problems():
    yield from (shells(d) for d in (2, 5, 10, 20))
    yield eggbox(2)
    yield from (log_gamma(d) for d in (2, 10, 20))
    yield from (rosenbrock(d) for d in (2, 4))
    yield from (gaussians(d) for d in (4, 8))


class Counted:
    def __init__(self, problem):
        self.problem, self.calls = problem, 0

    def __call__(self, u):
        u = np.atleast_2d(u)
        self.calls += len(u)
        return self.problem(u)


def by_kubature(problem, seed, most, **options):
    import kubature

    r = kubature.log_evidence(problem.formula, {name: tuple(map(float, side)) for name, side in zip(names(problem.d), problem.box)},
                              seed=seed, evaluations=most, **options)
    volume = float(np.sum(np.log(problem.box[:, 1] - problem.box[:, 0])))
    return r.log_evidence - volume, r.error, r.evaluations


def by_method(method):
    """integrate() of exp(L - shift), whose values are doubles."""

    def run(problem, seed, most):
        import kubature

        shift = float(np.max(problem(np.random.default_rng(seed).random((100_000, problem.d)))))
        definitions, semicolon, formula = problem.formula.rpartition(";")
        options = {} if method == "pagani" else {"seed": seed}
        r = kubature.integrate(f"{definitions}{semicolon} exp({formula} - ({shift!r}))", problem.box.tolist(), method=method,
                               relative=0.01, max_evaluations=most, variables=names(problem.d), bar=False, **options)
        volume = float(np.sum(np.log(problem.box[:, 1] - problem.box[:, 0])))
        value = r.value if r.converged and r.value > 0 else math.nan
        return math.log(value) + shift - volume, r.error / r.value if r.value else math.nan, r.evaluations

    return run


by_vegas_plus, by_qmc, by_pagani, by_auto = map(by_method, ("vegas+", "qmc", "pagani", "auto"))


def by_kubature_short(problem, seed, most):
    return by_kubature(problem, seed, most, search=20_000, samples=5_000, error=0.1)


def by_ultranest(problem, seed, most):
    import logging

    import ultranest

    logging.getLogger("ultranest").setLevel(logging.ERROR)
    np.random.seed(seed)
    f = Counted(problem)
    sampler = ultranest.ReactiveNestedSampler(names(problem.d), f, lambda u: u, vectorized=True)
    if problem.d >= 10:
        import ultranest.stepsampler as steps

        sampler.stepsampler = steps.SliceSampler(nsteps=2 * problem.d, generate_direction=steps.generate_mixture_random_direction)
    r = sampler.run(max_ncalls=most, show_status=False, viz_callback=False)
    return r["logz"], r["logzerr"], f.calls


def by_nautilus(problem, seed, most):
    import nautilus

    f = Counted(problem)
    sampler = nautilus.Sampler(lambda u: u, f, n_dim=problem.d, vectorized=True, seed=seed, pass_dict=False)
    sampler.run(verbose=False, n_like_max=most)
    return sampler.log_z, 1 / math.sqrt(sampler.n_eff), f.calls


def by_dynesty(problem, seed, most):
    import dynesty

    f = Counted(problem)
    sampler = dynesty.NestedSampler(lambda u: float(f(u)[0]), lambda u: u, problem.d, rstate=np.random.default_rng(seed))
    sampler.run_nested(print_progress=False, maxcall=most)
    return sampler.results.logz[-1], sampler.results.logzerr[-1], f.calls


def by_vegas(problem, seed, most):
    import vegas

    np.random.seed(seed)
    f = Counted(problem)
    shift = float(np.max(problem(np.random.random((100_000, problem.d)))))
    batch = vegas.lbatchintegrand(lambda u: np.exp(f(u) - shift))
    integ = vegas.Integrator([[0, 1]] * problem.d)
    integ(batch, nitn=10, neval=100_000)
    r = integ(batch, nitn=10, neval=100_000)
    return math.log(r.mean) + shift, r.sdev / r.mean, f.calls


def by_paris(problem, seed, most):
    import tempfile

    import parismc

    np.random.seed(seed)
    f, n = Counted(problem), 10
    config = parismc.SamplerConfig(boundary_limiting=True, use_pool=False)
    sampler = parismc.Sampler(problem.d, n, f, [1e-4 * np.eye(problem.d)] * n, config=config)
    sampler.prepare_lhs_samples(10_000, 1000)
    with tempfile.TemporaryDirectory() as folder:
        sampler.run_sampling(min(5000, most // n), folder, stop_dlogZ=0.01)
    return sampler._last_logZ_for_stop, 0.01, f.calls  # which states no error; that is when it stops


def by_sunburst(problem, seed, most):
    import sunburst

    f = Counted(problem)
    r = sunburst.compute_evidence(f, [(0, 1)] * problem.d, seed=seed, use_gpu=False)
    return r.log_evidence, r.log_evidence_std, f.calls


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("code")
    parser.add_argument("problem", nargs="*")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--most", type=int, default=20_000_000)
    given = parser.parse_args()
    run = globals()["by_" + given.code.replace("-", "_")]
    for problem in problems():
        if given.problem and problem.name not in given.problem:
            continue
        for seed in range(given.seeds):
            begun = time.perf_counter()
            log_z, error, calls = run(problem, seed, given.most)
            took = time.perf_counter() - begun
            print(json.dumps({"problem": problem.name, "code": given.code, "seed": seed, "log_z": float(log_z),
                              "error": float(error), "off": float(log_z - problem.log_z), "evaluations": int(calls),
                              "seconds": round(took, 3)}), flush=True)


if __name__ == "__main__":
    sys.exit(main())
