#!/usr/bin/env python3
"""study.py SET [--build FOLDER] [--output FOLDER] [--seconds N] [--threads N,N,...] [--launcher "mpirun -n N"]:
measures a set of studies with the programs of a build, the same work and seeds on every machine, and writes one folder
of records, perf/results/MACHINE by default.

  quick   what the machine can do at most, samples a second of each method, whole calls to tolerances, small calls;
          on hosts also with 1, 2, 4, ... threads: one to three minutes
  papers  the same with calls of up to 2.5 s, and the experiments of the papers (perf/papers), 90 to 240 s each
  all     the same, and every other study of the build with its own defaults

With --seconds each part has its share of so many seconds: rows are shorter, papers leave out what would begin later,
and another study that takes longer is ended without a record. With a launcher, whose words come before the program's,
N processes of MPI make all calls of the studies `architecture` and `scaling` together, each with a GPU. scripts/study
builds the programs first. perf/compare.py shows the records of several machines side by side."""
import argparse
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import time

import digest
import ladder

PERF = pathlib.Path(__file__).resolve().parent
SECONDS = {"quick": 0.1, "papers": 2.5, "all": 2.5}  # the longest that a row of the study architecture may take,
THROUGHPUT = 5  # and ten iterations of its samples a second
TYPICAL = {"quick": 30, "papers": 100, "all": 100}  # what that study takes in all with each number of threads
SCRIPTS = {path.stem: path.read_text(encoding="utf-8") for path in sorted(PERF.glob("papers/*.py"))}
PAPERS = {name: float((re.search(r"^SECONDS = (\d+)", text, re.MULTILINE) or [0, 90])[1])  # and what it takes
          for name, text in SCRIPTS.items() if "run(__file__" in text}
STUDY = 120  # the seconds of another study, as far as shares go
APART = ("architecture", "limits", "calls", "kubature_benchmarks")  # not studies that write a record by themselves


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


def folder_name(name):
    """The name of a machine's folder: h200 of NVIDIA H200, xeon-16-cores of Intel(R) Xeon(R) Processor 16 cores."""
    words = re.sub(r"\((r|tm)\)", " ", name.lower()).split()
    return "-".join(word for word in words if not re.fullmatch(
        r"nvidia|intel|amd|cpu|processor|@|[\d.]+ghz|\d+gb|hbm\d\w*|sxm\d|pcie|\d+-core", word))


class Parts:
    """The parts of a set, and the share that each has of the seconds that are left."""

    def __init__(self, seconds, weights):
        self.end = seconds and time.monotonic() + seconds
        self.weights = list(weights)
        self.failed = []

    def share(self):
        """The seconds of the next part; None where there is no limit."""
        part = self.weights[0] / sum(self.weights)
        self.weights.pop(0)
        return self.end and max(1.0, part * (self.end - time.monotonic()))

    def run(self, name, command, limit=None, **how):
        """A program's end, within the limit of seconds; None where it fails or takes longer."""
        print(" ".join(map(str, command)), file=sys.stderr, flush=True)
        try:
            return subprocess.run(command, stdin=subprocess.DEVNULL, check=True, timeout=limit, **how)
        except (OSError, subprocess.CalledProcessError, subprocess.TimeoutExpired) as failure:
            print(failure, file=sys.stderr)
            self.failed.append(name)
            return None

    def measured(self, program, *arguments, threads=None, launcher=(), limit=None):
        """The record that a study writes; None where it fails."""
        environment = dict(os.environ)
        if not launcher:  # processes of a machine would be bound to the same cores
            environment |= {"OMP_PROC_BIND": "spread", "OMP_PLACES": "threads"}
        if threads:
            environment["OMP_NUM_THREADS"] = str(threads)
        run = self.run(program.name, [*launcher, program, *arguments, "--output", "-"], limit, env=environment,
                       stdout=subprocess.PIPE, text=True)
        return run and json.loads(run.stdout)

    def needed(self, *arguments, **how):
        return self.measured(*arguments, **how) or sys.exit(1)


def counts(cores):
    """1, 2, 4, ... threads, and all."""
    numbers = [1]
    while 2 * numbers[-1] < cores:
        numbers.append(2 * numbers[-1])
    return numbers + [cores] if cores > 1 else numbers


def architecture(parts, programs, chosen, options):
    """The record of the studies architecture and limits, on hosts with each number of threads."""
    about, share = machine(), parts.share()
    launcher = options.launcher.split()
    numbers = [int(n) for n in options.threads.split(",")] if options.threads else counts(about["cores"])
    shorter = 1

    def one(**how):
        throughput = parts.needed(programs / "architecture", "--seconds", str(shorter * THROUGHPUT), "--only",
                                  "throughput", **how)
        calls = parts.needed(programs / "architecture", "--seconds", str(shorter * SECONDS[chosen]), "--only", "calls",
                             "small", **how)
        return throughput | {"calls": calls["calls"], "small": calls["small"]}

    def limits(**how):
        return parts.needed(programs / "limits", "--seconds", str(shorter * SECONDS[chosen] / 2), **how)

    first = limits()
    by_threads = ladder.on_host(first) and not launcher
    if share:
        shorter = min(1, share / TYPICAL[chosen] / (1 + len(numbers) if by_threads else 1))
    record = one(launcher=launcher) | {"machine": about, "set": chosen, "limits": first}
    if by_threads:
        record["serial"] = parts.needed(programs / "architecture", "--seconds", str(shorter * SECONDS[chosen]),
                                        "--only", "serial", threads=1).get("serial")
        record["threads"] = []
        for n in numbers:
            of = record
            if n != about["cores"]:
                of = one(threads=n) | {"limits": limits(threads=n)}
            record["threads"].append({"threads": n, "limits": of["limits"]["samples"]} |
                                     {part: of[part] for part in ("throughput", "calls", "small")})
    return record


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", choices=SECONDS)
    parser.add_argument("--build", type=pathlib.Path, default=PERF.parent / "build/perf")
    parser.add_argument("--output", type=pathlib.Path, help="folder of the records")
    parser.add_argument("--seconds", type=float, help="the time of all, of which each part has its share")
    parser.add_argument("--threads", help="numbers of threads, by default 1, 2, 4, ... and one per core")
    parser.add_argument("--launcher", default="", help="of `architecture` and `scaling` by several processes")
    options = parser.parse_args()
    programs = options.build / "perf"
    if not (programs / "architecture").exists():
        sys.exit(f"{programs} has no program architecture: configure with -DKUBATURE_BUILD_PERF=ON, or call "
                 "scripts/study")
    papers = PAPERS if options.set != "quick" else {}
    studies = [each for each in sorted(programs.iterdir()) if each.is_file() and os.access(each, os.X_OK) and
               each.name not in APART] if options.set == "all" else []
    parts = Parts(options.seconds, [TYPICAL[options.set], *papers.values(), *len(studies) * [STUDY]])

    record = architecture(parts, programs, options.set, options)
    host = ladder.on_host(record)
    name = f"{record['machine']['cpu']} {record['machine']['cores']} cores" if host else record["backends"][0]["device"]
    if record["processes"] > 1:
        name += f" x{record['processes']}"
    folder = options.output or PERF / "results" / folder_name(name)
    folder.mkdir(parents=True, exist_ok=True)

    def write(name, what):
        (folder / name).write_text(json.dumps(what, indent=1) + "\n")
        print(folder / name)

    digests = [of.get("digest", {name: None}) for name, of in (("architecture", record), ("limits", record["limits"]))]
    write("architecture.json", record | digest.heading(__file__, *digests))
    for paper in papers:
        share = parts.share()
        command = [sys.executable, PERF / "papers" / f"{paper}.py", "--programs", programs, "--output", folder]
        name = f"papers-{paper.replace('_', '-')}"
        # a script ends after the call that it is making
        if parts.run(name, [*command, *(["--seconds", f"{share:.0f}"] if share else [])], share and 2 * share + 60,
                     stdout=sys.stderr):
            print(folder / f"{name}.json")
    for study in studies:
        how = {"limit": parts.share()}
        arguments = []
        if study.name == "scaling":
            how["launcher"] = options.launcher.split()
            arguments = ["--scale", "0.01"] if host else []
        if found := parts.measured(study, *arguments, **how):
            write(f"scaling-{found['processes']}.json" if study.name == "scaling" else f"{study.name}.json", found)
    if parts.failed:
        sys.exit("failed, or out of time: " + ", ".join(parts.failed))


if __name__ == "__main__":
    main()
