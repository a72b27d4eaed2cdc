"""Integrates random integrals with known values by kubature's methods and by its peers, and counts what is wrong.

    python3 perf/real_integrals/run.py --set 1 --count 24 --methods auto,pagani,vegas+,qmc --seconds 3 --output all.json
    python3 perf/real_integrals/run.py --program build/cuda/app/kubature --methods auto --output all.json
    python3 perf/real_integrals/table.py all.json

Set 1 is checked in; others are generated, which needs mpmath. Peers are methods, too: vegas, scipy-quad (nquad in
several variables), scipy-cubature, scipy-qmc, cuba-vegas, cuba-suave, cuba-divonne, cuba-cuhre. A method is asked for each tolerance in turn and stops after a miss. The
calls run in a process of their own: one that does not return, or ends that process, is recorded as "hang" or "crash".
"""

import argparse
import json
import multiprocessing
import os
import pathlib
import platform
import sys
import time

import callers

KINDS = (
    "upper-end lower-end inside diagonal pairs point ends tails heavy gaussians oscillation cuts narrow zero constants "
    "scaled several divergent"
).split()


def integrals(set_number, kinds, count):
    """Those of a set: of each kind the first `count`."""
    if set_number == 1:
        with open(pathlib.Path(__file__).parent / "set1.json", encoding="ascii") as file:
            return [each for each in json.load(file) if each["kind"] in kinds and each["number"] < count]
    import generate

    return [generate.plain(kind, set_number, number) for kind in kinds for number in range(count)]


def suits(integral, method):
    """Whether a method takes the integrand: one component, but for those that sample from a map; and for two of Cuba's,
    several variables."""
    if method in ("cuba-divonne", "cuba-cuhre") and "," not in integral["box"]:
        return False
    return ";" not in integral["formula"] or method in ("vegas+", "mcubes", "mc")


def work(pipe, program):
    """Answers each (method, integral, tolerance, limits) with a record of the call."""
    caller = callers.Callers(program)
    while True:
        job = pipe.recv()
        if job is None:
            return
        began = time.perf_counter()
        try:
            record = caller.call(*job)
        except Exception as problem:  # whatever it is, it is a finding
            record = dict(status="exception", remarks=[f"{type(problem).__name__}: {problem}"])
        pipe.send(dict(record, wall=time.perf_counter() - began))


class Worker:
    """A process that makes the calls, and is replaced when it does not answer."""

    def __init__(self, program, longest):
        self._program, self._longest = program, longest
        self._context = multiprocessing.get_context("spawn")
        self._start()

    def _start(self):
        self._pipe, other = self._context.Pipe()
        self._process = self._context.Process(target=work, args=(other, self._program), daemon=True)
        self._process.start()
        other.close()

    def call(self, *job):
        self._pipe.send(job)
        record = dict(status="hang", wall=self._longest)
        try:
            if self._pipe.poll(self._longest):
                return self._pipe.recv()
        except EOFError:
            self._process.join()
            record = dict(status="crash", remarks=[f"exit code {self._process.exitcode}"])
        self._process.kill()
        self._process.join()
        self._start()
        return record

    def close(self):
        self._pipe.send(None)
        self._process.join()


def calls(integral, method, given, worker):
    """The calls of one method on one integral, the loosest tolerance first, up to the first miss."""
    limits = dict(
        seconds=given.seconds, evaluations=given.evaluations, seed=given.seed + integral["number"], policy=given.policy
    )
    tolerances = given.tolerances[:1] if integral["kind"] == "divergent" else given.tolerances
    for tolerance in tolerances:
        record = worker.call(method, integral, tolerance, limits)
        yield dict(kind=integral["kind"], number=integral["number"], method=method, tolerance=tolerance, **record)
        if record["status"] != "converged":
            return


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = lambda text: text.split(",")
    parser.add_argument("--set", type=int, default=1)
    parser.add_argument("--kinds", type=names, default=KINDS)
    parser.add_argument("--count", type=int, default=100, help="integrals of each kind")
    parser.add_argument("--methods", type=names, default=["auto"])
    parser.add_argument(
        "--tolerances", type=lambda text: [float(each) for each in text.split(",")], default=[1e-3, 1e-5, 1e-7]
    )
    parser.add_argument("--seconds", type=float, default=3, help="limit of a call; 0: none")
    parser.add_argument("--evaluations", type=int, default=0, help="limit of a call; 0: none")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", help="the program kubature, instead of the Python package")
    parser.add_argument("--policy", default="", help="constants that the program is to set: see `kubature policies`")
    parser.add_argument("--output", required=True)
    given = parser.parse_args()
    if given.policy and not given.program:
        parser.error("--policy needs --program")
    return given


def main():
    given = arguments()
    chosen = integrals(given.set, given.kinds, given.count)
    worker = Worker(given.program, 20 + 20 * given.seconds)
    found, said = [], time.monotonic()
    for number, integral in enumerate(chosen):
        for method in given.methods:
            if suits(integral, method):
                found.extend(calls(integral, method, given, worker))
        if time.monotonic() - said > 30:
            said = time.monotonic()
            print(f"{number + 1} of {len(chosen)} integrals, {len(found)} calls", file=sys.stderr, flush=True)
    worker.close()
    record = dict(
        study="real-integrals",
        set=given.set,
        seconds=given.seconds,
        evaluations=given.evaluations,
        policy=given.policy,
        machine=platform.processor() or platform.machine(),
        cores=len(os.sched_getaffinity(0)),
        threads=os.environ.get("OMP_NUM_THREADS", ""),
        versions=callers.versions(given.methods, given.program),
        integrals=chosen,
        calls=found,
    )
    with open(given.output, "w", encoding="utf-8") as file:
        json.dump(record, file, indent=None, separators=(",", ":"))
        file.write("\n")


if __name__ == "__main__":
    main()
