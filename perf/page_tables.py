#!/usr/bin/env python3
"""Tables of docs/, README.md and paper/ from the committed records. A page holds a table between
`<!-- record NAME -->` and `<!-- end of record -->`; the test `documentation` compares it with the records.

    perf/page_tables.py            names the pages whose tables are not those of the records
    perf/page_tables.py --write    writes them anew
    perf/page_tables.py NAME       prints one
"""

import contextlib
import io
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import architecture_page_tables  # noqa: F401
import evidence_tables  # noqa: F401, these fill the list of tables
import method_page_tables  # noqa: F401
import paper_page_tables  # noqa: F401
import result_page_tables  # noqa: F401
from page_table import HERE, TABLES

MARKED = re.compile(r"(<!-- record ([\w+-]+) -->\n).*?(<!-- end of record -->)", re.DOTALL)


def text_of(name):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        TABLES[name]()
    exponents = re.sub(r"(?<=\d)e(?:\+|(-))0*(\d+)", r"e\1\2", out.getvalue())  # 1e+08 as 1e8
    return "\n" + exponents.strip("\n") + "\n\n"


def with_tables(text):
    return MARKED.sub(lambda found: found[1] + text_of(found[2]) + found[3], text)


def main(wanted):
    if wanted and wanted != ["--write"]:
        for name in wanted:
            print(text_of(name))
        return
    stale = []
    for page in sorted(page for folder in (".", "paper", "docs/**") for page in HERE.parent.glob(f"{folder}/*.md")):
        text = page.read_text()
        new = with_tables(text)
        if new != text:
            stale.append(page.relative_to(HERE.parent).as_posix())
            if wanted:
                page.write_text(new)
    if stale and not wanted:
        sys.exit("not the tables of the records: " + ", ".join(stale))


if __name__ == "__main__":
    main(sys.argv[1:])
