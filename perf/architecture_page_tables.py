"""The tables of docs/architectures.md (page_tables.py): those of compare.py, for records of the study
`architecture`."""

import compare
import same_course
from page_table import HERE, TABLES, commit, named as is_table, record

MACHINES = ("h200", "xeon-16-cores", "xeon-2-cores")
HOSTS = MACHINES[1:]
TWO_GPUS = ("h200-x2/architecture-of-one.json", "h200-x2")  # of one commit


def named(name, show, *arguments, records=MACHINES):
    """The table architectures-NAME."""
    def table():
        of = [compare.Machine(HERE / "results" / each) for each in records]
        show(of, *arguments)
        print("\n*" + "; ".join(f"{each.name}: {commit(each.record)}" for each in of) + ". Records in folders of "
              "`perf/results`.*")

    TABLES[f"architectures-{name}"] = table


def two_gpus(machines):
    compare.throughput(machines, equal=True)
    print()
    compare.gains(machines[::-1])


named("limits", compare.limits, records=(*MACHINES, "h100"))
named("throughput", compare.throughput)
named("gains", compare.gains)
named("calls", compare.calls)
named("small", compare.same_work, "small", "samples an iteration, or tolerance")
named("gains-by-threads", compare.gains_by_threads, records=HOSTS)
named("two-gpus", two_gpus, records=TWO_GPUS)


@is_table
def same_course_of_backends():
    of = [record("same-course", machine) for machine in ("h200", "xeon-2-cores")]
    same_course.show(*of)
    commits = " and ".join(dict.fromkeys(commit(each) if "commit" in each else "of older code" for each in of))
    print(f"\n*NVIDIA H200 and two cores of an Intel Xeon, the ratios the latter's; `same-course.json` in folders of "
          f"`perf/results`, {commits}.*")
