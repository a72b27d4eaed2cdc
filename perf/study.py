#!/usr/bin/env python3
"""study.py SET [--build FOLDER] [--output FOLDER] [--threads N,N,...] [--launcher "mpirun -n N"]: measures a set of
studies with the programs of a build, the same work and seeds on every machine, and writes one folder of records,
perf/results/MACHINE by default.

  quick   what the machine can do at most, samples a second of each method, whole calls to tolerances, small calls;
          on hosts also with 1, 2, 4, ... threads: one to three minutes
  papers  the same with calls of up to 2.5 s, and the experiments of the papers (perf/papers)
  all     the same, and every other study of the build with its own defaults

With a launcher, whose words come before the program's, N processes of MPI make all calls together, each with a GPU.
scripts/study builds the programs first. perf/compare.py shows the records of several machines side by side."""
import argparse
import json
import os
import pathlib
import platform
import subprocess
import sys
import time

PERF = pathlib.Path(__file__).resolve().parent
SECONDS = {"quick": 0.1, "papers": 2.5, "all": 2.5}  # the longest that a row of the study architecture may take,
THROUGHPUT = 5  # and ten iterations of its samples a second


def said(*command):
    """What a command prints, or nothing where there is none."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def machine():
    """What the numbers depend on besides the program."""
    cpu = next((line.split(":", 1)[1].strip() for line in said("lscpu").splitlines() if line.startswith("Model name")),
               platform.processor())
    result = { "system": platform.platform(), "cpu": cpu, "cores": len(os.sched_getaffinity(0)) }
    query = said("nvidia-smi", "--query-gpu=name,clocks.max.sm,clocks.max.mem,power.limit,driver_version",
                 "--format=csv,noheader")
    if query:
        keys = ("name", "clock", "memory_clock", "power_limit", "driver")
        result["gpus"] = [dict(zip(keys, (part.strip() for part in line.split(",")))) for line in query.splitlines()]
    return result


def measured(program, *arguments, threads=None, launcher=()):
    """The record that a study writes."""
    environment = dict(os.environ)
    if not launcher:  # processes of a machine would be bound to the same cores
        environment |= {"OMP_PROC_BIND": "spread", "OMP_PLACES": "threads"}
    if threads:
        environment["OMP_NUM_THREADS"] = str(threads)
    started = time.monotonic()
    print(f"{program.name} {' '.join(arguments)}" + (f" with {threads} threads" if threads else ""), file=sys.stderr)
    command = [*launcher, program, *arguments, "--output", "-"]
    run = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True)
    if run.returncode != 0:
        sys.exit(f"{program} ended with {run.returncode}")
    record = json.loads(run.stdout)
    record["seconds"] = round(time.monotonic() - started, 1)
    return record


def architecture(program, seconds, **how):
    """The record of the study architecture but for Serial."""
    record = measured(program, "--seconds", str(THROUGHPUT), "--only", "throughput", **how)
    calls = measured(program, "--seconds", str(seconds), "--only", "calls", "small", **how)
    return record | {"calls": calls["calls"], "small": calls["small"], "seconds": record["seconds"] + calls["seconds"]}


def counts(cores):
    """1, 2, 4, ... threads, and all."""
    numbers = [1]
    while 2 * numbers[-1] < cores:
        numbers.append(2 * numbers[-1])
    return numbers + [cores] if cores > 1 else numbers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", choices=SECONDS)
    parser.add_argument("--build", type=pathlib.Path, default=PERF.parent / "build/perf")
    parser.add_argument("--output", type=pathlib.Path, help="folder of the records")
    parser.add_argument("--threads", help="numbers of threads, by default 1, 2, 4, ... and one per core")
    parser.add_argument("--launcher", default="", help="of the study `architecture` by several processes")
    options = parser.parse_args()
    programs = options.build / "perf"
    if not (programs / "architecture").exists():
        sys.exit(f"{programs} has no program architecture: configure with -DKUBATURE_BUILD_PERF=ON, or call scripts/study")
    seconds = SECONDS[options.set]

    record = architecture(programs / "architecture", seconds, launcher=options.launcher.split())
    record["machine"] = machine()
    record["set"] = options.set
    def limits(**how):
        return measured(programs / "limits", "--seconds", str(seconds / 2), **how)

    record["limits"] = limits()
    gpu = "gpus" in record["machine"] and record["space"] == "Cuda"
    if not gpu and not options.launcher:
        record["serial"] = measured(programs / "architecture", "--seconds", str(seconds), "--only", "serial",
                                    threads=1).get("serial")
        numbers = ([int(n) for n in options.threads.split(",")] if options.threads else
                   counts(record["machine"]["cores"]))
        record["threads"] = []
        for n in numbers:
            one = record
            if n != record["machine"]["cores"]:
                one = architecture(programs / "architecture", seconds, threads=n) | {"limits": limits(threads=n)}
            record["threads"].append({"threads": n, "limits": one["limits"]["samples"]} |
                                     {part: one[part] for part in ("throughput", "calls", "small")})
    name = record["machine"]["gpus"][0]["name"] if gpu else f"{record['machine']['cpu']} {record['machine']['cores']} cores"
    if record["processes"] > 1:
        name += f" x{record['processes']}"
    folder = options.output or PERF / "results" / "-".join(name.lower().replace("(r)", "").split())
    folder.mkdir(parents=True, exist_ok=True)

    def write(name, what):
        (folder / name).write_text(json.dumps(what, indent=1) + "\n")
        print(folder / name)

    write("architecture.json", record)
    if options.set == "all":
        for program in sorted(programs.iterdir()):
            if (program.is_file() and os.access(program, os.X_OK) and
                    program.name not in ("architecture", "limits", "scaling", "kubature_benchmarks")):
                write(f"{program.name}.json", measured(program))


if __name__ == "__main__":
    main()
