#!/usr/bin/env python3
"""Digests of the sources that decide a record's numbers, without comments, blank lines and trailing spaces. A record
keeps them by part, as {part: digest}; it is of today's code if those of the checkout are the same. A part is

  a study of perf/CMakeLists.txt    its files with what they include, and the library; compiled into its program, so
                                    that a record made elsewhere has it
  python, kubature                  the Python package and the program, likewise
  a script of perf                  what its function `measure` uses, of other modules of perf, too; without such a
                                    function, the whole script

The number of the version decides nothing, and what compilers are told (flags, options) is not in sources: a record
keeps both by themselves.

    perf/digest.py [PART ...]       prints digests, by default of all studies
    perf/digest.py --files PART     the files of a part
    perf/digest.py --header FILE    writes what perf/record.cpp includes
"""

import ast
import functools
import hashlib
import io
import json
import pathlib
import re
import subprocess
import sys
import time
import tokenize

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIBRARY = ("core", "backends", "algorithms", "expressions")
ENDINGS = (".hpp", ".cpp", ".h", ".in", ".py")
FOREIGN = ("core/include/kubature/version.hpp",)
# Of programs that are no studies.
FOLDERS = {
    "python": ("runtime", "bindings/c", "bindings/python/src", "bindings/python/kubature"),
    "kubature": ("runtime", "suite", "app/src"),
}
INCLUDED_FROM = ("perf", "tests", "app/src", "suite/include")
CPP = re.compile(
    r'(?P<kept>R"(?P<mark>[^(\s"]*)\(.*?\)(?P=mark)"|"(?:\\.|[^"\\\n])*"|(?<!\w)\d[\w.\']*|\'(?:\\.|[^\'\\\n])*\')'
    r"|//[^\n]*|/\*.*?\*/",
    re.DOTALL,
)
SOURCES = "a study of the same build, which knows the digest of the sources, if they are not here at its commit"
STARTED = time.monotonic()


# ---- text --------------------------------------------------------------------------------------------------


def without_empty_lines(text):
    return "\n".join(line.rstrip() for line in text.split("\n") if line.strip())


def stripped_cpp(text):
    return without_empty_lines(CPP.sub(lambda found: found["kept"] or " ", text))


def stripped_python(text):
    """Docstrings are comments, too."""
    lines = text.split("\n")
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node) is not None:
            first, alone = node.body[0], len(node.body) == 1
            for row in range(first.lineno, first.end_lineno + 1):
                lines[row - 1] = ""
            if alone:
                lines[first.lineno - 1] = " " * first.col_offset + "pass"
    return without_empty_lines("\n".join(lines))


@functools.cache
def stripped(file):
    text = file.read_text(encoding="utf-8")
    return stripped_python(text) if file.suffix == ".py" else stripped_cpp(text)


def of_texts(texts):
    """Of {name: text}."""
    whole = hashlib.sha256()
    for name, text in sorted(texts.items()):
        whole.update(f"{name}\n{text}\n".encode())
    return whole.hexdigest()[:12]


# ---- programs ----------------------------------------------------------------------------------------------


@functools.cache
def in_folder(folder):
    files = (ROOT / folder).rglob("*")
    return [file for file in files if file.suffix in ENDINGS and file.relative_to(ROOT).as_posix() not in FOREIGN]


@functools.cache
def studies():
    """The files of each study, as perf/CMakeLists.txt names them."""
    text = (ROOT / "perf/CMakeLists.txt").read_text(encoding="utf-8").replace("${PROJECT_SOURCE_DIR}", "..")
    calls = re.findall(r"^ *kubature_study\(\s*([\w-]+)\s+([^)]*)\)", text, re.MULTILINE)
    kernels = re.findall(r"target_link_libraries\(kubature_([\w-]+) [^)]*kubature_app_kernels", text)
    compiled = " ".join(file.as_posix() for file in (ROOT / "app/src").glob("*compiled_jobs*"))
    calls = [(name, f"{files} {compiled if name in kernels else ''}") for name, files in calls]
    return {name: [(ROOT / "perf" / file).resolve() for file in files.split()] for name, files in calls}


def with_includes(files):
    """The files, what they include but for the library, and sources of headers; and whether that has the runtime."""
    todo, found, runtime = list(files), set(), False
    while todo:
        file = todo.pop()
        if file in found:
            continue
        found.add(file)
        if file.suffix == ".hpp" and file.with_suffix(".cpp").exists():
            todo.append(file.with_suffix(".cpp"))
        for name in re.findall(r'^ *#include ["<]([^">]+)[">]', file.read_text(encoding="utf-8"), re.MULTILINE):
            runtime = runtime or name.startswith("kubature/runtime/")
            folders = (file.parent, *(ROOT / folder for folder in INCLUDED_FROM))
            todo += [folder / name for folder in folders if (folder / name).is_file()][:1]
    return found, runtime


@functools.cache
def files_of(program):
    """The files of a study, or of the Python package or the program."""
    folders = [*LIBRARY, *FOLDERS.get(program, ())]
    found = set()
    if program not in FOLDERS:
        found, runtime = with_includes(studies()[program])
        folders += ["runtime"] * runtime
    return sorted(found.union(*map(in_folder, folders)))


def programs():
    return [*studies(), *FOLDERS]


# ---- scripts -----------------------------------------------------------------------------------------------


def names_in(node):
    """The names that a statement has from its module."""
    found = {node.id} if isinstance(node, ast.Name) else set()
    for child in ast.iter_child_nodes(node):
        found |= names_in(child)
    if isinstance(node, (ast.FunctionDef, ast.Lambda)):
        found -= {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)} | defined_by(ast.Module(node.body))
    return found


def defined_by(node):
    """The names that a statement of a module gives a meaning."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return {node.name}
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {(each.asname or each.name).split(".")[0] for each in node.names}
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)}


def module_of(script, name):
    """The file of a module of perf."""
    return next((at for at in (script.parent / f"{name}.py", ROOT / f"perf/{name}.py") if at.is_file()), None)


def attributes(tree, name):
    """What a script uses of a module."""
    found = (each for each in ast.walk(tree) if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name))
    return {each.attr for each in found if each.value.id == name}


def used_by(script, wanted, found):
    """Adds to `found` the statements that `wanted` names of a script use, {(file, line): text}; all names are None."""
    text = stripped(script)
    lines, tree = text.split("\n"), ast.parse(text)
    todo = None if wanted is None else set(wanted)
    pending = list(tree.body)
    while chosen := [node for node in pending if todo is None or defined_by(node) & todo]:
        pending = [node for node in pending if node not in chosen]
        for node in chosen:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                for each in node.names:
                    name, whole = each.asname or each.name, isinstance(node, ast.Import)
                    module = module_of(script, each.name if whole else node.module)
                    if module and module.name != "digest.py" and (todo is None or name in todo):
                        used_by(module, attributes(tree, name) if whole else {each.name}, found)
                continue
            first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", []))])
            found[script, first] = "\n".join(lines[first - 1 : node.end_lineno])
            if todo is not None:
                todo |= names_in(node)


def texts_of_script(script):
    """What a script measures with. A paper's numbers are part of it where it uses them."""
    defined = {name for node in ast.parse(stripped(script)).body for name in defined_by(node)}
    found = {}
    used_by(script, ["measure"] if "measure" in defined else None, found)
    if script.parent.name == "papers":  # what `measure` is given
        used_by(script.parent / "experiments.py", ["Program"], found)
    texts = {}
    for (file, line), text in sorted(found.items()):
        name = file.relative_to(ROOT).as_posix()
        texts[name] = f"{texts.get(name, '')}{text}\n"
    numbers = script.with_suffix(".json")
    if numbers.exists() and re.search(r"\bpaper\(", texts[script.relative_to(ROOT).as_posix()]):
        texts[numbers.name] = json.dumps(json.loads(numbers.read_text(encoding="utf-8")))
    return texts


# ---- records -----------------------------------------------------------------------------------------------


@functools.cache
def of(part):
    """The digest of a part in this checkout; None where there is no such part."""
    if part.endswith(".py"):
        script = ROOT / "perf" / part
        return of_texts(texts_of_script(script)) if script.exists() else None
    if part not in programs():
        return None
    return of_texts({file.relative_to(ROOT).as_posix(): stripped(file) for file in files_of(part)})


def is_of_today(record):
    """Whether a record, or each of several, is of the code of this checkout."""
    if isinstance(record, list):
        return bool(record) and all(map(is_of_today, record))
    return bool(record.get("digest")) and not changed(record)


def changed(record):
    """The parts of a record that are not of this checkout."""
    return [part for part, digest in record.get("digest", {}).items() if of(part) != digest]


def age(record):
    """What a caption says of a record of older code."""
    return "" if is_of_today(record) else ", of older code"


def without_places(arguments):
    """The words of a command line but for options that name files and folders: the record, the programs of a build."""
    places, kept = "--(output|json|programs|build|sources)", []
    for word in arguments:
        if kept and re.fullmatch(places, kept[-1]):
            kept.pop()
        elif not re.match(f"{places}=", word):
            kept.append(word)
    return kept


def heading(script, *others):
    """What a script's record says of its code (with {part: digest} of programs), its arguments and its time. Nothing is
    known of the code if one of the digests is None."""
    part = pathlib.Path(script).resolve().relative_to(ROOT / "perf").as_posix()
    digest = {part: of(part)}
    for other in others:
        digest |= other
    return {
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "digest": digest if all(digest.values()) else {},
        "arguments": without_places(sys.argv[1:]),
        "wall_seconds": round(time.monotonic() - STARTED, 1),
    }


def of_build(part, info, study=None):
    """{part: digest} of a program that does not say its own, but its commit in `info`: as a study of the same build
    says, or of this checkout if it is of that commit. {part: None} where neither is known."""
    commit = re.search(r"commit (\w+)", info)[1]
    if study:
        said = json.loads(subprocess.run([study, "--sources"], stdout=subprocess.PIPE, text=True, check=True).stdout)
        return {part: said["digest"].get(part) if said["commit"].startswith(commit) else None}
    try:
        head = subprocess.run(
            ["git", "-c", "safe.directory=*", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return {part: None}
    return {part: of(part) if head.startswith(commit) else None}


def main(words):
    if words[:1] == ["--header"]:
        file = pathlib.Path(words[1])
        lines = [f'{{"{part}", "{of(part)}"}}' for part in programs()]
        text = "#define KUBATURE_DIGESTS \\\n  " + ", \\\n  ".join(lines) + "\n"
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
    elif words[:1] == ["--files"]:
        script = ROOT / "perf" / words[1]
        if words[1].endswith(".py"):
            print(*texts_of_script(script), sep="\n")
        else:
            print(*(file.relative_to(ROOT).as_posix() for file in files_of(words[1])), sep="\n")
    else:
        for part in words or programs():
            print(f"{of(part)}  {part}")


if __name__ == "__main__":
    main(sys.argv[1:])
