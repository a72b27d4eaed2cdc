"""Records of the study cubature-ladder, and what they are compared with: the published PAGANI, on the GPU that
peers/h200-pagani.csv was measured on, and on hosts the sequential Cuhre of the same record."""
import csv
import json
import math
import pathlib

PAGANI, NO_THRESHOLD, TWO_PHASE, CUHRE, PUBLISHED = (
    "pagani", "pagani, no threshold", "two-phase", "sequential Cuhre", "PAGANI (CUDA)")
NO_LOOK = "pagani, no second look"  # on short rungs
OF_PAPER = {"PAGANI": PAGANI, "no threshold": NO_THRESHOLD, "two-phase": TWO_PHASE}  # names in papers-pagani


def load(name):
    with open(name, encoding="utf-8") as file:
        return json.load(file)


def newest(folder):
    """The name of a folder's newest ladder of the PAGANI paper, and the record: cubature-ladder, or papers-pagani in
    the form of that, if it is the newer one and of another commit."""
    record, other = (load(folder / f"{name}.json") for name in ("cubature-ladder", "papers-pagani"))
    if other["commit"] == record["commit"] or other["time"] < record["time"]:
        return "cubature-ladder", record
    dimensions = {row["integrand"]: row["dimension"] for row in record["rows"]}
    rows = [{**row, "dimension": dimensions[row["integrand"]], "method": OF_PAPER[row["method"]],
             "estimated_relative_error": row["estimate"], "true_relative_error": row["true_error"]}
            for row in other["ladder"] if row["method"] in OF_PAPER and row["milliseconds"] is not None]
    return "papers-pagani", {**other, "rows": rows}


def on_cuda(record):
    return record["backends"][0]["backend"] == "Cuda"


def on_host(record):
    return record["backends"][0]["backend"] in ("OpenMP", "Serial", "Threads", "HPX")


def machine(record):
    return f"{record['backends'][0]['device']}, {record['backends'][0]['backend']}"


def work(row):
    """The name of a record's integrand in tables and figures, such as "5-D f4"."""
    stem, *rest = row["integrand"].split()
    stem = {"gaussian": "Gaussian", "roos-arnold": "Roos & Arnold", "feynman-path": "Feynman path"}.get(
        stem, stem.split("-")[0])
    return f"{row['dimension']}-D {stem}" + "".join(f", {word}" for word in rest)


def number(value):
    """JSON has null for numbers that are not finite."""
    return math.inf if value is None else value


class Rung:
    """One integrand to one tolerance by one method."""

    def __init__(self, row):
        self.integrand, self.dimension, self.method = row["integrand"], row["dimension"], row["method"]
        self.tolerance = row["tolerance"]
        self.level = round(math.log(1e-3 / self.tolerance, 5))
        self.status, self.converged = row["status"], row["status"] == "converged"
        self.regions, self.evaluations = row["regions"], row.get("evaluations")
        self.milliseconds = row["milliseconds"]
        self.estimate = number(row["estimated_relative_error"])
        self.truth = number(row["true_relative_error"])
        self.share = row.get("evaluation_share")

    @property
    def digits(self):
        return -math.log10(self.tolerance)

    @property
    def right(self):
        return self.converged and not self.wrong

    @property
    def wrong(self):
        """Whether it claims to be converged, and is not."""
        return self.converged and self.truth > self.tolerance

    @property
    def dishonest(self):
        return self.converged and self.truth > self.estimate


class Ladder:
    """The rungs of a record by integrand, method and level: ladder[integrand, method] is {level: Rung}."""

    def __init__(self, record):
        self.integrands, self.rungs = {}, {}
        for row in record["rows"]:
            rung = Rung(row)
            self.integrands[rung.integrand] = rung.dimension
            self.rungs.setdefault((rung.integrand, rung.method), {})[rung.level] = rung
        if on_cuda(record):
            self._read_published()

    def _read_published(self):
        names = {(name.split("-")[0], dimension): name for name, dimension in self.integrands.items()}
        with open(pathlib.Path(__file__).parent / "peers" / "h200-pagani.csv", encoding="utf-8") as file:
            for _, integrand, dimension, tolerance, regions, status, truth, milliseconds in csv.reader(
                    (line for line in file if not line.startswith("#")), delimiter=";"):
                if name := names.get((integrand, int(dimension))):
                    rung = Rung({"integrand": name, "dimension": int(dimension), "method": PUBLISHED,
                                 "tolerance": float(tolerance), "regions": int(regions),
                                 "status": "converged" if status == "0" else "missed", "milliseconds": float(milliseconds),
                                 "estimated_relative_error": None, "true_relative_error": float(truth)})
                    self.rungs.setdefault((name, PUBLISHED), {})[rung.level] = rung

    def __getitem__(self, integrand_and_method):
        return self.rungs.get(integrand_and_method, {})

    def methods(self):
        present = {method for _, method in self.rungs}
        return [method for method in (PAGANI, NO_THRESHOLD, TWO_PHASE, CUHRE, PUBLISHED) if method in present]

    def of(self, method):
        """All rungs of a method, by integrand and level."""
        return [rung for integrand in self.integrands for _, rung in sorted(self[integrand, method].items())]
