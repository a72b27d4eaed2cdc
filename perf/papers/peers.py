#!/usr/bin/env python3
"""torchquad and ZMCintegral, as PyPI has them, beside kubature on the same GPU, with equal numbers of samples in double
precision. What cannot be imported is named in the record. torchquad needs PyTorch, autoray and loguru; ZMCintegral
needs numba for CUDA, and Ray, which only distributes its work: where Ray is lacking, calls are made in this process.

    perf/papers/peers.py --programs build/cuda/perf --output perf/results/MACHINE --seconds 60
"""

import contextlib
import importlib.metadata
import math
import os
import statistics
import sys
import tempfile
import time
import types

from cuvegas import APPLICATIONS, SEVEN, geometric
from experiments import cell, head, milliseconds, paper, row, rows_of, run, table, verdict

PAPER = paper("cuvegas")
TOTALS = (1e7, 1e8)  # samples of a call of torchquad
CALLS = 4  # the first sets up
VEGASFLOW = "its only way to a GPU is TensorFlow, whose wheel of 570 MB was not at hand"
DATES, STEPS = 16, 8


def functions(torch):
    """(dimension, side, function of points as rows) by name."""

    def arithmetic_asian(x):
        rate, volatility = 0.05, 0.2
        drift = (rate - volatility**2 / 2) / DATES
        steps = drift + volatility / math.sqrt(DATES) * torch.special.ndtri(x)
        mean = torch.exp(torch.cumsum(steps, dim=1)).mean(dim=1)
        return math.exp(-rate) * torch.clamp(100 * mean - 100, min=0)

    def fixed_path(x):
        step = 4 / STEPS
        path = torch.nn.functional.pad(x, (1, 1))
        action = (torch.diff(path, dim=1) ** 2).sum(dim=1) / (2 * step) + step / 2 * (x**2).sum(dim=1)
        return (1 / (2 * math.pi * step)) ** (STEPS / 2) * torch.exp(-action)

    unit = (0, 1)
    return {
        "sine-exponential": (2, unit, lambda x: torch.sin(x[:, 0]) + torch.exp(x[:, 1])),
        "linear": (10, unit, lambda x: x.sum(dim=1)),
        "cosine": (10, unit, lambda x: torch.cos(x).prod(dim=1)),
        "exponential": (10, unit, lambda x: torch.exp(-(x**2).sum(dim=1))),
        "roos-arnold": (10, unit, lambda x: torch.abs(4 * x - 2).mean(dim=1)),
        "morokoff-caflisch": (8, unit, lambda x: (9 / 8) ** 8 * x.prod(dim=1) ** (1 / 8)),
        "gaussian": (4, unit, lambda x: torch.exp(-5000 * ((x - 0.5) ** 2).sum(dim=1)) / (2e-4 * math.pi) ** 2),
        "f4-5d": (5, unit, lambda x: torch.exp(-625 * ((x - 0.5) ** 2).sum(dim=1))),
        "arithmetic-asian": (DATES, unit, arithmetic_asian),
        "fixed-path": (STEPS - 1, (-5, 5), fixed_path),
    }


def timed(torch, call):
    """The median time of later calls in milliseconds, and the last result."""
    times = []
    for seed in range(CALLS):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        result = call(seed + 1)
        torch.cuda.synchronize()
        times.append(1e3 * (time.perf_counter() - begin))
    return statistics.median(times[1:]), result


def beside_torchquad(program):
    """torchquad's VEGAS+; ours with as many samples, compiled and, in the Python module, with the same function."""
    import torch
    import torchquad

    if not torch.cuda.is_available():
        raise ModuleNotFoundError("torch has no GPU")
    kubature = None
    with contextlib.suppress(ImportError):
        import kubature
    rows = []
    for total in TOTALS:
        for integrand, (dimension, side, function) in functions(torch).items():
            if program.left() < program.seconds / 4:
                rows.append({"integrand": integrand, "total": total, "left_out": "not tried"})
                continue
            torchquad.set_up_backend("torch", data_type="float64")

            def theirs(seed):
                return torchquad.VEGAS().integrate(
                    function,
                    dim=dimension,
                    N=program.size(total, 10_000),
                    integration_domain=[list(side)] * dimension,
                    seed=seed,
                    backend="torch",
                    return_error=True,
                )

            try:
                milliseconds_, result = timed(torch, theirs)
            except RuntimeError as problem:  # such as a lack of memory
                rows.append({"integrand": integrand, "total": total, "left_out": str(problem)[:100]})
                continue
            samples = int(result.nr_of_fevals)
            options = {"evaluations": max(1000, samples // 20), "iterations": 20, "skip": 0}
            asked = {"repeat": 5, "budget": program.seconds / 60}
            mine = program(integrand, "vegas+", asked, **options)
            entry = {
                "integrand": integrand,
                "total": total,
                "samples": samples,
                "milliseconds": milliseconds_,
                "value": float(result.integral),
                "error": float(result.sdev),
                "true_value": mine["true_value"],
                "kubature": {key: mine[key] for key in ("milliseconds", "value", "error", "evaluations")},
            }
            torch.set_default_device(None)
            torch.set_default_dtype(torch.float32)
            if kubature:
                of_torch = kubature.on_device(function, "torch")

                def ours(seed):
                    box = [side] * dimension
                    return kubature.integrate(of_torch, box, method="vegas+", seed=seed, bar=False, **options)

                time_, answer = timed(torch, ours)
                entry["python"] = {"milliseconds": time_, "value": answer.value, "error": answer.error}
            rows.append(entry)
    return {"torch": torch.__version__, "torchquad": importlib.metadata.version("torchquad"), "rows": rows}


def ray_in_process():
    """A module with what ZMCintegral uses of Ray, which makes each call at once in this process."""
    ray = types.ModuleType("ray")
    ray.remote = lambda **_: lambda function: types.SimpleNamespace(remote=function)
    ray.get = lambda results: results
    ray.init = ray.shutdown = lambda **_: None
    ray.cluster_resources = lambda: {"GPU": 1}
    return ray


ZMC = {  # (dimension, side, body)
    "fA": (6, (0, 10), "return math.sin(x[0] + x[1] + x[2] + x[3] + x[4] + x[5])"),
    "fB": (9, (-1, 1), "return sum_of(9, 0.0, x, -5000.0) * 100.0**9 / (2 * math.pi) ** 4.5"),
    "f4-5d": (5, (0, 1), "return sum_of(5, 0.5, x, -625.0)"),
}
FUNCTION = """
import math
from numba import cuda
@cuda.jit(device=True)
def sum_of(dimension, centre, x, factor):
    square = 0.0
    for i in range(dimension):
        square += (x[i] - centre) * (x[i] - centre)
    return math.exp(factor * square)
@cuda.jit(device=True)
def fun(x):
    {}
"""


def beside_zmcintegral(program):
    """ZMCintegral's stratified samples, five of each, without its search (depth 1): about 2.6e5 strata of 1000 samples;
    ours by plain Monte Carlo and m-Cubes with as many."""
    with contextlib.suppress(ImportError):
        import ray  # noqa: F401
    own_ray = "ray" in sys.modules
    if not own_ray:
        sys.modules["ray"] = ray_in_process()
    import numpy

    if not hasattr(numpy, "row_stack"):  # NumPy 2.5 dropped the name, which numba for CUDA asks for
        numpy.row_stack = numpy.vstack
    from numba import cuda
    from ZMC.ZMCintegral_normal import MCintegral_normal

    if not cuda.is_available():
        raise ModuleNotFoundError("numba has no GPU")
    rows = []
    for integrand, (dimension, side, body) in ZMC.items():
        parts, trials, points = round(2.6e5 ** (1 / dimension)), 5, program.size(1000, 10)
        times = []
        for _ in range(CALLS):
            begin = time.perf_counter()
            value, error = MCintegral_normal(
                my_func=FUNCTION.format(body),
                domain=[list(side)] * dimension,
                head_node_address="",
                num_trials=trials,
                depth=1,
                num_points_in_one_chunk=points,
                num_chunks_in_one_dimension=parts,
                batch_size=parts**dimension + 1,
            ).evaluate()
            times.append(1e3 * (time.perf_counter() - begin))
        samples = parts**dimension * trials * points
        entry = {
            "integrand": integrand,
            "samples": samples,
            "milliseconds": statistics.median(times[1:]),
            "value": float(value),
            "error": float(error),
        }
        for method in ("mc", "mcubes"):
            options = {"evaluations": samples // 10, "iterations": 10}
            asked = {"repeat": 5, "budget": program.seconds / 60}
            mine = program(integrand, method, asked, **options, **({"skip": 0} if method == "mcubes" else {}))
            entry["true_value"] = mine["true_value"]
            entry[method] = {key: mine[key] for key in ("milliseconds", "value", "error", "evaluations")}
        rows.append(entry)
    version = importlib.metadata.version("ZMCintegral")
    return {"zmcintegral": version, "ray": "Ray" if own_ray else "calls in this process", "rows": rows}


def measure(program):
    record = {"vegasflow": {"left_out": VEGASFLOW}}
    for name, part in (("zmcintegral", beside_zmcintegral), ("torchquad", beside_torchquad)):
        here = os.getcwd()
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(sys.stderr):
            os.chdir(folder)  # ZMCintegral leaves files
            try:
                record[name] = part(program)
            except Exception as problem:  # whatever it is, the other goes on
                record[name] = {"left_out": f"{type(problem).__name__}: {problem}"[:200]}
            finally:
                os.chdir(here)
    return record


# ---- tables ------------------------------------------------------------------------------------------------


def off(each, truth):
    return "-" if truth is None else f"{abs(each['value'] - truth) / each['error']:.1f}"


def right(each, truth):
    return truth is None or abs(each["value"] - truth) <= 5 * each["error"]


def at_equal_error(theirs, mine):
    return theirs["milliseconds"] / mine["milliseconds"] * (theirs["error"] / mine["error"]) ** 2


def left_out(record, name):
    of = record[name]
    if "left_out" in of:
        print(f"Not run: {of['left_out']}.")
    return "left_out" in of


def over_torchquad(record, integrands):
    """The geometric mean of how many times as fast for the same error, with most samples, where both are right."""
    rows = [each for each in record["torchquad"].get("rows", ()) if "left_out" not in each]
    found = {}
    for each in rows:
        both = right(each, each["true_value"]) and right(each["kubature"], each["true_value"])
        if each["integrand"] in integrands and both:
            found[each["integrand"]] = at_equal_error(each, each["kubature"])
    return geometric(found.values())


def theirs_over_torchquad(number):
    return next(each["tq"] for each in rows_of(PAPER[number]) if each["code"] == "TorchQuad")


@table("torchquad's VEGAS+ on the same GPU, with equal numbers of samples")
def torchquad_beside(record):
    if left_out(record, "torchquad"):
        return
    head(
        "integrand",
        "samples",
        "torchquad",
        "error",
        "off, in errors",
        "kubature, compiled",
        "error",
        "off, in errors",
        "times as fast",
        "for the same error",
        "the same function of torch in kubature",
        "times as fast",
    )
    for each in record["torchquad"]["rows"]:
        if "left_out" in each:
            row(each["integrand"], f"{each['total']:.0e}", each["left_out"], *["-"] * 9)
            continue
        mine, truth, python = each["kubature"], each["true_value"], each.get("python")
        row(
            each["integrand"],
            f"{each['samples']:.1e}",
            milliseconds(each["milliseconds"]),
            f"{each['error']:.1e}",
            off(each, truth),
            milliseconds(mine["milliseconds"]),
            f"{mine['error']:.1e}",
            off(mine, truth),
            cell(each["milliseconds"] / mine["milliseconds"]),
            cell(at_equal_error(each, mine)),
            milliseconds(python and python["milliseconds"]),
            cell(python and each["milliseconds"] / python["milliseconds"]),
        )


@table("How many times as fast as torchquad for the same error, where both results are right")
def torchquad_ratios(record):
    if left_out(record, "torchquad"):
        return
    version = record["torchquad"]["torchquad"]
    head("integrands", "cuVegas in its paper, torchquad 0.4.0", f"here, torchquad {version}", "")
    cases = [("geometric mean of the first seven", "table 7", SEVEN)]
    cases += [(name, number, (name,)) for name, number in APPLICATIONS.items()]
    for name, number, integrands in cases:
        said, mine = theirs_over_torchquad(number), over_torchquad(record, integrands)
        row(name, cell(said), cell(mine), verdict(mine, said, larger=True))


@table("ZMCintegral on the same GPU, with equal numbers of samples")
def zmcintegral_beside(record):
    if left_out(record, "zmcintegral"):
        return
    head(
        "integrand",
        "samples",
        "ZMCintegral",
        "error",
        *(text for name in ("plain Monte Carlo", "m-Cubes") for text in (name, "error", "times as fast")),
    )
    for each in record["zmcintegral"]["rows"]:
        cells = []
        for method in ("mc", "mcubes"):
            mine = each[method]
            cells += [milliseconds(mine["milliseconds"]), f"{mine['error']:.1e}"]
            cells.append(cell(each["milliseconds"] / mine["milliseconds"]))
        first = milliseconds(each["milliseconds"]), f"{each['error']:.1e}"
        row(each["integrand"], f"{each['samples']:.1e}", *first, *cells)


if __name__ == "__main__":
    run(__file__, measure)
