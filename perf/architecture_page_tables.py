"""The tables of docs/architectures.md (page_tables.py): those of compare.py, for records of the study
`architecture`."""

import compare
from page_table import HERE, TABLES, commit

MACHINES = ("h200", "xeon-16-cores", "xeon-2-cores")
TWO_GPUS = ("h200-x2/architecture-of-one.json", "h200-x2")  # of one commit


def named(name, show, *arguments, records=MACHINES):
    def table():
        of = [compare.Machine(HERE / "results" / each) for each in records]
        show(of, *arguments)
        print("\n*" + "; ".join(f"{each.name}: {commit(each.record)}" for each in of) + ". Records in folders of "
              "`perf/results`.*")

    TABLES[f"architectures-{name}"] = table


named("limits", compare.limits)
named("throughput", compare.throughput)
named("calls", compare.same_work, "calls", "tolerance")
named("small", compare.same_work, "small", "samples an iteration, or tolerance")
named("threads", compare.threads)
named("two-gpus", compare.throughput, records=TWO_GPUS)
