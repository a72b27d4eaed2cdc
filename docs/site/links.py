#!/usr/bin/env python3
"""links.py FOLDER: tells which links of the HTML pages in a folder lead nowhere. Addresses of other sites are left
alone, and so are links between pages that Doxygen made, which it checks itself."""
import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, file):
        super().__init__()
        self.links, self.names = [], set()
        self.feed(file.read_text())

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name in ("id", "name") and value:
                self.names.add(value)


def main(folder):
    reference = folder / "reference"
    pages = {file: Page(file) for file in folder.rglob("*.html") if reference not in file.parents}
    broken = []
    for file, page in pages.items():
        for link in page.links:
            address = urllib.parse.urlsplit(link)
            if address.scheme or address.netloc:
                continue
            target = (file.parent / urllib.parse.unquote(address.path)).resolve() if address.path else file
            if not target.is_file():
                broken.append(f"{file}: {link}")
            elif address.fragment and target in pages and \
                    urllib.parse.unquote(address.fragment) not in pages[target].names:
                broken.append(f"{file}: {link}: no such place")
    print(f"{len(pages)} pages, {sum(len(page.links) for page in pages.values())} links")
    if not pages or broken:
        sys.exit("\n".join(broken) or "no pages")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]).resolve())
