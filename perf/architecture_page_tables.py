"""The tables of docs/architectures.md (page_tables.py): those of compare.py, for the machines here that have a record of
the study `architecture`."""

import compare
from page_table import HERE, TABLES, commit

MACHINES = ("h200", "h200-x2", "xeon-16-cores", "xeon-2-cores")


def machines():
    return [compare.Machine(HERE / "results" / name) for name in MACHINES
            if (HERE / "results" / name / "architecture.json").exists()]


def named(name, show, *arguments):
    def table():
        of = machines()
        show(of, *arguments)
        print("\n*" + "; ".join(f"{each.name}: {commit(each.record)}" for each in of) + ". `architecture.json` in folders of "
              "`perf/results`.*")

    TABLES[f"architectures-{name}"] = table


named("limits", compare.limits)
named("throughput", compare.throughput)
named("calls", compare.same_work, "calls", "tolerance")
named("small", compare.same_work, "small", "samples an iteration, or tolerance")
named("threads", compare.threads)
