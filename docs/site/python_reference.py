"""Docstrings of the Python package, which are plain text, as reStructuredText for the page python-reference.md: lists of
parameters become definitions, sessions stay what they are, and no character has a special meaning."""
import pathlib
import re
import sys

# The sources serve without the compiled module.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bindings/python"))
MOCKED = ["kubature._kubature", "numpy"]
ENTRY = re.compile(r"^(\w+)  +(\S.*)$|^(\w{9,}) (\S.*)$")


def paragraphs(lines):
    """Parts between empty lines."""
    found = [[]]
    for line in lines:
        if line.strip():
            found[-1].append(line)
        elif found[-1]:
            found.append([])
    return [part for part in found if part]


def escaped(text):
    return re.sub(r"([\\*`|_])", r"\\\1", text)


def is_list(part):
    """Whether each line names a parameter, or goes on with what is said of one."""
    return ENTRY.match(part[0]) and all(ENTRY.match(line) or line.startswith("    ") for line in part) and \
        (len(part) > 1 or part[0].count("  ") > 0)


def listed(part):
    for line in part:
        if entry := ENTRY.match(line):
            name, text = (each for each in entry.groups() if each)
            yield from (f"``{name}``", f"    {escaped(text)}")
        else:
            yield f"    {escaped(line.strip())}"


def restructured(_app, _what, _name, _subject, _options, lines):
    found = []
    for part in paragraphs(lines):
        if part[0].lstrip().startswith(">>>"):
            found += [line.strip() for line in part]
        elif is_list(part):
            found += listed(part)
        else:
            found += [escaped(line.strip()) for line in part]
        found.append("")
    lines[:] = found


def setup(app):
    app.connect("autodoc-process-docstring", restructured)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
