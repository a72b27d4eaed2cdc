"""Tables of peaks and of log-evidence beside other codes, of the lines that evidence_beside_samplers.py prints."""

import functools
import itertools
import json
import math
import statistics

from markdown_table import head, row
from page_table import HERE, caption, commit, named, record
from trust_tables import percent

RESULTS = "epyc-2-cores/evidence-beside.jsonl"
TOLERANCE = 0.01
NAMES = {"vegas+": "VEGAS+", "qmc": "quasi-Monte Carlo", "auto": "Auto", "pagani": "PAGANI", "mcubes": "m-Cubes",
         "ultranest": "UltraNest", "paris": "PARIS", "sunburst": "SunBURST", "log_evidence:short": "log_evidence, short"}
SAMPLERS = ("ultranest", "nautilus", "dynesty", "paris", "sunburst", "vegas")
METHODS = ("auto", "vegas+", "qmc", "mcubes", "pagani")
CHANNELS = ("never", "automatic", "always")
BESIDE = ("log_evidence", "vegas+:always", "vegas+:never")


def name_of(code):
    method, _, channels = code.partition(":")
    return NAMES.get(code) or NAMES.get(method, method) + (f", {channels}" if channels else "")


@functools.cache
def evidence_lines(file):
    """The calls, and what each run of kubature says of itself."""
    with open(file, encoding="utf-8") as text:
        found = [json.loads(line) for line in text]
    calls = [each for each in found if "problem" in each]
    for call in calls:
        call["off"] = math.nan if call["off"] is None else abs(call["off"])
    return calls, [each for each in found if "kubature" in each]


def peers():
    return evidence_lines(HERE / "peers" / "epyc-2-cores-evidence.jsonl")[0]


def ours():
    return evidence_lines(HERE / "results" / RESULTS)[0]


def of(calls, **wanted):
    return [each for each in calls if all(each.get(key) == value for key, value in wanted.items())]


def problems():
    return list(dict.fromkeys(each["problem"] for each in ours()))


def short(number):
    if number < 1e-7:
        return "< 1e-7"
    return f"{number:.1g}" if number < 10 else f"{number:.0f}" if number < 1e4 else f"{number:.0e}"


def worst(calls):
    """The largest deviation of calls that gave a number."""
    return max((each["off"] for each in calls if not math.isnan(each["off"])), default=math.nan)


def wrong(call):
    return call.get("status") == "converged" and not call["off"] <= 3 * TOLERANCE


def footer(what):
    runs = evidence_lines(HERE / "results" / RESULTS)[1]
    print(f"\n*{what}; one thread of an AMD EPYC, `perf/results/{RESULTS}`, {commit(runs)}.*")


@named
def evidence_samplers():
    """Deviation, evaluations and seconds of each code that samples exp(L)."""
    calls = peers() + of(ours(), beside=None)
    codes = ("log_evidence", "log_evidence:short", *SAMPLERS)
    head("problem", *map(name_of, codes))
    for problem in problems():
        cells = []
        for code in codes:
            mine = of(calls, problem=problem, code=code)
            done = [each for each in mine if not math.isnan(each["off"])]
            if not done:
                late = [each for each in mine if each.get("status") == "time_limit"]
                cells.append(f"more than {late[0]['seconds']:.0f} s" if late else "no" if mine else "")
                continue
            cells.append(f"{short(worst(done))}; {statistics.mean(each['evaluations'] for each in done):.1e}; "
                         f"{statistics.mean(each['seconds'] for each in done):.2g} s")
        row(problem, *cells)
    footer("Deviation of log Z, evaluations, processor seconds")


@named
def evidence_errors():
    """How often a code's stated error is too small."""
    calls = peers() + of(ours(), beside=None)
    head("code", "calls", "gave a number", "off by more than 0.1", "off by more than three of its errors", "rms of the other pulls")
    for code in ("log_evidence", "log_evidence:short", *SAMPLERS):
        mine = of(calls, code=code)
        done = [each for each in mine if not math.isnan(each["off"])]
        if not done:
            continue
        pulls = [each["off"] / each["error"] if each["error"] else math.inf for each in done if each["error"] is not None]
        right = [pull for pull in pulls if pull <= 3]
        row(name_of(code), str(len(mine)), str(len(done)), str(sum(each["off"] > 0.1 for each in done)),
            str(len(pulls) - len(right)) if pulls else "no errors",
            f"{math.sqrt(statistics.mean(pull * pull for pull in right)):.2f}" if right else "-")
    footer("Calls of the table above")


@named
def evidence_equal():
    """Of the calls of each sampler, how often kubature is nearer to the truth with as much work."""
    theirs = peers()
    head("beside", "calls", *(f"{name_of(code)}: {equal}" for code in BESIDE for equal in ("evaluations", "time")))
    for peer in SAMPLERS:
        cells, counts = [], [0]
        for code, equal in itertools.product(BESIDE, ("evaluations", "time")):
            ratios = [same["off"] / max(call["off"], 1e-12) for call in of(theirs, code=peer) for same in
                      of(ours(), code=code, beside=peer, equal=equal, problem=call["problem"], seed=call["seed"])]
            ratios = [math.inf if math.isnan(ratio) else ratio for ratio in ratios]
            counts.append(len(ratios))
            cells.append(f"{sum(ratio < 1 for ratio in ratios)} ({short(statistics.median(ratios))})" if ratios else "")
        if any(cells):
            row(name_of(peer), str(max(counts)), *cells)
    footer("Calls in which kubature's deviation is the smaller one (median of kubature's deviation over theirs)")


@named
def evidence_methods():
    """Deviations of integrals of exp(L) to a tolerance, by method and channels."""
    calls = of(ours(), beside=None)
    head("problem", *map(name_of, METHODS))
    for problem in problems():
        cells = []
        for method in METHODS:
            each_way = []
            for channels in CHANNELS:
                mine = of(calls, problem=problem, code=f"{method}:{channels}")
                done = [each for each in mine if each.get("status") == "converged"]
                text = short(worst(done)) if done else "no" if mine else ""
                text += f" ({len(done)} of {len(mine)})" if 0 < len(done) < len(mine) else ""
                each_way.append(f"**{text}**" if any(map(wrong, done)) else text)
            cells.append(" / ".join(each_way))
        row(problem, *cells)
    footer("Deviations of log Z")


@named
def evidence_wrong():
    """Converged and wrong, by method and channels."""
    calls = of(ours(), beside=None)
    head("method", *(f"channels = {channels}" for channels in CHANNELS))
    for method in METHODS:
        cells = []
        for channels in CHANNELS:
            done = of(calls, code=f"{method}:{channels}", status="converged")
            count = sum(map(wrong, done))
            cells.append(f"{count} of {len(done)} ({percent(count, len(done))})")
        row(name_of(method), *cells)
    footer("Converged to 0.01, and off by more than 0.03")


@named
def several_peaks():
    """Converged and wrong, of sums of narrow Gaussians in six variables and of the problems above."""
    sums = record("channels", "epyc-2-cores")
    rows = [dict(zip(sums["columns"].split(","), each)) for each in sums["rows"]]
    calls = of(ours(), beside=None)
    head("method", *(f"{rows[0]['sums']} sums: {each}" if each == "never" else each for each in CHANNELS),
         *(f"{len(problems())} problems: {each}" if each == "never" else each for each in CHANNELS))
    for method in METHODS:
        cells = []
        for channels in CHANNELS:
            found = of(rows, method=method, channels=channels, variables=6)
            cells.append(str(found[0]["wrong"]) if found else "")
        for channels in CHANNELS:
            done = of(calls, code=f"{method}:{channels}", status="converged")
            cells.append(f"{sum(map(wrong, done))} of {len(done)}")
        row(name_of(method), *cells)
    caption("channels", sums, "epyc-2-cores", "sums: two cores of an AMD EPYC")
    footer("Problems")


@named
def peaks():
    found = record("peaks", "epyc-2-cores")
    rows = [dict(zip(found["columns"].split(","), each)) for each in found["rows"]]
    numbers = list(dict.fromkeys(each["variables"] for each in rows))
    head("evaluations", *(f"{number} variables" for number in numbers))
    for evaluations in dict.fromkeys(each["evaluations"] for each in rows):
        row(f"{evaluations:.2g}", *(f"{each['found']} of {each['peaks']}, {each['by uniform points']}, {each['milliseconds']:.3g} ms"
                                    for number in numbers for each in of(rows, variables=number, evaluations=evaluations)))
    caption("peaks", found, "epyc-2-cores", "one thread of an AMD EPYC, beside other work")
