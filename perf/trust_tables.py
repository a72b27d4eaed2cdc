"""The records of wrong-converged and calibration as Markdown tables."""
import pathlib
import statistics

from markdown_table import cell, head, row, share


def lines(columns, rows):
    """The rows that a record keeps as comma-separated values, converted to numbers where possible."""
    def value(text):
        try:
            return float(text)
        except ValueError:
            return text or None
    return [dict(zip(columns.split(","), map(value, text.split(",")))) for text in rows]


def weighted_median(pairs):
    """The median of values with weights."""
    pairs = sorted((value, weight) for value, weight in pairs if value is not None and weight)
    half, total = sum(weight for _, weight in pairs) / 2, 0
    for value, weight in pairs:
        total += weight
        if total >= half:
            return value
    return None


def percent(part, whole):
    return f"{100 * part / whole:.2g} %" if whole else "-"


class Calls:
    """The sum of several calls of one method."""

    def __init__(self, rows):
        self.rows = rows
        self.integrands = sum(row["tried"] for row in rows if row["tolerance"] == 1e-3)

    def __getattr__(self, column):
        return sum(row[column] for row in self.rows)

    def share(self, column="wrong"):
        return f"{self.__getattr__(column):.0f} of {self.converged:.0f}" if self.converged else "-"

    def over(self):
        """The median of estimated / true error; the median of the medians of several groups."""
        return cell(weighted_median((row["median_estimate_to_truth"], row["converged"]) for row in self.rows))


def show_wrong_converged(record, compact):
    rows = lines(record["columns"], record["rows"])
    with open(pathlib.Path(__file__).parent / "peers" / "cuba-wrong-converged.csv", encoding="utf-8") as file:
        text = [line.strip() for line in file if not line.startswith("#")]
    rows += lines(text[0], text[1:])
    methods = list(dict.fromkeys(row["method"] for row in rows))
    families = list(dict.fromkeys(row["family"] for row in rows))

    wrong, found = lines(record["wrong_columns"], record["wrong"] or ()), {}
    for case in wrong:
        found.setdefault((case["method"], case["difficulty"]), set()).add(case["case"])

    def of(method, **wanted):
        return Calls([row for row in rows if row["method"] == method and
                      all(row[key] == value for key, value in wanted.items())])

    head("method", "difficulty", "integrands", "converged calls", "wrong", "share", "by chance", "wrong integrands", "off by > 1 tolerance",
         "> 3", "off by > 1 error", "> 3", "> 5", "median estimate / true error")
    for method in methods:
        for difficulty in (1, 3, 10):
            calls = of(method, difficulty=difficulty)
            if calls.rows:
                row(method, f"{difficulty}", f"{calls.integrands:.0f}", f"{calls.converged:.0f}", f"{calls.wrong:.0f}",
                    percent(calls.wrong, calls.converged), f"{calls.wrong_by_chance:.1g}",
                    f"{len(found[method, difficulty])}" if (method, difficulty) in found else "-",
                    f"{calls.above_tolerance:.0f}", f"{calls.above_3_tolerances:.0f}", f"{calls.above_error:.0f}",
                    f"{calls.above_3_errors:.0f}", f"{calls.above_5_errors:.0f}", calls.over())
    for name, key, values in (("family, difficulty", ("family", "difficulty"), [(f, d) for f in families for d in (1, 3, 10)]),
                              ("tolerance", ("tolerance",), [(10.0 ** -k,) for k in range(3, 9)])):
        print()
        head(f"wrong of converged, by {name}", *methods)
        for value in values:
            row(", ".join(each if isinstance(each, str) else f"{each:.3g}" for each in value),
                *(of(method, **dict(zip(key, value))).share() for method in methods))
    if compact:
        return
    print()
    head("wrong", "family", "difficulty", "cases, each with its loosest tolerance and by how many tolerances it is off")
    groups = {}
    for case in wrong:
        groups.setdefault((case["method"], case["family"], case["difficulty"]), {}).setdefault(case["case"], case)
    for (method, family, difficulty), cases in sorted(groups.items(), key=lambda group: methods.index(group[0][0])):
        row(method, family, f"{difficulty:.0f}", f"{len(cases)}: " + ", ".join(
            f"{case['case']:.0f} ({case['dimension']:.0f}-D {case['tolerance']:.0e} {case['true_error_in_tolerances']:.2g})"
            for case in cases.values()))


def show_calibration(record, compact):
    rows = lines(record["columns"], record["rows"])
    head("method", "precision", "integrands", "samples per iteration", "pulls", "rms, median", "largest", "where",
         "rms of agreeing iterations, largest", "within 1", "2", "3", "chi2/dof, median")
    for method, precision, group, samples in dict.fromkeys(
            (row["method"], row["precision"], row["group"], row["samples"]) for row in rows):
        mine = [row for row in rows if row["seeds"] and (row["method"], row["precision"], row["group"], row["samples"]) ==
                (method, precision, group, samples)]
        if not mine:
            continue
        seeds, worst = sum(row["seeds"] for row in mine), max(mine, key=lambda row: row["rms"])
        row(method, precision, group, f"{samples:.0e}", f"{seeds:.0f}",
            cell(statistics.median(row["rms"] for row in mine)), cell(worst["rms"]),
            f"{worst['dimension']:.0f}-D {worst['integrand']}", cell(max(row["rms_of_agreeing"] for row in mine)),
            *(share(sum(row[f"within_{k}"] * row["seeds"] for row in mine) / seeds) for k in (1, 2, 3)),
            cell(statistics.median(row["chi2_per_dof"] for row in mine)))
    if compact:
        return
    print()
    head("rms above 1.2", "precision", "integrand", "samples per iteration", "pulls", "mean", "rms",
         "whose iterations disagree", "rms of the others", "chi2/dof")
    for each in rows:
        if each["seeds"] and each["rms"] > 1.2 + 3 / (2 * each["seeds"]) ** 0.5:
            row(each["method"], each["precision"], f"{each['dimension']:.0f}-D {each['integrand']}",
                f"{each['samples']:.0e}", f"{each['seeds']:.0f}", cell(each["mean"]), cell(each["rms"]),
                f"{each['disagree']:.0f}", cell(each["rms_of_agreeing"] or None), cell(each["chi2_per_dof"]))
