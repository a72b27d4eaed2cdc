#!/usr/bin/env python3
"""The documentation keeps to what there is: its links lead somewhere, its code is an excerpt of a file that the tests
compile or run, its commands are understood, what it says that these print is what they print, and its tables of options
are those of the program, and it says which headlines come from records of older code.

    docs_test.py            checks; KUBATURE_PROGRAM names the program, KUBATURE_EXAMPLES the folder of the examples'
                            programs, KUBATURE_LANGUAGES what bindings are built
    docs_test.py --write    writes the tables of options and integrals anew
"""
import functools
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
PROGRAM = os.environ.get("KUBATURE_PROGRAM")
EXAMPLES = os.environ.get("KUBATURE_EXAMPLES")
BINDINGS = os.environ.get("KUBATURE_LANGUAGES", "").split()
# Where code on pages comes from: files that tests compile or run.
SOURCES = {"cpp": ("*.hpp", "*.cpp"), "c": ("*.h", "*.c"), "fortran": ("*.f90",), "cmake": ("CMakeLists.txt",)}
FOLDERS = ("examples", "tests", "suite")
# The table of what methods can do, and its words for `kubature list --json`.
ABILITIES = {"components known at run time: several formulas, `batched(f, n)`": "several",
             "several processes": "distributed", "`batched` integrands": "batches", "a map that can be kept": "maps",
             "checkpoints": "checkpoints"}
COLUMNS = {"PAGANI": "pagani", "VEGAS+": "vegas+", "QMC": "qmc", "m-Cubes": "mcubes", "plain": "mc"}
COMMON = ("relative", "absolute", "error_norm", "seconds", "bytes", "max_evaluations", "seed", "non_finite")


def name(page):
    return page.relative_to(ROOT).as_posix()


def blocks(page):
    """(language, text, line) of each fenced block of a page; those in braces are Sphinx's."""
    found = re.finditer(r"^```([^\n`]*)\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)
    return [(match[1].strip(), match[2], page.read_text()[:match.start()].count("\n") + 1)
            for match in found if not match[1].startswith("{")]


def commands(page):
    """(command, line) of what a page would have typed: the lines of indented blocks and of blocks of `sh`."""
    inside, previous_empty = False, True
    for number, line in enumerate(page.read_text().split("\n"), 1):
        if line.startswith("```"):
            inside = line == "```sh"
        elif inside or (line.startswith("    ") and previous_empty):
            yield line.strip().removeprefix("$ "), number
            continue
        previous_empty = not line.strip() or (previous_empty and line.startswith("    "))


@functools.cache
def prose(page):
    """A page without its code."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^    .*$", "", text, flags=re.MULTILINE)
    return re.sub(r"`[^`\n]*`", lambda code: code[0] if "](" not in code[0] else "", text)


@functools.cache
def places(page):
    """The anchors of a page's headings, as forges and Sphinx make them."""
    found = {}
    for heading in re.findall(r"^#+ +(.*)$", re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL),
                              re.MULTILINE):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
        slug = re.sub(r"[^\w\- ]", "", text).strip().replace(" ", "-")
        count = found.setdefault(slug, 0)
        found[slug] += 1
        if count:
            found[f"{slug}-{count}"] = 1
    return found


class Links(unittest.TestCase):
    def test_lead_somewhere(self):
        wrong, count = [], 0
        for page in PAGES:
            for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
                if re.match(r"[a-z]+:", target):
                    continue
                count += 1
                path, _, fragment = target.partition("#")
                file = (page.parent / path).resolve() if path else page
                if not file.exists():
                    wrong.append(f"{name(page)}: {target}")
                elif fragment and file.suffix == ".md" and fragment not in places(file):
                    wrong.append(f"{name(page)}: {target}: no such heading")
        self.assertFalse(wrong, "\n".join(wrong))
        self.assertGreater(count, 100)

    def test_constants_come_from_sections_and_studies_that_exist(self):
        studies = (ROOT / "perf/CMakeLists.txt").read_text()
        folders = ("src/policies", "include/kubature/detail/policies")
        files = [file for folder in folders for file in (ROOT / "algorithms" / folder).iterdir()]
        text = "".join(re.sub(r"\s*\n\s*", " ", file.read_text()) for file in files)
        sections = set(re.findall(r"docs/[\w/-]+\.md#[\w-]+", text))
        self.assertGreater(len(sections), 15)
        for section in sections:
            path, fragment = section.split("#")
            self.assertIn(fragment, places(ROOT / path), section)
        for study in re.findall(r'Origin \w+\{"[^"]+", "([^"]+)"\}', text):
            program = study.split()[0]
            built = re.search(rf"kubature_study\(\s*{program}\s", studies)
            self.assertTrue(built or (ROOT / "perf" / program).is_file(), study)

    def test_every_page_is_in_the_contents(self):
        listed = set()
        for page in PAGES:
            for tree in re.findall(r"^```\{toctree\}\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL):
                for line in filter(None, map(str.strip, tree.split("\n"))):
                    if not line.startswith(":"):
                        file = page.parent / (re.sub(r".*<(.*)>", r"\1", line) + ".md")
                        listed |= {found.resolve() for found in file.parent.glob(file.name)} if "*" in line else {file.resolve()}
        here = {page for page in PAGES if page.is_relative_to(ROOT / "docs")} - {ROOT / "docs/index.md"}
        self.assertEqual({name(page) for page in here}, {name(page) for page in listed})

    def test_tabs_are_in_their_order(self):
        order, count = ["Python", "C++", "Shell", "C", "Fortran"], 0
        for page in PAGES:
            for part in page.read_text().split("<!-- tabs -->\n")[1:]:
                inside, end, _ = part.partition("<!-- end of tabs -->\n")
                names = re.findall(r"^\*\*(.+)\*\*$", inside, re.MULTILINE)
                self.assertTrue(end and inside.startswith("**"), name(page))
                self.assertEqual(names, sorted(set(names), key=order.index), name(page))
                count += 1
        self.assertGreater(count, 10)


def squeezed(text):
    return [" ".join(line.split()) for line in text.split("\n") if line.strip()]


@functools.cache
def sources(language):
    return [(file, squeezed(file.read_text())) for folder in FOLDERS for pattern in SOURCES[language]
            for file in sorted((ROOT / folder).rglob(pattern))]


def source_of(text, language):
    """The file of which a text is lines one after the other, parts being left out where it says `...`; or None."""
    parts, part = [], []
    for line in squeezed(text):
        if line.strip("/*!# ") in ("...", "…"):
            parts.append(part)
            part = []
        else:
            part.append(line)
    parts.append(part)
    for file, lines in sources(language):
        begin = 0
        for part in parts:
            found = next((at for at in range(begin, len(lines) - len(part) + 1) if lines[at:at + len(part)] == part), None)
            if found is None:
                break
            begin = found + len(part)
        else:
            return file
    return None


class Code(unittest.TestCase):
    def test_is_of_files_that_tests_compile(self):
        wrong, count = [], 0
        for page in PAGES:
            for language, text, line in blocks(page):
                self.assertIn(language, [*SOURCES, "python", "sh", "text", "json", "spack"], f"{name(page)}:{line}")
                if language in SOURCES:
                    count += 1
                    if not source_of(text, language):
                        wrong.append(f"{name(page)}:{line}: not in a file of {' or '.join(FOLDERS)}")
        self.assertFalse(wrong, "\n".join(wrong))
        self.assertGreater(count, 10)

    def test_an_excerpt_is_told_from_another_text(self):
        self.assertIsNotNone(source_of("int main(int argc, char** argv) {\n// ...\n  return right ? 0 : 1;\n}", "cpp"))
        self.assertIsNone(source_of("int main(int argc, char** argv) {\n  return right ? 0 : 1;\n}", "cpp"))

    @unittest.skipUnless("python" in BINDINGS, "the Python package is not built")
    def test_python_runs_and_prints_what_comments_say(self):
        count = 0
        for page in PAGES:
            texts = [textwrap.dedent(text) for language, text, _ in blocks(page) if language == "python"]
            if not texts:
                continue
            with self.subTest(name(page)), tempfile.TemporaryDirectory() as folder:
                run = subprocess.run([sys.executable, "-c", RUN, *texts], cwd=folder, capture_output=True, text=True,
                                     timeout=120, env={**os.environ, "MPLBACKEND": "Agg"})
                self.assertEqual(run.returncode, 0, run.stderr)
                for block, line, printed in json.loads(run.stdout):
                    said = re.search(r"# *(-?\d.*)$", texts[block].split("\n")[line - 1])
                    if said and printed and on_host():
                        count += 1
                        self.assertTrue(is_printed(said[1], printed), f"{said[1]}\nbut it prints\n{printed}")
        self.assertGreater(count if on_host() else 9, 3)


# Runs the blocks of a page one after the other, up to a block that needs a package which is not installed, and prints
# what each statement prints, or the value of an expression as Python shows it when typed in: [[block, last line,
# text], ...].
RUN = """
import ast, contextlib, io, json, sys
names, told = {}, []
for block, text in enumerate(sys.argv[1:]):
    try:
        for statement in ast.parse(text).body:
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(ast.Interactive([statement]), "page", "single"), names)
            told.append((block, statement.end_lineno, printed.getvalue()))
    except ModuleNotFoundError as missing:
        if missing.name.split(".")[0] in ("kubature", "numpy"):
            raise
print(json.dumps(told))
"""


# ---- what is printed ---------------------------------------------------------------------------------------

RESULT = re.compile(r"-?\d[\d.]*\(\d+\)(e[+-]\d+)?  (converged|completed)")
LEFT_OUT = re.compile(r"\.\.\.|\d[\d.]*(?:e[+-]\d+)? (?:us|ms|s|min|h)\b")


def is_printed(quoted, printed):
    """Whether each line that is quoted is there, but for `...` and times, which are those of another machine."""
    return all(re.search(".*".join(map(re.escape, LEFT_OUT.split(line.strip()))), printed)
               for line in quoted.strip().split("\n"))


@functools.cache
def on_host():
    """Results are quoted as CPUs give them; the last digits of a GPU's may be others."""
    if not PROGRAM:
        return False
    info = subprocess.run([PROGRAM, "info", "--json"], capture_output=True, text=True, check=True)
    return json.loads(info.stdout)["backends"][0]["backend"] in ("OpenMP", "Serial", "Threads")


@unittest.skipUnless(on_host(), "results are quoted as CPUs give them; or KUBATURE_PROGRAM is not set")
class Outputs(unittest.TestCase):
    def expect(self, page, quoted, command):
        with self.subTest(f"{name(page)}: {quoted}"):
            run = subprocess.run(command, capture_output=True, text=True, timeout=120)
            self.assertTrue(is_printed(quoted, run.stdout), f"but it prints\n{run.stdout}\n{run.stderr}")

    @unittest.skipUnless(EXAMPLES, "KUBATURE_EXAMPLES is not set")
    def test_of_examples(self):
        count = 0
        for page in PAGES:
            text = page.read_text()
            for match in re.finditer(r"prints `([^`]+)`", text):
                if not RESULT.search(match[1]):
                    continue
                line = text[:match.start()].count("\n") + 1
                language, code, _ = [block for block in blocks(page) if block[2] < line][-1]
                example = source_of(code, language).relative_to(ROOT / "examples").with_suffix("")
                program = pathlib.Path(EXAMPLES, "_".join(("example", *example.parts)))
                if program.exists() or language == "cpp": # the other bindings may not be built
                    count += 1
                    self.expect(page, match[1], [program])
        self.assertGreater(count, 1)

    def test_of_commands(self):
        count = 0
        for page in PAGES:
            for language, text, line in blocks(page):
                if language == "text" and RESULT.search(text):
                    command = [command for command, where in commands(page) if where < line][-1]
                    count += 1
                    self.expect(page, text, [PROGRAM, *shlex.split(command.removeprefix("scripts/run "))[1:]])
        self.assertGreater(count, 0)

    def test_another_output_is_noticed(self):
        printed = "0.00196880(4)  converged after 7 iterations, chi2/dof 0.57, 7.1e+06 evaluations, 1.5e+02 ms"
        self.assertTrue(is_printed("0.00196880(4)  converged after 7 iterations, ...", printed))
        self.assertTrue(is_printed("converged after 7 iterations, chi2/dof 0.57, 7.1e+06 evaluations, 0.8 s", printed))
        self.assertFalse(is_printed("0.00196880(4)  converged after 9 iterations, ...", printed))


class Commands(unittest.TestCase):
    @unittest.skipUnless(PROGRAM, "KUBATURE_PROGRAM is not set")
    def test_the_program_takes_them(self):
        count = 0
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "scan.csv").write_text("a\n1\n2\n")
            pathlib.Path(folder, "growth.csv").write_text("z,growth\n0,1\n1,0.6\n2,0.4\n")
            for page in PAGES:
                for command, line in commands(page):
                    words = shlex.split(command.removeprefix("scripts/run "), comments=True) if "kubature " in command else []
                    # A whole suite takes minutes; what other programs do is not checked here.
                    if words[:1] != ["kubature"] or {"|", ">", "..."} & set(words):
                        continue
                    if words[1] == "suite" and "--method" not in words:
                        continue
                    if words[1] in ("integrate", "suite"): # it has to be understood, not to be done
                        words += [word for flag, number in (("--seconds", "0.3"), ("--evaluations", "1e4"))
                                  if flag not in words for word in (flag, number)]
                    count += 1
                    with self.subTest(f"{name(page)}:{line}: {command}"):
                        run = subprocess.run([PROGRAM, *words[1:]], cwd=folder, capture_output=True, text=True, timeout=120)
                        self.assertIn(run.returncode, (0, 3), run.stderr)
        self.assertGreater(count, 10)

    def test_scripts_presets_and_options_exist(self):
        presets = {preset["name"] for preset in json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]}
        cmake = "".join(file.read_text() for file in [ROOT / "CMakeLists.txt", *ROOT.glob("cmake/*.cmake")])
        count = 0
        for page in PAGES:
            for command, line in commands(page):
                where = f"{name(page)}:{line}: {command}"
                for file in re.findall(r"(?<![\w/])((?:scripts|perf|tests)/[\w/.-]*\w)", command):
                    if "MACHINE" not in command and "*" not in command:
                        self.assertTrue((ROOT / file).exists(), where)
                        count += 1
                for preset in re.findall(r"--preset[ =](\w+)", command):
                    self.assertIn(preset, presets, where)
                for option in re.findall(r"-D(KUBATURE_\w+)", command):
                    self.assertRegex(cmake, rf"(option|set)\({option}\b", where)
        self.assertGreater(count, 15)


# ---- what results say --------------------------------------------------------------------------------------

LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
# Where sentences are made that become remarks elsewhere.
SENTENCES = ("algorithms/src/audit/audits.cpp", "algorithms/src/automatic/auto_strategy.cpp",
             "algorithms/src/call/component_estimates.cpp", "algorithms/src/call/estimates.cpp")


def remarks():
    """The words of all remarks, between the numbers and names in them: [(words, file), ...]."""
    for folder in ("core", "algorithms", "runtime"):
        for file in sorted((ROOT / folder).rglob("*.[ch]pp")):
            text, where = re.sub(r'"\s*\n\s*"', "", file.read_text()), file.relative_to(ROOT).as_posix()
            parts = [text] if where in SENTENCES else \
                [call[1] for call in re.finditer(r"remark(?:s\.push_back)?\((.*?)\);", text, re.DOTALL)]
            for literal in LITERAL.findall("\n".join(parts)):
                for words in re.split(r"%\S+", literal):
                    if len(words.split()) > 1:
                        yield " ".join(words.split()).strip(":;, ()"), where


class Trouble(unittest.TestCase):
    PAGE = ROOT / "docs/guide/trouble.md"

    def test_every_remark_is_explained(self):
        page, found = " ".join(self.PAGE.read_text().replace("\\|", "|").split()), list(remarks())
        self.assertGreater(len(found), 40)
        missing = [f"{where}: {words}" for words, where in found if words not in page]
        self.assertFalse(missing, "docs/guide/trouble.md lacks\n" + "\n".join(missing))

    def test_every_status_is_explained(self):
        header = (ROOT / "core/include/kubature/result.hpp").read_text()
        body = re.search(r"enum class Status \{(.*?)\};", header, re.DOTALL)[1]
        statuses = re.findall(r"^\s*(\w+)", re.sub(r"//.*", "", body), re.MULTILINE)
        rows = re.findall(r"^\| `(\w+)` \|", self.PAGE.read_text(), re.MULTILINE)
        self.assertEqual(statuses, rows)


# ---- tables of options and integrals -----------------------------------------------------------------------

TABLE = re.compile(r"(<!-- options ([\w+-]+) -->\n).*?(<!-- end of options -->)", re.DOTALL)


def table(listed, method):
    """The options of a method, or those that all methods have alike."""
    rows = ["", "| option | default | values | |", "|---|---|---|---|"]
    for option in listed["options"]:
        if (option["name"] in COMMON) != (method == "common"):
            continue
        uses = option["methods"]
        use = uses.get("vegas+" if method == "common" else method)
        if not use:
            continue
        least, most = use.get("least", ""), use.get("most", "").replace("0.9999999999999999", "below 1")
        # Cubature's and quasi-Monte Carlo's rules share a name, and so one list.
        choices = [choice for choice in option.get("choices") or []
                   if option["name"] != "rule" or (choice in ("lattice", "sobol")) == (method == "qmc")]
        values = ", ".join(f"`{choice}`" for choice in choices) if choices else \
            f"{least} to {most}" if least and most else f"from {least}" if least and least != "5e-324" else \
            "above 0" if least else f"up to {most}" if most else option["kind"]
        default = use["default"]
        rows.append(f"| `{option['name']}` | {f'`{default}`' if default else ''} | {values} | {use['summary']} |")
    return "\n".join(rows) + "\n\n"


INTEGRALS = re.compile(r"(<!-- integrals -->\n).*?(<!-- end of integrals -->)", re.DOTALL)


def integrals(listed):
    """The reference integrals."""
    rows = ["", "| name | variables | integrand | sides | true value | source |", "|---|---|---|---|---|---|"]
    for each in listed["integrals"]:
        lower, upper = each["lower"], each["upper"]
        formula = each["formula"].replace("|", "\\|")
        rows.append(f"| `{each['name']}` | {each['dimension']} | `{formula}` | {lower:.4g}:{upper:.4g} | "
                    f"{each['true_value']:.10g} | {each['source']} |")
    return "\n".join(rows) + "\n\n"


def with_tables(text, listed):
    text = TABLE.sub(lambda found: found[1] + table(listed, found[2]) + found[3], text)
    return INTEGRALS.sub(lambda found: found[1] + integrals(listed) + found[2], text)


def program_list():
    return json.loads(subprocess.run([PROGRAM, "list", "--json"], capture_output=True, text=True, check=True).stdout)


@functools.cache
def of_older_code(record):
    """Whether a record has no digest of its sources, or another than those here have."""
    parts = json.loads((ROOT / f"perf/results/{record}.json").read_text()).get("digest", {})
    run = subprocess.run([sys.executable, ROOT / "perf/digest.py", *parts], capture_output=True, text=True, check=True)
    return not parts or [line.split()[0] for line in run.stdout.splitlines()] != list(parts.values())


class Records(unittest.TestCase):
    def test_headlines_of_older_code_say_so(self):
        pages = [page for page in (*PAGES, *ROOT.glob("paper/*.md")) if "<!-- record headlines -->" in page.read_text()]
        self.assertIn(ROOT / "README.md", pages)
        for page in pages:
            table = page.read_text().split("<!-- record headlines -->")[1].split("<!-- end of record -->")[0]
            lines = [line.strip("| ") for line in table.split("\n") if line.startswith("|")][2:]
            self.assertGreater(len(lines), 3)
            for line in lines:
                record = re.search(r"<!-- (\S+/\S+) -->", line)
                self.assertTrue(record, f"{name(page)}: this does not name its record: {line}")
                self.assertEqual("(of older code)" in line, of_older_code(record[1]), f"{name(page)}: {line}")

    def test_tables_are_those_of_the_records(self):
        run = subprocess.run([sys.executable, ROOT / "perf/page_tables.py"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, f"{run.stderr}perf/page_tables.py --write mends it")
        shown = set(re.findall(r"<!-- record ([\w+-]+) -->", "".join(page.read_text() for page in PAGES)))
        self.assertGreater(len(shown), 10)

    def test_what_was_not_tried_has_not_failed(self):
        sys.path.insert(0, str(ROOT / "perf/papers"))
        from ladders import MISSED, UNTRIED, WRONG, outcome

        def rung(status, error=0):
            return {"status": status, "milliseconds": 1, "true_error": error}

        met = {1e-3: rung("converged"), 1e-4: rung("converged", 2e-4)}
        self.assertEqual(outcome(met, 1e-3), met[1e-3])
        self.assertEqual([outcome(met, 1e-3, limit=0.5), outcome(met, 1e-4), outcome(met, 1e-5)],
                         [MISSED, WRONG, UNTRIED])
        self.assertEqual([outcome(met | {1e-5: rung("time_limit")}, tolerance) for tolerance in (1e-5, 1e-6)],
                         [MISSED, MISSED])
        self.assertEqual(outcome({}, 1e-3), UNTRIED)

    def test_every_picture_is_on_a_page(self):
        shown = {(page.parent / target).resolve() for page in PAGES
                 for target in re.findall(r"!\[[^\]]*\]\(([^)\s]+)\)", page.read_text())}
        pictures = {file for folder in ("docs", "perf/results") for file in (ROOT / folder).rglob("*.svg")}
        self.assertFalse({name(picture) for picture in pictures - shown})


class Options(unittest.TestCase):
    @unittest.skipUnless(PROGRAM, "KUBATURE_PROGRAM is not set")
    def test_are_those_of_the_program(self):
        listed, found = program_list(), []
        for page in PAGES:
            text = page.read_text()
            found += [match[2] for match in TABLE.finditer(text)]
            self.assertEqual(text, with_tables(text, listed), f"{name(page)}: tests/docs/docs_test.py --write mends it")
        methods = {method["name"] for method in listed["methods"]} - {"mcubes-1d"} # m-Cubes with one of its options
        self.assertEqual(sorted(found), sorted(methods | {"common"}))

    @unittest.skipUnless(PROGRAM, "KUBATURE_PROGRAM is not set")
    def test_methods_can_do_what_the_program_says(self):
        rows = re.findall(r"^\|(.*)\|$", (ROOT / "docs/methods/index.md").read_text(), re.MULTILINE)
        cells = [[cell.strip() for cell in row.split("|")] for row in rows]
        heads = next(row for row in cells if row[:2] == ["", "PAGANI"])
        methods = {method["name"]: method for method in program_list()["methods"]}
        for label, ability in ABILITIES.items():
            row = next(row for row in cells if row[0] == label)
            for head, cell in zip(heads[1:], row[1:], strict=True):
                method = methods.get(COLUMNS.get(head, head))
                if method: # a program in fp64 alone has fewer
                    self.assertEqual(bool(cell), method[ability], f"{head}: {label}")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        options = program_list()
        for page in PAGES:
            page.write_text(with_tables(page.read_text(), options))
    else:
        unittest.main()
