"""The records of choice as Markdown tables."""
from markdown_table import cell, head, row


def show_choice(record):
    """How often Auto converges and is near the best method, by tolerance and in all."""
    rows = record["rows"]

    def add(name, value):
        values = [value(each) for each in rows]
        row(name, *(str(each) for each in values), str(sum(values)))

    head("relative tolerance", *(f"{each['relative']:.0e}" for each in rows), "all")
    add("some method converges", lambda each: each["some_method_converged"])
    add("Auto converges", lambda each: each["auto_converged"])
    if "auto_converged_in_time" in rows[0]:
        add(f"Auto converges within {record['seconds']} s", lambda each: each["auto_converged_in_time"])
    add("within twice the best time", lambda each: each["within_2_times"])
    row("Auto's time over the best, median", *(cell(each["median_ratio"]) for each in rows), "")
    for method in rows[0]["wrong"]:
        add(f"converged and wrong: {method}", lambda each: each["wrong"][method])
