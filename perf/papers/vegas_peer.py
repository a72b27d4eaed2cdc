#!/usr/bin/env python3
"""Lepage's vegas on the integrands of the cuVegas paper, one process on one core, NumPy functions, in the paper's
configurations (table 2), both up to the same number of evaluations: writes the rows of perf/peers/MACHINE-vegas.csv.
Times are the processor's, so that other work of the machine does not count. Needs vegas and SciPy.

    perf/papers/vegas_peer.py [largest number of evaluations per iteration] > perf/peers/MACHINE-vegas.csv
"""

import math
import os
import platform
import sys
import time

import numpy
import vegas
from scipy.special import ndtri

CONFIGURATIONS = {"def": {"alpha": 0.5, "bins": 1024}, "vf": {"alpha": 1.5, "bins": 50}}
DATES, STEPS = 16, 8


def arithmetic_asian(x):
    rate, volatility = 0.05, 0.2
    steps = (rate - volatility**2 / 2) / DATES + volatility / math.sqrt(DATES) * ndtri(x)
    mean = numpy.exp(numpy.cumsum(steps, axis=1)).mean(axis=1)
    return math.exp(-rate) * numpy.maximum(100 * mean - 100, 0)


def fixed_path(x):
    step = 4 / STEPS
    path = numpy.pad(x, ((0, 0), (1, 1)))
    action = (numpy.diff(path, axis=1) ** 2).sum(axis=1) / (2 * step) + step / 2 * (x**2).sum(axis=1)
    return (1 / (2 * math.pi * step)) ** (STEPS / 2) * numpy.exp(-action)


INTEGRANDS = {
    "sine-exponential": (2, lambda x: numpy.sin(x[:, 0]) + numpy.exp(x[:, 1])),
    "linear": (10, lambda x: x.sum(axis=1)),
    "cosine": (10, lambda x: numpy.cos(x).prod(axis=1)),
    "exponential": (10, lambda x: numpy.exp(-(x**2).sum(axis=1))),
    "roos-arnold": (10, lambda x: numpy.abs(4 * x - 2).mean(axis=1)),
    "morokoff-caflisch": (8, lambda x: (9 / 8) ** 8 * x.prod(axis=1) ** (1 / 8)),
    "gaussian": (4, lambda x: numpy.exp(-5000 * ((x - 0.5) ** 2).sum(axis=1)) / (2e-4 * math.pi) ** 2),
    "arithmetic-asian": (DATES, arithmetic_asian),
    "fixed-path": (STEPS - 1, fixed_path),
}


def processor():
    """The name of the processor."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return names[0] if names else platform.processor()


def main():
    most = float(sys.argv[1]) if len(sys.argv) > 1 else 1e6
    versions = f"vegas {vegas.__version__}, NumPy {numpy.__version__}, Python {platform.python_version()}"
    print(f"# {versions}, one process on one")
    print(f"# of {os.cpu_count()} cores of an {processor()}, {time.strftime('%Y-%m-%d')}: times of the processor;")
    print("# 20 iterations, all of which count, in configurations of table 2 of the cuVegas paper")
    print("# integrand;configuration;evaluations;processor milliseconds;value;reported")
    for name, (dimension, f) in INTEGRANDS.items():
        side = [-5, 5] if name == "fixed-path" else [0, 1]
        for configuration, of in CONFIGURATIONS.items():
            evaluations = 1e4
            while evaluations <= most:
                integrator = vegas.Integrator(dimension * [side], maxinc_axis=of["bins"])
                begin = time.process_time()
                result = integrator(
                    vegas.batchintegrand(f), nitn=20, neval=int(evaluations), alpha=of["alpha"], beta=0.75
                )
                elapsed = 1e3 * (time.process_time() - begin)
                print(
                    f"{name};{configuration};{evaluations:.0f};{elapsed:.4g};{result.mean:.12g};{result.sdev:.3g}",
                    flush=True,
                )
                evaluations *= 10


if __name__ == "__main__":
    main()
