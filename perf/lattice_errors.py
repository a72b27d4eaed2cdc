#!/usr/bin/env python3
"""Errors of lattices with different generating vectors, beside random points and Sobol's sequence; needs NumPy and SciPy.

    perf/lattice_errors.py --variables 252 VECTOR ...

A VECTOR is a text file of hexadecimal components (perf/generating_vector.py) or NumPy's of integers (.npy). The points
of each of 16 random shifts go through the tent; the error is the deviation of the shifts' means over the root of 16.
Prints relative errors by number of points in all, and the quotients of other vectors' errors and those of the first.
"""
import argparse

import numpy as np
from scipy.special import ndtri
from scipy.stats import qmc

SHIFTS = 16


def vector(path):
    return [int(z) for z in np.load(path)] if path.endswith(".npy") else \
        [int(word, 16) for word in open(path).read().split() if word.startswith("0x")]


def integrands(d):
    i = np.arange(1, d + 1)
    c = np.linspace(1, 0.2, d)
    square = 3 / np.sqrt(np.sum(c * c))
    times = i / d
    values, vectors = np.linalg.eigh(np.minimum.outer(times, times))
    components = (vectors * np.sqrt(values))[:, ::-1]

    def call(paths):  # on the arithmetic mean: price and strike 100, one year, 5 % interest, volatility 20 %
        return np.exp(-0.05) * np.maximum(np.mean(100 * np.exp(0.03 * times + 0.2 * paths), axis=1) - 100, 0)

    return {
        "product 1/i^2": lambda x: np.prod(1 + (x - 0.5) / i**2, axis=1),
        "product 1/i": lambda x: np.prod(1 + (x - 0.5) / i, axis=1),
        "product peak": lambda x: np.prod(1 / (1 + (square * c * (x - 0.3))**2), axis=1),
        "oscillatory": lambda x: np.cos(1 + x @ (4 / np.sum(c) * c)),
        "gaussian": lambda x: np.exp(-(x - 0.4)**2 @ (square * c)**2),
        "keister": lambda x: np.cos(np.sqrt((ndtri(x)**2).sum(axis=1) / 2)),
        "asian, steps": lambda x: call(np.cumsum(ndtri(x), axis=1) / np.sqrt(d)),
        "asian, principal": lambda x: call(ndtri(x) @ components.T),
    }


def lattice(z, m, shift):
    k = np.arange(1 << m, dtype=np.uint64)
    steps = np.array([zj % 2**64 for zj in z], dtype=np.uint64) << np.uint64(64 - m)
    x = (k[:, None] * steps).astype(float) * 2.0**-64 + shift
    return 1 - np.abs(2 * (x % 1) - 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--variables", type=int, default=252)
    parser.add_argument("--first", type=int, default=12, help="binary logarithm of the points in all")
    parser.add_argument("--last", type=int, default=18)
    parser.add_argument("vectors", nargs="+")
    given = parser.parse_args()
    d, random = given.variables, np.random.default_rng(7)
    shifts = random.random((SHIFTS, d))
    sources = {"random": lambda m, k: random.random((1 << m, d)),
               "sobol": lambda m, k: qmc.Sobol(d, bits=32, rng=np.random.default_rng(100 + k)).random_base2(m)}
    for path in given.vectors:
        sources[path] = lambda m, k, z=vector(path)[:d]: lattice(z, m, shifts[k])
    quotients = []
    for power in range(given.first, given.last + 1, 2):
        errors = {}
        for name, points in sources.items():
            sets = [np.clip(points(power - 4, k), 1e-16, 1 - 2.0**-53) for k in range(SHIFTS)]
            errors[name] = {of: np.std(means, ddof=1) / np.sqrt(SHIFTS) / abs(np.mean(means))
                            for of, f in integrands(d).items() for means in [[f(x).mean() for x in sets]]}
            print(f"2^{power} {name}:", ", ".join(f"{of} {e:.1e}" for of, e in errors[name].items()), flush=True)
        first, *others = given.vectors
        quotients += [errors[other][of] / errors[first][of] for other in others for of in errors[first]]
    if quotients:
        larger = sum(q > 1 for q in quotients)
        print(f"errors of the others over those of the first: {min(quotients):.2g} to {max(quotients):.2g}, median "
              f"{np.median(quotients):.2g}, above 1 in {larger} of {len(quotients)}")


main()
