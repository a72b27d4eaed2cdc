"""The command python3 -m kubature.plot."""

from __future__ import annotations

import argparse
import sys
from typing import Any, Sequence

from ._formula import function, single
from ._kubature import InvalidArgument, evaluate
from ._layout import formulas
from ._options import Options

_examples = """examples:
  python3 -m kubature.plot "exp(-50*((x-.3)^2+(y-.7)^2))"
  python3 -m kubature.plot "1/(0.01+(x-y)^2)" --kind points --method vegas+ --output points.png
  python3 -m kubature.plot "exp(-a*x*y)" --parameter a=3 --kind convergence --relative 1e-8
"""


def _number(argument: str, text: str) -> float:
    """A number, or a constant expression."""
    try:
        return float(text)
    except ValueError:
        import numpy

        value = numpy.empty(1)
        try:
            evaluate((text, "", [], 0), None, numpy.zeros((1, 1)), value)
        except InvalidArgument:
            raise InvalidArgument(f"{argument} = {text}: must be a number") from None
        return float(value[0])


def _box(text: str, formula: str, parameters: dict[str, float]) -> Any:
    """[(0, 1), (0, 2)] for "0:1,0:2"; one side is that of all variables; with names, "x=0:1,y=0:2", a dictionary."""
    sides: dict[Any, tuple[float, float]] = {}
    for place, side in enumerate(text.split(",")):
        name, equals, bounds = side.rpartition("=")
        lower, colon, upper = bounds.partition(":")
        if not colon:
            raise InvalidArgument(f"--box = {text}: sides lower:upper are needed, separated by commas")
        sides[name.strip() if equals else place] = _number("--box", lower), _number("--box", upper)
    if not any(isinstance(name, int) for name in sides):
        return sides
    box = list(sides.values())
    return box if len(box) > 1 else box * _dimension(formula, parameters)


def _dimension(formula: str, parameters: dict[str, float]) -> int:
    """The number of variables that a formula uses."""
    import numpy

    for d in range(1, 20):
        try:
            for component in range(formulas(formula)):
                function(single(formula, component), None, parameters)(numpy.full((1, d), 0.5))
            return d
        except InvalidArgument as raised:
            if not str(raised).startswith("number of coordinates"):
                raise
    return 20


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python3 -m kubature.plot",
        description="Draws an integral: its regions, map or points over the integrand, or its convergence.",
        epilog=_examples,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("formula", help="the integrand")
    parser.add_argument("--box", default="0:1", help="sides such as 0:1,0:2*pi or x=0:1,y=0:2; one stands for all (0:1)")
    parser.add_argument("--kind", choices=("regions", "map", "points", "convergence"), help="what is drawn; by default "
                        "regions in two variables, points in one, otherwise convergence")
    parser.add_argument("--method", help="of points and convergence, as in `kubature list`")
    parser.add_argument("--parameter", action="append", default=[], metavar="NAME=VALUE", help="what a name stands for")
    parser.add_argument("--component", type=int, default=1, help="which of several formulas is drawn, from 1")
    parser.add_argument("--output", help="a file, .png, .svg or .pdf; a window where none is given")
    group = parser.add_argument_group("options of methods, tolerances and limits (`kubature list`)")
    for name in Options.__annotations__:
        group.add_argument(f"--{name.replace('_', '-')}", dest=f"option_{name}", help=argparse.SUPPRESS)
    return parser


def _draw(given: argparse.Namespace) -> Any:
    from . import plot

    options: dict[str, Any] = {
        name.removeprefix("option_"): value for name, value in vars(given).items() if name.startswith("option_") and value
    }
    named = dict(each.partition("=")[::2] for each in given.parameter)
    parameters = {name: _number("--parameter", value) for name, value in named.items()}
    options["parameters"] = parameters
    box = _box(given.box, given.formula, parameters)
    d = len(box)
    kind = given.kind or {1: "points", 2: "regions"}.get(d, "convergence")
    if kind == "convergence":
        return plot.convergence(given.formula, box, method=given.method, **options)
    if kind == "points":
        method = {} if given.method is None else {"method": given.method}
        return plot.points(given.formula, box, component=given.component - 1, **method, **options)
    if given.method is not None:
        raise InvalidArgument(f"--method = {given.method}: {kind} are those of {'pagani' if kind == 'regions' else 'vegas+'}")
    if kind == "map":
        return plot.map(given.formula, box, **options)
    return plot.regions(given.formula, box, component=given.component - 1, **options)


def main(arguments: Sequence[str]) -> int:
    """Draws what the arguments say, and returns the exit status: 2 for bad input."""
    given = _parser().parse_args(list(arguments))
    try:
        import matplotlib

        if given.output:
            matplotlib.use("Agg")
        figure = _draw(given)
        if given.output:
            figure.savefig(given.output, dpi=150)
        else:
            from matplotlib import pyplot

            pyplot.show()
    except ImportError as raised:
        print(f"kubature: {raised}: plots need matplotlib (pip install matplotlib)", file=sys.stderr)
        return 2
    except (ValueError, OSError) as raised:  # InvalidArgument, too
        print(f"kubature: {raised}", file=sys.stderr)
        return 2
    return 0
