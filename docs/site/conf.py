"""How Sphinx makes the site from docs/*.md (scripts/docs). The pages are plain Markdown that any forge shows; what
they link to outside of docs/ is brought into the site here."""
import pathlib
import posixpath
import re
import sys

from docutils.utils.math.latex2mathml import tex2mathml

ROOT = pathlib.Path(__file__).resolve().parents[2]
NUMBERS = re.findall(r"^#define KUBATURE_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$",
                     (ROOT / "core/include/kubature/version.hpp").read_text(), re.MULTILINE)

sys.path.insert(0, str(ROOT / "docs/site"))
import python_reference

project = "kubature"
release = version = ".".join(NUMBERS)
copyright = "the authors of kubature, Apache 2.0 with the LLVM exception"
extensions = ["myst_parser", "sphinx.ext.autodoc", "python_reference", "sphinx_inline_tabs"]
autodoc_mock_imports = python_reference.MOCKED
autodoc_typehints = "none"
autodoc_preserve_defaults = True
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 4
exclude_patterns = ["site"]
highlight_language = "text"
html_theme = "furo"
html_title = f"kubature {release}"
html_static_path = ["static"]
html_css_files = ["kubature.css"]
html_copy_source = False
html_show_sphinx = False
html_math_renderer = "mathml"
pygments_style = "friendly"
pygments_dark_style = "monokai"

# Files at the root of the repository that are pages of the site.
PAGES = {"README.md": "index.md", "CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}
LANGUAGES = {".cpp": "cpp", ".c": "c", ".f90": "fortran", ".R": "r"}
IMAGES = (".svg", ".png")


def examples():
    """The files of examples/, the shortest way first."""
    return sorted((file for file in (ROOT / "examples").rglob("*") if file.suffix in LANGUAGES),
                  key=lambda file: (len(file.parts), file.name != "first_steps.cpp", file))


def anchor(file):
    return re.sub(r"[^a-z0-9_ -]", "", file.relative_to(ROOT / "examples").as_posix().lower())


def link(page, folder, text, target, fragment):
    """A link of a text that lies in a folder as it is to be in a page of the site: what is outside of docs/ is a page
    of the site, an example, or no link at all."""
    path = posixpath.normpath(posixpath.join(folder, target))
    here = posixpath.dirname(page) or "."
    if path.startswith("docs/") and not path.endswith(IMAGES):
        return f"[{text}]({posixpath.relpath(path, posixpath.join('docs', here))}{fragment})"
    if path in PAGES:
        return f"[{text}]({posixpath.relpath(PAGES[path], here)}{fragment})"
    if path.startswith("examples"):
        file = ROOT / path
        return f"[{text}]({posixpath.relpath('examples.md', here)}{'#' + anchor(file) if file.is_file() else ''})"
    return text


def tabs(found):
    """A tab for each part of a text that begins with a name alone on its line, in bold letters."""
    parts = re.split(r"^\*\*(.+)\*\*$\n", found[1], flags=re.MULTILINE)
    return "".join(f":::{{tab}} {label}\n{text}\n:::\n\n" for label, text in zip(parts[1::2], parts[2::2], strict=True))


def read(_, page, source):
    text, folder = source[0], posixpath.join("docs", posixpath.dirname(page))
    if f"{page}.md" in ("changelog.md", "contributing.md"):
        text, folder = (ROOT / f"{page.upper()}.md").read_text(), "."
    if page == "examples":
        for file in examples():
            name = file.relative_to(ROOT / "examples").as_posix()
            text += f"\n## {name}\n\n```{{literalinclude}} ../examples/{name}\n:language: {LANGUAGES[file.suffix]}\n```\n"
    text = re.sub(r"^<!-- tabs -->$\n(.*?)^<!-- end of tabs -->$\n", tabs, text, flags=re.MULTILINE | re.DOTALL)
    source[0] = re.sub(r"(?<!!)\[([^\]]*)\]\(([^)#\s:]+)(#[^)\s]*)?\)",
                       lambda found: link(page, folder, found[1], found[2], found[3] or ""), text)


def inline_math(writer, node):
    writer.body.append(tex2mathml(node.astext()))
    raise_skip()


def block_math(writer, node):
    writer.body.append(f'<div class="math">{tex2mathml(node.astext(), as_block=True)}</div>')
    raise_skip()


def raise_skip():
    from docutils.nodes import SkipNode
    raise SkipNode


def setup(app):
    app.connect("source-read", read)
    app.add_html_math_renderer("mathml", (inline_math, None), (block_math, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
