"""The tables of the pages on the papers' experiments (page_tables.py): those of perf/papers, from the record of the
first machine here that has one. Papers without a record have no tables, and experiments of no paper say that they are
not measured."""

import importlib
import json
import sys

from markdown_table import head, row
from page_table import HERE, TABLES, caption

sys.path.insert(0, str(HERE / "papers"))
common = importlib.import_module("experiments")

MACHINES = ("h200", "h100")
PAPERS = {
    "mixed_precision": "[mixed precision](papers/mixed-precision.md)",
    "m_cubes": "[m-Cubes](papers/m-cubes.md)",
    "pagani": "[PAGANI](papers/pagani.md)",
    "cuvegas": "[cuVegas](papers/cuvegas.md)",
    "two_phase": "[two-phase](papers/two-phase.md)",
}
OF_NO_PAPER = ("energy", "peers")


def newest(paper):
    """The record of a paper and its machine; None where there is none."""
    name = f"papers-{paper.replace('_', '-')}"
    machine = next((each for each in MACHINES if (HERE / "results" / each / f"{name}.json").exists()), None)
    if machine is None:
        return None
    return name, machine, json.loads((HERE / "results" / machine / f"{name}.json").read_text(encoding="utf-8"))


def described(paper):
    """What the caption says of a record."""
    name, machine, of = newest(paper)
    scale = "" if of["scale"] == 1 else f", {of['scale']:g} of the evaluations"
    theirs = f"; the paper: {common.paper(paper)['hardware']}" if paper in PAPERS else ""
    caption(name, of, machine, f"{common.device(of)}{scale}{theirs}")


def shown(paper, show):
    def table():
        if newest(paper) is None:
            print("Not measured.")
            return
        show(newest(paper)[2])
        described(paper)

    return table


def experiments():
    """All experiments that have a number in a paper, with what is better, equal or worse."""
    head("paper", "experiment", "there", "here", "")
    for paper in filter(newest, PAPERS):
        for each in importlib.import_module(paper).verdicts(newest(paper)[2]):
            row(PAPERS[paper], *each)
    print()
    for paper in filter(newest, PAPERS):
        described(paper)


for paper_ in (*filter(newest, PAPERS), *OF_NO_PAPER):
    for _, function in common.TABLES[importlib.import_module(paper_).__file__]:
        TABLES[f"papers-{paper_}-{function.__name__}".replace("_", "-")] = shown(paper_, function)
TABLES["papers"] = experiments
