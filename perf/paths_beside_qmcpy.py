#!/usr/bin/env python3
"""An Asian call at 252 dates, by the study `paths` and by QMCPy (pip install qmcpy), in one run: the errors and the
processor time of as many evaluations, of one thread each.

    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 perf/paths_beside_qmcpy.py PROGRAM [options]

PROGRAM is the study's. True errors are root mean squares over seeds against its reference. QMCPy evaluates one
randomised sequence of n points, in parts from 8192 points on, each as long as all before; kubature takes 16 shifts of
n / 16 points, from which its error follows.
"""

import argparse
import json
import statistics
import subprocess
import tempfile
import time

import numpy
import qmcpy

PART = 1 << 13


def of_kubature(arguments, paths, methods):
    with tempfile.NamedTemporaryFile(suffix=".json") as record:
        subprocess.run([arguments.program, "--seeds", str(arguments.seeds), "--first", str(arguments.first), "--last",
                        str(arguments.last), "--reference", str(arguments.reference), "--output", record.name,
                        "--paths", *paths, "--methods", *methods], check=True, stdout=subprocess.DEVNULL)
        return json.load(open(record.name))


def of_qmcpy(sequence, decomposition, n, seed):
    """The value, and seconds of processor time."""
    begin = time.process_time()
    points = getattr(qmcpy, sequence)(252, seed=seed)
    call = qmcpy.FinancialOption(points, option="ASIAN", volatility=0.2, start_price=100, strike_price=100,
                                 interest_rate=0.05, t_final=1, decomp_type=decomposition, asian_mean="ARITHMETIC",
                                 asian_mean_quadrature_rule="RIGHT")
    total = 0.0
    first, last = 0, min(PART, n)
    while first < n: # lattices are made up to powers of 2
        total += float(numpy.sum(call.f(points.gen_samples(n_min=first, n_max=last))))
        first, last = last, 2 * last
    return total / n, time.process_time() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", help="the study paths")
    parser.add_argument("--seeds", type=int, default=8)
    parser.add_argument("--first", type=int, default=1 << 10)
    parser.add_argument("--last", type=int, default=1 << 18)
    parser.add_argument("--reference", type=int, default=1 << 22)
    arguments = parser.parse_args()
    record = of_kubature(arguments, ["bridge", "principal"], ["lattice", "sobol"])
    truth = record["reference"]["value"]
    print(f"reference {truth:.8f} +- {record['reference']['error']:.1e}")
    rows = [(f"kubature {method}, {path}{', control variate' if control else ''}", n, off, ms)
            for path, control, method, n, ms, _, off in record["rows"]]
    n = arguments.first
    while n <= arguments.last:
        for sequence in ("Lattice", "Sobol"):
            for decomposition in ("PCA", "CHOLESKY"):
                runs = [of_qmcpy(sequence, decomposition, n, seed) for seed in range(arguments.seeds)]
                off = (sum((value / truth - 1) ** 2 for value, _ in runs) / len(runs)) ** 0.5
                rows.append((f"QMCPy {sequence}, {decomposition}", n, off, 1e3 * statistics.median(s for _, s in runs)))
        n *= 4
    for name, n, off, ms in sorted(rows):
        print(f"{name:48} {n:8} {off:9.1e} {ms:10.1f} ms", flush=True)


if __name__ == "__main__":
    main()
