"""What the papers on cubature share: ladders of tolerances, the widest first, each of which ends with the first rung
that is missed, and what may be compared of them."""

import statistics

from experiments import verdict

MISSED, WRONG, UNTRIED = MARKS = ("missed", "wrong", "not tried")
ENDS = {
    "time_limit": "by time",
    "evaluation_limit": "by evaluations",
    "memory_exhausted": "by memory",
    "iteration_limit": "as regions cancel",
}


def outcome(rungs, tolerance, limit=None):
    """The rung of a ladder {tolerance: rung} if its result is right and took no longer than a limit in milliseconds;
    otherwise one of MARKS: a rung that follows a missed one is missed, and one that the script's clock has left out is
    not tried. Where the true value is not known, what converged counts as right."""
    each = rungs.get(tolerance)
    if each is None:
        return MISSED if rungs and list(rungs.values())[-1]["status"] != "converged" else UNTRIED
    if each["status"] != "converged" or (limit and each["milliseconds"] > limit):
        return MISSED
    return each if each["true_error"] is None or each["true_error"] <= tolerance else WRONG


def median(values):
    return statistics.median(values) if values else None


def said(values):
    """A median, and what it is of."""
    return f"median {median(values):.3g} of {len(values)}, {min(values):.2g} to {max(values):.3g}"


def within(values, low, high):
    """What a median is beside a range of the paper's."""
    middle = median(values)
    return verdict(middle, min(max(middle, low), high), larger=True)


def short(tolerance):
    return f"{tolerance:.1e}".replace(".0e", "e")
