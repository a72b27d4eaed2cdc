#!/usr/bin/env python3
"""Joules of a call to a tolerance, which no paper has: every method on a few integrals, each call repeated for about a
second. GPUs have the counter of their driver (NVML); the processors of a host have RAPL where the system shows it.

perf/papers/energy.py --programs build/cuda/perf --output perf/results/MACHINE
"""

import pathlib
import time

from experiments import Energy, cell, converged, formula, head, milliseconds, row, run, table, true_error
from mixed_precision import EQUATIONS

NAMES = [f"x{k + 1}" for k in range(8)]
SQUARES = "+".join(f"({name}-0.5)^2" for name in NAMES[:5])
ABSOLUTE = "+".join(f"abs({name}-0.5)" for name in NAMES)
FORMULAS = {
    "f4-5d": formula(f"exp(-625*({SQUARES}))", NAMES[:5]),
    "f5-8d": formula(f"exp(-10*({ABSOLUTE}))", NAMES),
    "mixed-eq12": EQUATIONS["mixed-eq12"][0],
}
TOLERANCES = (1e-3, 1e-4, 1e-6)
# (name, method, whether the integrand is a formula, samples per iteration at first where the caller has to know them)
METHODS = (
    ("PAGANI", "pagani", False, None),
    ("two-phase", "two-phase", False, None),
    ("QMC", "qmc", False, None),
    ("VEGAS+", "vegas+", False, 1e5),
    ("m-Cubes", "mcubes", False, 1e5),
    ("Auto", "auto", False, None),
    ("plain", "mc", False, 1e6),
    ("plain, formula", "mc", True, 1e6),
    ("mixed, formula", "mixed", True, 1e6),
)
CUHRE = "Cuhre, one core"
MOST = 2e10  # samples per iteration


class Rapl:
    """The energy that the packages of a host's processors have taken, in joules; None where the system shows none."""

    def __init__(self, folder="/sys/class/powercap"):
        self.packages = [each for each in pathlib.Path(folder).glob("intel-rapl:*") if each.name.count(":") == 1]
        self.last, self.sum = {}, 0

    def __call__(self):
        try:
            for package in self.packages:
                now = int((package / "energy_uj").read_text())
                passed = now - self.last.get(package, now)
                if passed < 0:  # it begins again
                    passed += int((package / "max_energy_range_uj").read_text())
                self.last[package], self.sum = now, self.sum + passed
        except OSError:
            return None
        return self.sum / 1e6 if self.packages else None


class Counters:
    """Joules of GPU and host since the last reading."""

    def __init__(self, program):
        gpu, host = Energy(), Rapl()
        self.counters = {"gpu_joules": gpu if program.on_device else lambda: None, "host_joules": host}
        self.last = {}
        self()

    def __call__(self):
        now = {name: counter() for name, counter in self.counters.items()}
        passed = {name: None if value is None else value - self.last.get(name, value) for name, value in now.items()}
        self.last = now
        return passed


def enough(program, what, method, evaluations, options):
    """A call that converges, with more and more samples where the caller has to know them, and its options."""
    while True:
        samples = {} if evaluations is None else {"evaluations": evaluations}
        answer = program(what, method, **options, **samples)
        if converged(answer) or evaluations is None or answer["status"] == "time_limit":
            return answer, samples
        evaluations *= 4
        if evaluations > program.size(MOST):
            return answer, samples


def of_method(program, counters, integrand, name, method, by_formula, first):
    """The rows of a method by tolerance, up to the first that it misses; None: the script's time was over."""
    what = FORMULAS[integrand] if by_formula else integrand
    evaluations = first and program.size(first, 10_000)
    for tolerance in TOLERANCES:
        entry = {"integrand": integrand, "method": name, "tolerance": tolerance}
        if program.left() < 0:
            yield {**entry, "status": "not tried"}
            return
        seconds = max(0.1, program.seconds / 100)
        options = {"relative": tolerance, "seconds": seconds}
        try:
            answer, samples = enough(program, what, method, evaluations, options)
        except ValueError:
            yield {**entry, "status": "refused"}
            return
        evaluations = samples.get("evaluations")
        off = true_error(answer, program.truth(integrand))
        entry |= {"status": answer["status"], "evaluations": answer["evaluations"], "off": off}
        if not converged(answer):
            yield entry
            return
        counters()
        begin = time.monotonic()
        answer = program(what, method, {"repeat": 1_000_000, "budget": seconds}, **options, **samples)
        passed = time.monotonic() - begin
        joules = {key: None if value is None else value / answer["calls"] for key, value in counters().items()}
        yield {**entry, **joules, "milliseconds": 1e3 * passed / answer["calls"], "calls": answer["calls"]}


def of_cuhre(program, counters, integrand):
    """A sequential Cuhre on one core of the host, by the joules of the host alone; the GPU idles."""
    for tolerance in TOLERANCES:
        entry = {"integrand": integrand, "method": CUHRE, "tolerance": tolerance}
        if program.left() < 0:
            yield {**entry, "status": "not tried"}
            return
        calls, seconds = 0, max(0.1, program.seconds / 100)
        run = {"integrand": integrand, "tolerances": [tolerance], "max_evaluations": 10**9, "seconds": 3 * seconds}
        counters()
        begin = time.monotonic()
        while calls == 0 or time.monotonic() - begin < seconds:
            answer = program({"runs": [run]}, "cuhre")["runs"][0]["rungs"][0]
            calls += 1
        passed, joules = time.monotonic() - begin, counters()["host_joules"]
        off = true_error(answer, program.truth(integrand))
        entry |= {"status": answer["status"], "evaluations": answer["evaluations"], "off": off}
        if not converged(answer):
            yield entry
            return
        of_host = None if joules is None else joules / calls
        yield {**entry, "host_joules": of_host, "milliseconds": 1e3 * passed / calls, "calls": calls}


def idle(counters):
    """Watts of a second without a call."""
    counters()
    begin = time.monotonic()
    time.sleep(1)
    passed = time.monotonic() - begin
    return {name.replace("joules", "watts"): joules and joules / passed for name, joules in counters().items()}


def measure(program):
    counters = Counters(program)
    rows = []
    for integrand in FORMULAS:
        for method in METHODS:
            rows += of_method(program, counters, integrand, *method)
        if integrand != "mixed-eq12":
            rows += of_cuhre(program, counters, integrand)
    return {"idle": idle(counters), "energy": rows}


# ---- tables ------------------------------------------------------------------------------------------------


def counter_of(record):
    """The counter of the machine that computes."""
    first = record["backends"][0]["backend"]
    return "host_joules" if first in ("OpenMP", "Serial", "Threads") else "gpu_joules"


def joules_of(each, record):
    return each.get("host_joules" if each["method"] == CUHRE else counter_of(record))


def cell_of(each, record):
    """Joules and time of a row; why there are none."""
    if "milliseconds" not in each:
        return each["status"].replace("_", " ")
    wrong = "" if each["off"] <= each["tolerance"] else " (wrong)"
    joules = joules_of(each, record)
    energy = "not readable" if joules is None else f"{joules:.3g} J"
    return f"{energy}, {milliseconds(each['milliseconds'])}{wrong}"


def least(rows, record):
    """The method that takes the least energy for a right result."""
    known = {each["method"]: joules_of(each, record) for each in rows if each.get("off", 1) <= each["tolerance"]}
    known = {name: value for name, value in known.items() if value is not None}
    return min(known, key=known.get) if known else "-"


@table("Joules and time of a call to a relative tolerance")
def joules(record):
    head("integrand", "method", *(f"to {tolerance:.0e}" for tolerance in TOLERANCES))
    for integrand in dict.fromkeys(each["integrand"] for each in record["energy"]):
        mine = [each for each in record["energy"] if each["integrand"] == integrand]
        for name in dict.fromkeys(each["method"] for each in mine):
            found = {each["tolerance"]: each for each in mine if each["method"] == name}
            row(integrand, name, *(cell_of(found[t], record) if t in found else "-" for t in TOLERANCES))
        row(integrand, "least", *(least([each for each in mine if each["tolerance"] == t], record) for t in TOLERANCES))
    watts = {name: value for name, value in record["idle"].items() if value is not None}
    said = {"gpu_watts": "the GPU", "host_watts": "the host's processors"}
    if watts:
        each = ", ".join(f"{cell(value)} W ({said[name]})" for name, value in watts.items())
        print(f"\nWithout a call: {each}.")
    if record["idle"]["host_watts"] is None:
        print("\nThe host's counter of energy is not readable on this machine.")


if __name__ == "__main__":
    run(__file__, measure)
