#!/usr/bin/env python3
"""Writes kubature/_options.py, the types of the options, from the descriptions of the methods: options.py PROGRAM."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys
import textwrap
from typing import Any

FILE = pathlib.Path(__file__).parent / "kubature" / "_options.py"
#: What integrate() has as parameters of its own.
TOLERANCES = ("relative", "absolute")
TYPES = {"flag": "bool", "whole": "float", "real": "float", "reals": "Sequence[float] | Sequence[Sequence[float]]", "file": "str | os.PathLike[str]"}
HEAD = '''"""The options of all methods. bindings/python/options.py writes this file."""

from __future__ import annotations

import os
from typing import Literal, Sequence, TypedDict, Union
'''
CLASS = '''

class {name}({base}, total=False):
    """{what}

{summaries}
    """

{types}
'''


def kind(option: dict[str, Any]) -> str:
    """The type of its values, as Python reads it."""
    words = list(option["choices"] or []) if option["kind"] == "choice" else []
    others = []
    if option["kind"] != "choice":
        others = TYPES[option["kind"]].split(" | ")
        if any(use["default"] == "automatic" for use in option["methods"].values()):
            words.append("automatic")
    elif option["name"] == "driver" or any(word.isdigit() for word in words):
        others = ["int"]  # the number of a component, a degree
    if "none" in words:
        others.append("None")
    types = ([f"Literal[{', '.join(map(json.dumps, words))}]"] if words else []) + others
    return types[0] if len(types) == 1 else f"Union[{', '.join(types)}]"


def summary(option: dict[str, Any], methods: int) -> str:
    """What it means, with the methods that have it, unless all do."""
    meanings: dict[str, list[str]] = {}
    for method, use in option["methods"].items():
        meanings.setdefault(use["summary"], []).append(method)
    if len(meanings) == 1 and len(option["methods"]) == methods:
        return next(iter(meanings))
    return ". ".join(f"{', '.join(names)}: {meaning}" for meaning, names in meanings.items())


def described(options: list[dict[str, Any]], width: int, methods: int) -> str:
    return "\n".join(
        textwrap.fill(f"{option['name']:{width}}{summary(option, methods)}", 116, initial_indent="    ",
                      subsequent_indent=" " * (width + 4))
        for option in options
    )


def text(listed: dict[str, Any]) -> str:
    """The file, from what `kubature list --json` prints."""
    found, width = HEAD, max(len(option["name"]) for option in listed["options"]) + 2
    for name, base, tolerances, what in (
        ("MethodOptions", "TypedDict", False, "The options of methods, and limits, by name."),
        ("Options", "MethodOptions", True, "The same with tolerances."),
    ):
        options = [option for option in listed["options"] if (option["name"] in TOLERANCES) == tolerances]
        types = "\n".join(f"    {option['name']}: {kind(option)}" for option in options)
        summaries = described(options, width, len(listed["methods"]))
        found += CLASS.format(name=name, base=base, what=what, summaries=summaries, types=types)
    return found


def listed(program: str) -> dict[str, Any]:
    run = subprocess.run([program, "list", "--json"], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


if __name__ == "__main__":
    FILE.write_text(text(listed(sys.argv[1])))
