"""Times 20 iterations of 1e6 samples of f4 in 5 variables (a Gaussian of width 1/25) in kubature's Python package and
in Lepage's vegas: the same NumPy function, a formula, and a C function by numba.

    python3 perf/python_vegas.py [--repeat 3] [--json perf/results/MACHINE/python-vegas.json]

Times to the same error are multiplied by the squares of the errors. Runs alternate; for each, the shortest counts, as
others may use the machine. vegas, gvar and numba are from PyPI."""

import argparse
import json
import math
import os
import resource
import time

import numpy

import digest
import kubature

parser = argparse.ArgumentParser()
parser.add_argument("--repeat", type=int, default=3)
parser.add_argument("--iterations", type=int, default=20)
parser.add_argument("--evaluations", type=int, default=1_000_000)
parser.add_argument("--json")
parser.add_argument("--sources", metavar="STUDY", help=digest.SOURCES)
given = parser.parse_args()

box = [(0, 1)] * 5
truth = (math.sqrt(math.pi / 625) * math.erf(12.5)) ** 5


def f(x):
    return numpy.exp(-625 * numpy.sum((x - 0.5) ** 2, axis=1))


def by_kubature(integrand):
    options = dict(evaluations=given.evaluations, iterations=given.iterations, skip=0, seed=1, bar=False)
    return lambda: kubature.integrate(integrand, box, **options)


def runs():
    """(name, run) of everything that is available; run() returns (value, error, evaluations)."""
    import vegas

    @vegas.lbatchintegrand
    def g(x):
        return f(x)

    def by_vegas():
        result = vegas.Integrator(box)(g, nitn=given.iterations, neval=given.evaluations)
        return result.mean, result.sdev, result.sum_neval

    yield f"vegas {vegas.__version__}, NumPy function", by_vegas

    def of(run):
        def numbers():
            result = run()
            return result.value, result.error, result.evaluations

        return numbers

    yield "kubature, the same NumPy function", of(by_kubature(f))
    yield "kubature, formula", of(by_kubature("exp(-625*((x1-.5)^2+(x2-.5)^2+(x3-.5)^2+(x4-.5)^2+(x5-.5)^2))"))
    import numba

    double = numba.types.CPointer(numba.float64)
    signature = numba.int32(numba.int64, numba.int32, double, numba.int32, double, numba.types.voidptr)

    @numba.cfunc(signature)
    def h(n, d, x, components, values, user):
        for k in range(n):
            square = 0.0
            for i in range(d):
                square += (x[k * d + i] - 0.5) ** 2
            values[k] = math.exp(-625 * square)
        return 0

    yield f"kubature, C function by numba {numba.__version__}", of(by_kubature(h))


def wall_and_processor(run):
    wall, processor = time.perf_counter(), time.process_time()
    numbers = run()
    return time.perf_counter() - wall, time.process_time() - processor, numbers


def megabytes(run):
    """The memory that a run adds to a process of its own, at its peak. Called before any other run, so that the process
    begins with none of what runs keep."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        run()
        os.write(writer, str(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before).encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(writer)
    with os.fdopen(reader) as told:
        return int(told.read()) / 1024


all_runs = list(runs())
memory = {name: megabytes(run) for name, run in all_runs}
times = {name: [] for name, _ in all_runs}
for _ in range(given.repeat):
    for name, run in all_runs:
        times[name].append(wall_and_processor(run))
table = []
for name, _ in all_runs:
    wall, processor, (value, error, evaluations) = min(times[name], key=lambda each: each[0])
    entry = dict(
        name=name,
        seconds=wall,
        processor_seconds=min(each[1] for each in times[name]),
        value=value,
        error=error,
        megabytes=memory[name],
        pull=(value - truth) / error,
        evaluations=int(evaluations),
    )
    table.append(entry)
    entry["times_as_fast"] = table[0]["seconds"] / wall
    to_the_same_error = entry["times_as_fast"] * (table[0]["error"] / error) ** 2
    print(
        f"{name:44s} {wall:7.3f} s, processor {entry['processor_seconds']:7.3f} s, {entry['times_as_fast']:5.1f} times, "
        f"to the same error {to_the_same_error:5.1f}, {memory[name]:5.0f} MB"
    )
if given.json:
    record = dict(
        study="python-vegas",
        kubature=kubature.info(),
        **digest.heading(__file__, digest.of_build("python", kubature.info(), given.sources)),
        cores=len(os.sched_getaffinity(0)),
        threads=os.environ.get("OMP_NUM_THREADS", ""),
        iterations=given.iterations,
        evaluations_per_iteration=given.evaluations,
        repeat=given.repeat,
        runs=table,
    )
    with open(given.json, "w", encoding="ascii") as file:
        json.dump(record, file, indent=1)
        file.write("\n")
