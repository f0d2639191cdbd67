"""check_links.py SITE: every link of the built site that stays inside leads to a file, and to a place in it."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links = []
        self.places = set()
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.places.update(filter(None, (found.get("id"), found.get("name"))))
        self.links += [found[key] for key in ("href", "src", "data") if found.get(key)]


def main():
    site = Path(sys.argv[1]).resolve()
    pages = {path: Page(path) for path in sorted(site.rglob("*.html"))}
    wrong = 0
    checked = 0
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            checked += 1
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                print(f"{path.relative_to(site)}: no file for {link}", file=sys.stderr)
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].places:
                print(f"{path.relative_to(site)}: no place for {link}", file=sys.stderr)
            else:
                continue
            wrong += 1
    print(f"check_links: {len(pages)} pages, {checked} links, {wrong} wrong")
    return 1 if wrong or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
