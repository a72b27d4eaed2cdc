"""Times VEGAS iterations on an integrand of many components in kubature's Python package and in Lepage's vegas, both
with the full covariance of all components. The integrand is that of the study `components` as the same NumPy function,
a peak in four variables times Chebyshev polynomials of the first.

    python3 perf/python_components.py [--repeat 3] [--json perf/results/MACHINE/python-components.json]

Runs alternate; for each, the least processor time counts, over all threads. vegas and gvar are from PyPI."""

import argparse
import json
import time

import numpy

import digest
import kubature

parser = argparse.ArgumentParser()
parser.add_argument("--repeat", type=int, default=3)
parser.add_argument("--iterations", type=int, default=5)
parser.add_argument("--evaluations", type=int, default=20_000)
parser.add_argument("--components", type=int, nargs="*", default=[1, 4, 16, 32])
parser.add_argument("--json")
parser.add_argument("--sources", metavar="STUDY", help=digest.SOURCES)
given = parser.parse_args()
box = [(0, 1)] * 4


def polynomials(count):
    def f(x):
        t, values = 2 * x[:, 0] - 1, numpy.empty((len(x), count))
        now = numpy.exp(-10 * numpy.sum((x - 0.5) ** 2, axis=1))
        before = t * now
        for c in range(count):
            values[:, c] = now
            before, now = now, 2 * t * now - before
        return values if count > 1 else values[:, 0]

    return f


def by_vegas(f):
    import vegas

    return vegas.Integrator(box)(vegas.lbatchintegrand(f), nitn=given.iterations, neval=given.evaluations)


def by_kubature(f):
    return kubature.integrate(f, box, evaluations=given.evaluations, iterations=given.iterations, skip=0, seed=1,
                              covariance="full", bar=False)


rows = []
for count in given.components:
    f, least = polynomials(count), {}
    for _ in range(given.repeat):
        for name, run in (("vegas", by_vegas), ("kubature", by_kubature)):
            start = time.process_time()
            run(f)
            least[name] = min(time.process_time() - start, least.get(name, float("inf")))
    rows.append(dict(components=count, vegas_seconds=least["vegas"], kubature_seconds=least["kubature"]))
    print(f"{count:5d} components: vegas {least['vegas']:8.3f} s, kubature {least['kubature']:8.3f} s")
if given.json:
    about = digest.heading(__file__, digest.of_build("python", kubature.info(), given.sources))
    record = dict(study="python-components", kubature=kubature.info(), **about, iterations=given.iterations,
                  evaluations_per_iteration=given.evaluations, repeat=given.repeat, rows=rows)
    with open(given.json, "w", encoding="ascii") as file:
        json.dump(record, file, indent=1)
        file.write("\n")
