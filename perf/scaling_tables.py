"""The records of scaling, one for each number of processes: their table and efficiencies."""
import json

from markdown_table import cell, head, row


FIXED = ("evaluation_limit", "completed")  # of calls that make a given number of evaluations


def records_of(folder):
    """Its records scaling-N.json, by the number of processes."""
    return sorted((json.loads(path.read_text(encoding="utf-8")) for path in folder.glob("scaling-*.json")),
                  key=lambda record: record["processes"])


def efficiencies(records, work, method):
    """The efficiency of the work's largest size by the number of processes."""
    times = {}
    for record in records:
        entries = (entry for entry in record["strong_scaling"] if (entry["work"], entry["method"]) == (work, method))
        times[record["processes"]] = max(entries, key=lambda entry: entry["evaluations"])["milliseconds"]
    return {n: times[1] / time / n for n, time in times.items()}


def show_scaling(records):
    """Milliseconds by the number of processes, and the efficiency: the speed-up divided by the number of processes."""
    records = sorted(records, key=lambda record: record["processes"])
    counts = [record["processes"] for record in records]
    rows = {}
    for record in records:
        for entry in record["strong_scaling"]:
            fixed = "tolerance" not in entry or entry["status"] in FIXED
            work = f"{entry['evaluations']:.0e}" if fixed else f"to {entry['tolerance']:.3g}"
            rows.setdefault((entry["work"], entry["method"], work), {})[record["processes"]] = entry
    head("", "method", "work", *[f"ms, {n}" for n in counts], *[f"efficiency, {n}" for n in counts[1:]], "the same bits")
    for (work, method, size), entries in rows.items():
        time = {n: entry["milliseconds"] for n, entry in entries.items()
                if entry.get("status", "converged") in ("converged", *FIXED)}
        values = {entry["value"] for entry in entries.values()}
        row(work, method, size, *[cell(time.get(n)) for n in counts],
            *[cell(time[1] / time[n] / n if n in time and 1 in time else None) for n in counts[1:]],
            "-" if len(entries) < 2 else "yes" if len(values) == 1 else "no")
