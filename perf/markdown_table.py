"""Markdown tables on standard output."""


def cell(number):
    return "-" if number is None else f"{number:.3g}"


def row(*cells):
    print("| " + " | ".join(cells) + " |")


def head(*cells):
    row(*cells)
    print("|" + "---|" * len(cells))


def share(number):
    return "-" if number is None else f"{100 * number:.0f} %"
