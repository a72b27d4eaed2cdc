#!/usr/bin/env python3
"""Prints the records of vegas-throughput as Markdown tables, beside the figures to reach and those of other codes."""
import json
import sys

# One NVIDIA H200, CUDA 13.0: m-Cubes (marcpaterno/gpuintegration), cuVegas (emiliantolo/cuvegas), and what to reach.
# (work, precision, map): m-Cubes, cuVegas, to reach, in Geval/s
THROUGHPUT = {
    ("5-D f4", "fp64", "refined"): (10, 5.5, 75),
    ("5-D f4", "fp64", "frozen"): (66, None, 100),
    ("8-D f5", "fp64", "refined"): (6.4, 3.6, 45),
    ("10-D linear", "fp64", "refined"): (5.9, 2.9, 38),
    ("4-D ridge", "fp64", "refined"): (None, 0.215, 0.40),
    ("5-D f4", "fp32", "refined"): (None, None, 95),
}
# (work, evaluations an iteration): m-Cubes, cuVegas, to reach at most, in milliseconds for 20 iterations
CALLS = {
    ("4-D Gaussian", 1e6): (7.4, 28, 1.5),
    ("5-D f4", 1e7): (26, 79, 6),
    ("5-D f4", 1e8): (239, 590, 40),
    ("8-D f5", 1e8): (310, 702, 70),
    ("10-D Roos & Arnold", 1e8): (618, 789, 80),
}


def cell(number):
    return "-" if number is None else f"{number:.3g}"


def row(*cells):
    print("| " + " | ".join(cells) + " |")


def head(*cells):
    row(*cells)
    print("|" + "---|" * len(cells))


def show(record):
    card = record["backends"][0]
    on_device = card["backend"] == "Cuda"
    print(f"\n{card['device']}, {card['backend']}, Kokkos {record['kokkos']}, {record['compiler']} {record['flags']}, "
          f"commit {record['commit']}\n")

    peers = ("m-Cubes (CUDA)", "cuVegas", "to reach") if on_device else ()
    head("Geval/s", "precision", "map", "evaluations an iteration", "kubature", *peers)
    for entry in record["throughput"]:
        other = THROUGHPUT.get((entry["work"], entry["precision"], entry["map"]), (None,) * 3) if on_device else ()
        row(entry["work"], entry["precision"], entry["map"], f"{entry['evaluations']:.1e}",
            cell(entry["geval_per_second"]), *map(cell, other))

    print()
    peers = ("m-Cubes (CUDA)", "cuVegas", "at most") if on_device else ()
    head("whole call, 20 iterations, ms", "evaluations an iteration", "kubature", "second call", *peers)
    for entry in record["whole_calls"]:
        other = CALLS.get((entry["work"], entry["evaluations"]), (None,) * 3) if on_device else ()
        row(entry["work"], f"{entry['evaluations']:.0e}", cell(entry["milliseconds"]),
            cell(entry["second_call_milliseconds"]), *map(cell, other))

    if "against_scalar_loop" in record:
        loop = record["against_scalar_loop"]
        print()
        head("5-D f4, frozen map, same samples", "Geval/s", "times the loop")
        base = loop["scalar_loop_geval_per_second"]
        for name, key in (("plain scalar loop, one thread", "scalar_loop_geval_per_second"),
                          ("kubature, one thread", "one_thread_geval_per_second"),
                          (f"kubature, {loop['threads']} threads", "all_threads_geval_per_second")):
            row(name, f"{loop[key]:.4f}", f"{loop[key] / base:.2f}")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: tables.py RECORD.json ...")
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8") as file:
            show(json.load(file))
